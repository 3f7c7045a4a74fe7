package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// keptTraces are how many recordings are kept where none is named: each launch is 32
// bytes, and a run of ten million is 320 MB.
const keptTraces = 20

// traceStore is where recordings are kept that have no name of the user's.
type traceStore struct {
	place
	dir  string
	runs string // of gates, which have recordings of their own
}

// storedTrace is a recording in it.
type storedTrace struct {
	ID, Dir string
	Meta    *trace.Meta // nil: none, or not one that can be read
	Named   bool        // -o put it where it is
}

// traceStore finds it: one for all lanes of a repository, one of the user's elsewhere.
func (a *app) traceStore(ctx context.Context) (traceStore, error) {
	p, err := a.place(ctx, false)
	if err != nil {
		return traceStore{}, err
	}
	state, note := gates.StateDir(p.lane, cmp.Or(p.lane.Root, p.dir))
	if note != "" {
		a.console.note(strings.Replace(note, "runs are recorded", "recordings are kept", 1))
	}
	runs := filepath.Join(state, "runs")
	if p.lane.CommonDir == "" {
		state = filepath.Dir(state)
	}
	return traceStore{p, filepath.Join(state, "traces"), runs}, nil
}

// openTrace is a recording that is being made. Its lock says so to others, who do not
// remove it.
type openTrace struct {
	dir, id string
	kept    bool // where the user said
	made    bool // its directory was not there
	lock    *flock.Flock
}

// make makes the directory of a recording.
func (s traceStore) make(out string) (openTrace, error) {
	id := gates.NewID(time.Now())
	t := openTrace{dir: filepath.Join(s.dir, id), id: id}
	if out != "" {
		t.dir, t.kept = s.path(out), true
		if holdsMore(t.dir) {
			return t, coded{gates.ExitUsage, fmt.Sprintf("-o %s: there is something in it already", out), "name a directory that is empty or not there yet: no recording is written over"}
		}
	}
	_, err := os.Lstat(t.dir)
	t.made = errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(t.dir, 0o777); err != nil {
		return t, coded{exitUnfit, fmt.Sprintf("make the directory of the recording: %v", err), "-o DIR keeps it elsewhere"}
	}
	if err := t.hold(); err != nil {
		return t, coded{exitUnfit, err.Error(), "-o DIR keeps it elsewhere"}
	}
	return t, nil
}

// ourFiles are those that a recording has of us.
var ourFiles = []string{"run.json", "steps.jsonl", "unmade"}

// holdsMore says whether a directory has anything but a lock, which a gpuci that was killed
// before it began leaves.
func holdsMore(dir string) bool {
	entries, _ := os.ReadDir(dir) // it need not be there
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != traceLock })
}

// hold takes the lock.
func (t *openTrace) hold() error {
	path := filepath.Join(t.dir, traceLock)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("lock the recording %s: its %s is no regular file", t.dir, traceLock)
	}
	t.lock = flock.New(path)
	switch got, err := t.lock.TryLock(); {
	case err != nil:
		return fmt.Errorf("lock the recording %s: %w", t.dir, err)
	case !got:
		return fmt.Errorf("lock the recording %s: another gpuci is making it", t.dir)
	}
	return nil
}

const traceLock = "lock"

// close says that it is made; with empty it is taken away: where the user named the place,
// what is ours of it, and the directory if we made it.
func (t openTrace) close(empty bool) {
	if t.lock != nil {
		_ = t.lock.Close()
		_ = os.Remove(filepath.Join(t.dir, traceLock))
	}
	switch {
	case empty && !t.kept:
		_ = os.RemoveAll(t.dir)
	case empty:
		for _, name := range ourFiles {
			_ = os.Remove(filepath.Join(t.dir, name))
		}
		if t.made {
			_ = os.Remove(t.dir) // if there is nothing else in it
		}
	}
}

// prune removes the oldest recordings beyond those that are kept, but none that is being
// made.
func (s traceStore) prune() error {
	list, err := s.list()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(t storedTrace) bool { return t.Named })
	for _, t := range list[min(len(list), keptTraces):] {
		if s.making(t) {
			continue
		}
		if err := os.RemoveAll(t.Dir); err != nil {
			return fmt.Errorf("remove an old recording: %w", err)
		}
	}
	return s.pruneNamed()
}

// making says whether a gpuci is at it. A pipe in the lock's place, in a directory of
// somebody else's, would hold whoever opens it.
func (s traceStore) making(t storedTrace) bool {
	path := filepath.Join(t.Dir, traceLock)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	lock := flock.New(path)
	got, err := lock.TryLock()
	_ = lock.Close()
	return err != nil || !got
}
