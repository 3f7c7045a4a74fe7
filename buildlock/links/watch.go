package links

import (
	"context"
	"sync"
	"time"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// Watch looks at the links of one build while it runs: at the queue, for one of
// ours that waits behind somebody else's, and at the build's own processes, for
// linkers that came past the shims.
type Watch struct {
	Build   string        // the id in its tickets
	LockDir string        // "" is the machine's
	Slots   int           // the number of links that the build's shims are lowered to, 0 for the machine's
	Limit   time.Duration // how long one of its links may wait
	Waiting func(buildlock.Line)
	Every   time.Duration // between two lines about a wait; 30 s when 0

	said time.Time
	seen map[proc.Identity]bool

	mu     sync.Mutex
	past   map[Past]int
	hidden int
	queued time.Duration
	since  time.Time // of the wait that lasts now
}

// Past groups linkers that came past the shims in the same way.
type Past struct {
	Tool   string
	Bypass Bypass
}

const (
	// lookEvery is how often a build is looked at. A look costs about a
	// millisecond; a link that is over sooner disturbs nobody.
	lookEvery = 200 * time.Millisecond
	// remindEvery is how often a wait is spoken of.
	remindEvery = 30 * time.Second
)

// Run looks until the context ends. members lists the processes of the build.
func (w *Watch) Run(ctx context.Context, members func() ([]proc.Stat, error)) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			w.wait(false, time.Now())
			return
		case now := <-tick.C:
			w.queue(ctx, now)
			w.tree(ctx, members)
		}
	}
}

// Queued is the time in which the build's links waited for somebody else's and
// none of its own was at work: time that is not the build's to answer for.
func (w *Watch) Queued(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return w.queued
	}
	return w.queued + now.Sub(w.since)
}

// Queueing says whether that is so now. A nil Watch never queues.
func (w *Watch) Queueing() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.since.IsZero()
}

// queue notes whether a link of ours waits for somebody else's, and tells it
// now and then.
func (w *Watch) queue(ctx context.Context, now time.Time) {
	list, err := buildlock.Tickets(ctx, w.LockDir, buildlock.Link)
	if err != nil {
		return // the shims say what is wrong with it
	}
	line, waits := w.line(list, now)
	w.wait(waits, now)
	if !waits || w.Waiting == nil || !w.said.IsZero() && now.Sub(w.said) < w.every() {
		return
	}
	w.said = now
	w.Waiting(line)
}

func (w *Watch) every() time.Duration {
	if w.Every > 0 {
		return w.Every
	}
	return remindEvery
}

// wait adds up the time that went by in waiting.
func (w *Watch) wait(waits bool, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case waits && w.since.IsZero():
		w.since = now
	case !waits && !w.since.IsZero():
		w.queued, w.since = w.queued+now.Sub(w.since), time.Time{}
	}
}

// line is the place in line of our link that goes next, if all it waits for is
// somebody else's.
func (w *Watch) line(list []buildlock.Entry, now time.Time) (buildlock.Line, bool) {
	slots, err := buildlock.Links(w.LockDir)
	if err != nil {
		return buildlock.Line{}, false
	}
	if w.Slots > 0 {
		slots = min(slots, w.Slots)
	}
	l := buildlock.Line{Lock: buildlock.Link, Slots: slots, Limit: w.Limit}
	for _, e := range list {
		switch {
		case e.State == buildlock.StateVoid:
		case e.Build == w.Build && e.State == buildlock.StateWaits && l.Ahead >= slots:
			l.Waited = max(0, now.Sub(e.Since))
			return l, true
		case e.Build == w.Build:
			return l, false // it moves on: one of ours is at work, or about to be
		default:
			if l.Ahead++; len(l.Holders) < slots {
				l.Holders = append(l.Holders, e)
			}
		}
	}
	return l, false
}

// tree counts the linkers of the build that hold no ticket, each once.
func (w *Watch) tree(ctx context.Context, list func() ([]proc.Stat, error)) {
	members, err := list()
	if err != nil {
		return
	}
	for _, l := range Unticketed(ctx, members, TicketFiles(w.LockDir)) {
		w.count(ctx, l)
	}
}

func (w *Watch) count(ctx context.Context, l Linker) {
	id := proc.Identity{PID: l.PID, Start: l.Start}
	if w.seen[id] {
		return
	}
	if w.seen == nil {
		w.seen, w.past = make(map[proc.Identity]bool), make(map[Past]int)
	}
	w.seen[id] = true
	past := Past{Tool: l.Tool}
	if !l.Hidden {
		past.Bypass = BypassOf(ctx, l.PID)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.Hidden {
		w.hidden++
		return
	}
	w.past[past]++
}
