package slurm

import "time"

// polls says when Slurm is to be asked. All jobs are asked for in one question, which keeps
// slurmctld from scheduling while it answers; so it is at work for us at most a twentieth
// of the time, whatever the size of the cluster.
type polls struct {
	last time.Time
	took time.Duration
	hot  bool // a result has come, or something is to be settled: it is worth to ask
}

// The bounds on the time between two questions. A second is a quarter of what people call
// at once; where slurmctld takes over a second to answer, half a minute is what it can take.
const (
	pollLeast = time.Second
	pollMost  = 30 * time.Second
	pollShare = 20
)

func (p *polls) due(now time.Time) bool {
	every := min(max(p.took*pollShare, pollLeast), pollMost)
	if p.hot {
		every = min(max(p.took*pollShare/4, lookEvery), pollMost)
	}
	return now.Sub(p.last) >= every-lookEvery/5 // a look that comes a little early is the one
}

func (p *polls) asked(began, ended time.Time) { p.last, p.took = began, ended.Sub(began) }
