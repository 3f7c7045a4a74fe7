package gates

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/gates/inputs"
	"gpuci/gates/notes"
)

// noteTime is how long the look at notes may take, which goes on beside the gate.
// Its files may be on the disk that is stalled.
const noteTime = 10 * time.Second

// unlookTime is how long its git may take to be gone when nobody wants to know any more.
const unlookTime = time.Second

// lookForNotes begins to look at the workspace's notes, beside the gate, in what
// the lane holds now.
func (f *flow) lookForNotes(ctx context.Context) {
	if f.opt.Workspace == nil || f.opt.Trial != "" || f.v.Bound.Unread {
		return
	}
	// Not under ctx: a signal that comes after the last command stops no verdict, and
	// this look is a part of it. noted ends it where there is none.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	done := make(chan noteLook, 1)
	site := noteSite{
		cfg: f.opt.Workspace, lane: f.opt.Lane, name: f.opt.lane(), cache: filepath.Join(f.opt.State, "notes"),
		store: f.opt.History.Store, now: f.v.Started, beside: true,
	}
	draft := f.draft
	go func() {
		defer cancel()
		if draft != nil {
			site.draft = draft()
		}
		done <- site.look(ctx)
	}()
	f.unlook = func() {
		cancel()
		select {
		case <-done:
		case <-f.opt.Hurry:
		case <-time.After(unlookTime):
		}
	}
	f.looked = func() noteLook {
		select {
		case l := <-done:
			return l
		default:
		}
		select {
		case l := <-done:
			return l
		case <-ctx.Done(): // who waits for a disk cannot be interrupted
			return noteLook{err: context.Cause(ctx)}
		}
	}
}

// noted holds the gate's notes against its run, and asks for attention where one
// has fallen.
func (f *flow) noted() {
	switch {
	case f.looked == nil:
		return
	case f.v.Outcome == Interrupted:
		f.unlook()
		return
	}
	l := f.looked()
	if l.err != nil {
		f.attend(notesUnknown+l.err.Error(), "gpuci notes says more")
		return
	}
	if l.cut != "" {
		f.mark("notes: " + l.cut)
	}
	f.badNotes(l.bad)
	reads := f.reader()
	for _, s := range l.list {
		_, gate := f.opt.Workspace.Gate(s.About)
		switch {
		case gate && s.About != f.gate.Name:
			continue
		case !gate && !exists(filepath.Join(f.opt.Root, s.About)):
			f.mark(fmt.Sprintf("the note at %s is about %s, which is no gate and no file here: mend or remove it", s.At(), s.About))
			continue
		case !gate && !reads(s.About):
			continue
		}
		f.predicted(&s)
		f.note(s)
	}
}

// badNotes says what looks like a note and is none: of this gate where it says so,
// else of all.
func (f *flow) badNotes(list []notes.Bad) {
	for _, b := range list {
		_, other := f.opt.Workspace.Gate(b.About)
		text := fmt.Sprintf("the note at %s cannot be read: %s", b.At(), b.Why)
		switch {
		case b.About == f.gate.Name:
			f.attend(text, "mend it or remove it: "+b.At())
		case !other:
			f.mark(text)
		}
	}
}

// reader says of a path, from the directory of gpuci.toml, whether the gate can have
// read it. Of a directory that is always so.
func (f *flow) reader() func(path string) bool {
	var snap *inputs.Snapshot
	return func(path string) bool {
		info, err := os.Stat(filepath.Join(f.opt.Root, path))
		if err != nil || info.IsDir() || f.rec == nil {
			return true
		}
		if snap == nil {
			s, err := inputs.Load(f.rec.dir)
			if err != nil {
				return true
			}
			snap = &s
		}
		rel, err := filepath.Rel(f.opt.Lane.Root, filepath.Join(f.opt.Root, path))
		return err != nil || snap.Reads(filepath.ToSlash(rel))
	}
}

// note puts a note into the verdict.
func (f *flow) note(s notes.Standing) {
	n := stateOf(s)
	f.v.Notes = append(f.v.Notes, n)
	for _, text := range n.Remarks {
		f.mark(fmt.Sprintf("note at %s: %s", n.At, text))
	}
	switch {
	case !n.Stale:
		return
	case f.stale < maxStale:
		f.attend(n.finding(f.v.Started), n.Next())
	case f.stale == maxStale:
		f.attend("more notes are stale", "gpuci notes --stale lists them all")
	}
	f.stale++
}

// maxStale is how many notes are told one by one: beyond, nobody reads on.
const maxStale = 10

// attend asks for attention where nothing worse has been found.
func (f *flow) attend(text, next string) {
	f.find(Attention, text)
	f.next(next)
	if f.v.Outcome == Green || f.v.Outcome == KnownRed {
		f.v.Outcome = Attention
	}
}
