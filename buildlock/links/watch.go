package links

import (
	"context"
	"sync"
	"time"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// Watch looks at the links of one build while it runs: at the queue, for one of
// ours that waits behind somebody else's, or long behind one of ours; at the
// build's own processes, for linkers that came past the shims; and at what all
// that rests on, the queue's directory and the shims.
type Watch struct {
	Build   string        // the id in its tickets
	LockDir string        // "" is the machine's
	Slots   int           // the number of links that the build's shims are lowered to, 0 for the machine's
	Limit   time.Duration // how long one of its links may wait
	Waiting func(buildlock.Line)
	Every   time.Duration // between two lines about a wait; buildlock.RemindEvery when 0
	Long    time.Duration // how long a link of ours is at work before it is said that others of ours wait for it; a minute when 0
	Log     string        // where the shims write: the end of each link is noted there; "" for nowhere
	Outer   string        // the same of the build that this one is part of, which is told of ours; "" for none
	Shims   string        // the directory of the build's shims; "" for none

	begun bool
	said  time.Time
	about subject // what was said last
	seen  map[proc.Identity]bool
	queue stand             // the directory of the tickets
	front stand             // that of the shims
	work  []worker          // our links at work at the last look
	pids  map[int]bool      // of the build at the last look
	gate  gateWait          // for a number in the queue
	ours  []buildlock.Entry // the tickets of ours that were seen at work, each once

	mu      sync.Mutex
	past    map[Past]int
	hidden  int
	removed bool
	broken  bool // the shims
	unread  bool // not all is known of what the shims wrote
	queued  time.Duration
	since   time.Time // of the wait that lasts now
}

const (
	// lookEvery is how often a build is looked at, where listing its processes
	// takes a few milliseconds; a link that is over sooner disturbs nobody.
	lookEvery = 200 * time.Millisecond
	// listShare is the part of the time that the listing may take: beside
	// thousands of processes it takes longer, and there are fewer looks.
	listShare = 10
	// askFor is how long the linkers that one look finds new may take to tell
	// how they came past the shims. In a stall there are dozens, and each may be
	// slow to answer: then some reasons stay unknown.
	askFor = time.Second
)

// Run looks until the context ends. members lists the processes of the build.
// It can be called again for its next command.
func (w *Watch) Run(ctx context.Context, members func() ([]proc.Stat, error)) {
	w.begin()
	w.stands()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for next := time.Now(); ; {
		select {
		case <-ctx.Done():
			w.stands()
			w.wait(false, time.Now())
			return
		case now := <-tick.C:
			w.stands()
			w.tickets(ctx, now)
			if now.Before(next) { // listing has had its share of the time
				continue
			}
			next = now.Add(max(lookEvery, listShare*w.tree(ctx, members)) - lookEvery/2)
		}
	}
}

// tree counts the linkers of the build that hold no ticket, each once, and says
// how long it took to list its processes.
func (w *Watch) tree(ctx context.Context, list func() ([]proc.Stat, error)) (listing time.Duration) {
	began := time.Now()
	members, err := list()
	listing = time.Since(began)
	if err != nil {
		return listing
	}
	w.pids = make(map[int]bool, len(members))
	for _, m := range members {
		w.pids[m.PID] = true
	}
	found := Unticketed(ctx, members, w.LockDir)
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	for _, l := range found {
		w.count(ctx, l)
	}
	return listing
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
	var past Past
	if !l.Hidden && !l.Lost {
		past = PastOf(ctx, l)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case l.Lost:
		w.removed = true
	case l.Hidden:
		w.hidden++
	default:
		w.past[past]++
	}
}
