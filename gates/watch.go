package gates

import (
	"context"
	"time"

	"gpuci/buildlock"
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
		return
	}
	tick := time.NewTicker(min(max(limit/20, 20*time.Millisecond), 2*time.Second))
	defer tick.Stop()
	w := idleWatch{since: time.Now()}
	for {
		select {
		case <-ctx.Done():
			return
		case <-child.Done():
			return
		case now := <-tick.C:
			idle := w.look(now, p.out.quietFor(now), child.CPU)
			if f.links.Queueing() {
				w.since, w.base, idle = now, false, 0 // it waits for others, and that is said
			}
			over := idle >= limit
			if over || w.due(now, idle, limit) {
				f.opt.note("%s: no output and no CPU for %s (of %s)", p.name, buildlock.Round(idle), buildlock.Round(limit))
			}
			if over {
				stalled <- idle
				return
			}
		}
	}
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

// due says whether it is time to speak: at half of the limit or after 30 s,
// then every 30 s.
func (w *idleWatch) due(now time.Time, idle, limit time.Duration) bool {
	if idle < min(limit/2, remind) || now.Sub(w.told) < remind {
		return false
	}
	w.told = now
	return true
}
