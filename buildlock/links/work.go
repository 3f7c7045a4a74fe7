package links

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// worker is a link of ours at work.
type worker struct {
	buildlock.Entry
	since time.Time // the look that first saw it
	last  time.Time // the look that saw it last
	name  string    // what it was called as, once that was asked
}

// long is how long a link is at work before others of the same build speak of
// it: most take seconds.
const long = time.Minute

// follow notes which links of ours are at work, and which are over since the
// last look, as of that: they were still seen then. One that began and ended
// between two looks is not noted.
func (w *Watch) follow(list []buildlock.Entry, now time.Time) {
	before := w.work
	w.work = nil
	for _, e := range list {
		if e.Build != w.Build || e.State == buildlock.StateWaits {
			continue
		}
		at := slices.IndexFunc(before, func(b worker) bool { return b.ID == e.ID })
		if at < 0 {
			w.work, w.ours = append(w.work, worker{Entry: e, since: now, last: now}), append(w.ours, e)
			continue
		}
		w.work = append(w.work, worker{e, before[at].since, now, before[at].name})
	}
	for _, b := range before {
		if slices.ContainsFunc(w.work, func(a worker) bool { return a.ID == b.ID }) {
			continue
		}
		if w.Log != "" {
			_ = buildlock.LinkEvent{Time: b.last, Ticket: b.ID, Outcome: buildlock.Ended}.Append(w.Log)
		}
		if b.outlives(w.lockDir()) {
			w.mu.Lock()
			w.removed = true
			w.mu.Unlock()
		}
	}
}

// outlives says whether a link goes on whose ticket is in no queue any more: its
// file was removed, and the next one does not wait for it. A ticket is given
// up in two steps, and one may be seen between the two.
func (b worker) outlives(lockDir string) bool {
	if b.Foreign {
		return false
	}
	for range 2 {
		s, err := proc.Real.Stat(b.PID)
		if err != nil || s.Start != b.Start || s.Zombie() {
			return false
		}
		if _, lost, err := ticketOf(b.PID, lockDir); err != nil || !lost {
			return false
		}
		time.Sleep(settled)
	}
	return true
}

// longest is the link of ours that has been at work for longest, if that is long
// and others of ours wait behind it; else nil. They wait for as long as it takes.
func (w *Watch) longest(list []buildlock.Entry, now time.Time) (first *worker) {
	for i := range w.work {
		if b := &w.work[i]; b.State != buildlock.StateVoid && (first == nil || b.since.Before(first.since)) {
			first = b
		}
	}
	if first == nil || now.Sub(first.since) < cmp.Or(w.Long, long) {
		return nil
	}
	behind := func(e buildlock.Entry) bool {
		return e.Build == w.Build && e.State == buildlock.StateWaits && e.Number > first.Number
	}
	if !slices.ContainsFunc(list, behind) {
		return nil
	}
	return first
}

// behind is the line about others of ours that wait for a link, with what is to
// be done if that one hangs.
func (w *Watch) behind(ctx context.Context, b *worker, now time.Time) buildlock.Line {
	who := b.String()
	if !b.Foreign && b.State != buildlock.StateKept {
		if b.name == "" {
			b.name = b.tool(ctx)
		}
		who = fmt.Sprintf("%s (pid %d)", b.name, b.PID)
		pids := fmt.Sprint(b.PID)
		for _, s := range w.linkersBelow(b) {
			who += fmt.Sprintf(", in it %s (pid %d, state %c)", s.Comm, s.PID, s.State)
			pids += fmt.Sprintf(" %d", s.PID)
		}
		if b.Stopped {
			who += ", stopped: fg, or kill -CONT, lets it go on"
		}
		who += fmt.Sprintf("; if it hangs, end it (kill %s)", pids)
	}
	note := fmt.Sprintf("links of this build wait for one of its own, at work for %s: %s", buildlock.Round(now.Sub(b.since)), buildlock.Printable(who))
	return buildlock.Line{Lock: buildlock.Link, Note: note}
}

// linkersBelow are the linkers that a link has come to, where a compiler has its
// ticket.
func (w *Watch) linkersBelow(b *worker) (out []proc.Stat) {
	for pid := range w.pids {
		s, err := proc.Real.Stat(pid)
		if err != nil || pid == b.PID || s.Zombie() || !below(s, map[int]uint64{b.PID: b.Start}) {
			continue
		}
		if _, ok := IsLinker(s); ok {
			out = append(out, s)
		}
	}
	return out
}

// tool is what the link was called as, and what it makes. In D it may not
// answer.
func (b *worker) tool(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := proc.Real.Stat(b.PID)
	if err != nil || s.Start != b.Start {
		return "a link"
	}
	argv, err := proc.Real.Cmdline(ctx, b.PID)
	if err != nil || len(argv) == 0 {
		return s.Comm
	}
	name := filepath.Base(argv[0])
	if at := slices.Index(argv, "-o"); at >= 0 && at+1 < len(argv) {
		name += " -o " + buildlock.Clip(argv[at+1])
	}
	return name
}
