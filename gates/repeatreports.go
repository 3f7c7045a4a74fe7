package gates

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"gpuci/gates/reader"
	"gpuci/worktrees"
)

// reportsAside keeps the files that a reader counts in (junit:GLOB) apart by the runs
// that wrote them: a tool that writes over a file what it held would otherwise look as
// if it had written none. Before each run what the run before wrote goes into the
// directory of the run's record, and so does what is there exactly as earlier repeats
// of this gate left it; what no run has written anew comes back. Nothing else is
// touched: not what git tracks, nor what was there before and holds what it held, which
// a run may read.
type reportsAside struct {
	reader, dir, to string
	git             bool // the lane is a repository's
	memory          reportsLeft
	note            func(format string, args ...any)

	was     map[string]reportSeen // before the run that is on its way
	tracked map[string]map[string]bool
	journal asideJournal
}

// reportSeen is a report as it was before a run.
type reportSeen struct {
	mark string // of its file, see markOf
	sum  [sha256.Size]byte
	read bool // sum is of all of it
}

// maxReports bounds what is read of reports before a run, in bytes: those that are
// not read are not moved, unless their names are new.
const maxReports = 256 << 20

// newReportsAside is for one gate that is repeated.
func (f *flow) newReportsAside() *reportsAside {
	a := &reportsAside{reader: f.gate.Reader, dir: filepath.Join(f.opt.Root, f.gate.Dir), to: f.rec.dir, git: f.opt.Lane.Root != "", note: f.opt.note}
	a.journal = asideJournal{path: filepath.Join(f.rec.dir, asideName), Dir: a.dir}
	if f.opt.Trial == "" { // a scratch lane is not come back to
		a.memory = reportsLeft{filepath.Join(f.opt.State, "reports", laneKey(a.dir, f.gate.Name)+".json")}
	}
	return a
}

// before moves away what is not to be taken for run i's, and remembers the rest.
func (a *reportsAside) before(ctx context.Context, i int) error {
	paths, err := reader.Reports(a.reader, a.dir)
	if err != nil || len(paths) == 0 {
		return nil // the reader says so
	}
	var ours []string
	left := a.memory.read()
	for _, path := range paths {
		mark := markOf(path)
		wrote := left[path] != "" && left[path] == mark
		if i > 1 {
			wrote = a.wrote(path, mark)
		}
		if mark != "" && wrote && !a.tracks(ctx, path) {
			ours = append(ours, path)
		}
	}
	if err := a.moveAway(ours, i-1); err != nil {
		return fmt.Errorf("move a report aside before run %d: %w", i, err)
	}
	a.look(paths)
	return ctx.Err()
}

// wrote says whether the run before wrote a file: its name is new, or it holds what it
// did not hold. A touch is none.
func (a *reportsAside) wrote(path, mark string) bool {
	was, there := a.was[path]
	if !there {
		return true
	}
	if was.mark == mark || !was.read {
		return false
	}
	sum, err := sumOf(path)
	return err == nil && sum != was.sum
}

// look remembers what is there before a run.
func (a *reportsAside) look(paths []string) {
	a.was = make(map[string]reportSeen)
	room := int64(maxReports)
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			continue // it was moved
		}
		seen := reportSeen{mark: markOf(path)}
		if room -= info.Size(); room >= 0 && seen.mark != "" {
			seen.sum, err = sumOf(path)
			seen.read = err == nil
		}
		a.was[path] = seen
	}
}

// moveAway moves files to what is kept of a run; 0 is what was there before the first.
func (a *reportsAside) moveAway(paths []string, run int) error {
	var moves [][2]string
	for _, from := range paths {
		rel, err := filepath.Rel(a.dir, from)
		if err != nil {
			return err
		}
		moves = append(moves, [2]string{from, filepath.Join(a.to, fmt.Sprintf("reports-%d", run), rel)})
	}
	if err := a.journal.add(moves); err != nil || len(moves) == 0 {
		return err
	}
	for _, m := range moves {
		if err := move(m[0], m[1]); err != nil {
			return err
		}
	}
	return nil
}

// tracks says whether git tracks a file, or may: where it cannot be asked.
func (a *reportsAside) tracks(ctx context.Context, path string) bool {
	dir := filepath.Dir(path)
	names, known := a.tracked[dir]
	if !known && a.git {
		var err error
		if names, err = worktrees.TrackedIn(ctx, dir); err != nil {
			return true
		}
		if a.tracked == nil {
			a.tracked = make(map[string]map[string]bool)
		}
		a.tracked[dir] = names
	}
	return names[filepath.Base(path)]
}

// back gives back what is not there any more, the latest of each, and remembers what
// the runs leave, for the next repeats of the gate.
func (a *reportsAside) back() {
	if _, err := a.journal.back(); err != nil {
		a.note("a report that was moved aside could not be put back, and lies in %s: %v", a.to, err)
	} else {
		a.journal.close()
	}
	paths, err := reader.Reports(a.reader, a.dir)
	if err != nil || len(paths) == 0 {
		return
	}
	left := a.memory.read()
	now := make(map[string]string)
	for _, path := range paths {
		mark := markOf(path)
		if mark != "" && a.was != nil && (left[path] == mark || a.wrote(path, mark)) || a.journal.moved(path) {
			now[path] = mark
		}
	}
	a.memory.write(now)
}

// drop removes what is kept, but for what comes back.
func (a *reportsAside) drop() {
	a.back()
	for _, m := range a.journal.Moved {
		if _, err := os.Lstat(m[0]); err == nil {
			_ = os.Remove(m[1])
			for dir := filepath.Dir(m[1]); dir != a.to && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
			}
		}
	}
}
