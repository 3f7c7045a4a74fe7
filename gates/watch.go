package gates

import (
	"context"
	"time"

	"gpuci/buildlock"
	"gpuci/pressure"
	"gpuci/reaper/proc"
)

// idleShare is the share of one core below which a command counts as using no
// CPU: a program that waits in a polling loop uses a few tenths of a percent.
const idleShare = 0.01

// remind is how often a command without progress is spoken of.
const remind = 30 * time.Second

// watch reports a command that prints nothing and uses no CPU, and gives up
// on it when that has lasted for the gate's no-progress time.
func (f *flow) watch(ctx context.Context, child *proc.Process, p phase, stalled chan<- time.Duration) {
	limit := f.gate.NoProgress
	if limit <= 0 {
		limit = never
	}
	tick := time.NewTicker(min(max(limit/20, 20*time.Millisecond), 2*time.Second))
	defer tick.Stop()
	w, still := idleWatch{since: time.Now()}, idleWatch{since: time.Now()}
	for {
		select {
		case <-ctx.Done():
			return
		case <-child.Done():
			return
		case now := <-tick.C:
			cpu, err := child.CPU()
			used := func() (time.Duration, error) { return cpu, err }
			idle, cpuless := w.look(now, p.out.quietFor(now), used), still.look(now, never, used)
			if f.links.Queueing() { // it waits for others, and that is said
				w.restart(now)
				still.restart(now)
				idle, cpuless = 0, 0
			}
			over := idle >= limit
			switch {
			case over, limit < never && w.due(now, idle, limit):
				f.opt.note("%s: no output and no CPU for %s (of %s)%s", p.name, buildlock.Round(idle), buildlock.Round(limit), f.because())
				still.told = now
			case cpuless >= cpulessAfter && still.due(now, cpuless, cpulessAfter):
				f.opt.note("%s: no CPU for %s%s", p.name, buildlock.Round(cpuless), f.because())
			}
			if over {
				stalled <- idle
				return
			}
		}
	}
}

// cpulessAfter is how long a command that prints has had no CPU before that is
// spoken of: a build that hangs in the disk for minutes looks alive otherwise.
const cpulessAfter = 2 * time.Minute

// because says what the machine was short of in the last step, if anything.
func (f *flow) because() string {
	if d, ok := f.pressure.diagnosis(); ok && d.Cause != pressure.Quiet {
		return "; " + d.Text
	}
	return ""
}

// idleWatch remembers since when nothing has moved.
type idleWatch struct {
	since time.Time // the last output or CPU
	cpu   time.Duration
	base  bool // cpu was read at since
	told  time.Time
}

// look says for how long there has been neither output nor CPU. A share of
// CPU too small to be work does not count, however long it adds up: it is
// measured from the last progress on.
func (w *idleWatch) look(now time.Time, quiet time.Duration, cpu func() (time.Duration, error)) time.Duration {
	if printed := now.Add(-quiet); printed.After(w.since) {
		w.since, w.base = printed, false
	}
	used, err := cpu()
	if err != nil {
		return 0 // unknown is not idle
	}
	span := now.Sub(w.since)
	if !w.base || used < w.cpu || float64(used-w.cpu) > idleShare*float64(span)+float64(10*time.Millisecond) {
		if w.base {
			w.since = now
		}
		w.cpu, w.base = used, true
	}
	return now.Sub(w.since)
}

// restart begins anew.
func (w *idleWatch) restart(now time.Time) { w.since, w.base = now, false }

// due says whether it is time to speak: at half of the limit or after 30 s,
// then every 30 s.
func (w *idleWatch) due(now time.Time, idle, limit time.Duration) bool {
	if idle < min(limit/2, remind) || now.Sub(w.told) < remind {
		return false
	}
	w.told = now
	return true
}
