package links

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	Every   time.Duration // between two lines about a wait; buildlock.RemindEvery when 0
	Log     string        // where the shims write: the end of each link is noted there; "" for nowhere

	said   time.Time
	held   bool // what was said last: that the pressure holds us back
	seen   map[proc.Identity]bool
	dir    os.FileInfo // of the queue, as it was first seen
	looked time.Time   // when that was
	work   []string    // tickets of ours whose links were at work at the last look

	mu      sync.Mutex
	past    map[Past]int
	hidden  int
	removed bool
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
func (w *Watch) Run(ctx context.Context, members func() ([]proc.Stat, error)) {
	w.stand()
	for pause := lookEvery; ; {
		select {
		case <-ctx.Done():
			w.stand()
			w.wait(false, time.Now())
			return
		case now := <-time.After(pause):
			w.stand()
			w.queue(ctx, now)
			pause = max(lookEvery, listShare*w.tree(ctx, members))
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

// stand notes when the queue's directory is not the one it was: who held a
// ticket in that one is seen by nobody any more.
func (w *Watch) stand() {
	dir := w.LockDir
	if dir == "" {
		dir = buildlock.DefaultDir()
	}
	now, err := os.Lstat(filepath.Join(dir, string(buildlock.Link)))
	switch {
	case w.dir == nil:
		w.dir = now // nil again where there is none yet
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(w.dir, now):
		w.dir = nil
		w.mu.Lock()
		w.removed = true
		w.mu.Unlock()
	}
}

// queue notes whether a link of ours waits for somebody else's, and tells it
// now and then.
func (w *Watch) queue(ctx context.Context, now time.Time) {
	list, err := buildlock.Tickets(ctx, w.LockDir, buildlock.Link)
	if err != nil {
		return // the shims say what is wrong with it
	}
	w.ended(list, now)
	line, waits := w.line(list, now)
	w.wait(waits, now)
	soon := !w.said.IsZero() && now.Sub(w.said) < cmp.Or(w.Every, buildlock.RemindEvery)
	if !waits || w.Waiting == nil || line.String() == "" || soon && line.Held == w.held {
		return
	}
	w.said, w.held = now, line.Held
	w.Waiting(line)
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
	own := slots
	if w.Slots > 0 {
		own = min(slots, w.Slots)
	}
	ahead := 0
	for _, e := range list {
		switch {
		case e.State == buildlock.StateVoid:
		case e.Build != w.Build:
			ahead++
		case e.State == buildlock.StateWaits && e.Held != "":
			return buildlock.Line{Held: true, Note: "the next link is " + e.Held}, true
		case e.State == buildlock.StateWaits && e.Looking:
			return buildlock.Line{}, true
		case e.State != buildlock.StateWaits || ahead < own:
			return buildlock.Line{}, false // it moves on: one of ours is at work, or about to be
		default:
			l := buildlock.Queue{Lock: buildlock.Link, Slots: slots, Entries: list}.Line(e.Number)
			l.Waited, l.Limit = max(0, now.Sub(e.Since)), w.Limit
			return l, true
		}
	}
	return buildlock.Line{}, false
}

// ended notes which links are over since the last look, as of that: when they
// were still seen at work. One that began and ended
// between two looks is not noted.
func (w *Watch) ended(list []buildlock.Entry, now time.Time) {
	var work []string
	for _, e := range list {
		if e.Build == w.Build && e.State != buildlock.StateWaits {
			work = append(work, e.ID)
		}
	}
	for _, id := range w.work {
		if w.Log != "" && !slices.Contains(work, id) {
			_ = buildlock.LinkEvent{Time: w.looked, Ticket: id, Outcome: buildlock.Ended}.Append(w.Log)
		}
	}
	w.work, w.looked = work, now
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
	if !l.Hidden {
		past = PastOf(ctx, l)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.Hidden {
		w.hidden++
		return
	}
	w.past[past]++
}
