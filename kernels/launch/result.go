package launch

import "context"

// Backend runs jobs.
type Backend interface {
	// Name is how outcomes name the backend, such as "host" or "cuda".
	Name() string

	// Run runs the job to its end. Findings are part of the result and no error;
	// an error is a job that could not be run, or a kernel that crashed.
	Run(ctx context.Context, job Job) (Result, error)
}

// Result is what a job did.
type Result struct {
	// Buffers holds outputs and scratch by name, as they are after the last launch.
	// It is nil when a finding stopped the job, as a deadlock does: what stands in
	// them then is nobody's answer.
	Buffers  map[string][]float32
	Launches []Count   // in the order in which each was first launched
	Findings []Finding // in the order in which they were seen
}

// Count is how often a kernel was really launched in a phase, counted by the
// backend's own launch function and not taken from the job.
type Count struct {
	Phase  string
	Kernel string
	Times  int
}

// Launched is the number of launches in the phase.
func (r Result) Launched(phase string) int {
	n := 0
	for _, c := range r.Launches {
		if c.Phase == phase {
			n += c.Times
		}
	}
	return n
}

// Found says whether the result has a finding of the kind.
func (r Result) Found(kind Kind) bool {
	for _, f := range r.Findings {
		if f.Kind == kind {
			return true
		}
	}
	return false
}
