package main

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"

	"gpuci/reaper"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// suspect is a process that was judged, with what is shown beside it.
type suspect struct {
	reaper.Judged
	depth int      // below the top of its tree
	io    *proc.IO // so far; nil where it is not known
	noIO  string   // why it is not
	dying bool     // SIGKILL waits for it to run
}

// suspectTree is a topmost process with those below it, parents before their
// children and each child after its parent.
type suspectTree []suspect

func (t suspectTree) top() suspect { return t[0] }

// leaked is how many of them are.
func (t suspectTree) leaked() (n int) {
	for _, s := range t {
		n += 1 - rank(s.Leaked)
	}
	return n
}

// treesOf puts what was judged into its trees: those of a lane together, in the
// order of the lanes, those of none last; leaked ones before others.
func treesOf(list []reaper.Judged, lanes []worktrees.Tree) (trees []suspectTree) {
	byTop := make(map[int][]reaper.Judged)
	var tops []int
	for _, j := range list {
		if byTop[j.Top] == nil {
			tops = append(tops, j.Top)
		}
		byTop[j.Top] = append(byTop[j.Top], j)
	}
	for _, top := range tops {
		trees = append(trees, treeOf(byTop[top]))
	}
	place := func(t suspectTree) int {
		at := slices.IndexFunc(lanes, func(l worktrees.Tree) bool { return l.Name == t.top().Lane })
		if at < 0 {
			return len(lanes)
		}
		return at
	}
	slices.SortStableFunc(trees, func(x, y suspectTree) int {
		return cmp.Or(place(x)-place(y), rank(x.leaked() > 0)-rank(y.leaked() > 0), x.top().PID-y.top().PID)
	})
	return trees
}

// treeOf arranges one tree. What hangs in it by a process that was not judged
// stands right below the top.
func treeOf(list []reaper.Judged) (out suspectTree) {
	in := make(map[int]bool)
	for _, j := range list {
		in[j.PID] = true
	}
	below := make(map[int][]reaper.Judged) // 0 is above the top
	for _, j := range list {
		parent := j.PPID
		switch {
		case j.PID == j.Top, !in[j.Top]:
			parent = 0
		case !in[parent]:
			parent = j.Top
		}
		below[parent] = append(below[parent], j)
	}
	var add func(pid, depth int)
	add = func(pid, depth int) {
		for _, j := range below[pid] {
			out = append(out, suspect{Judged: j, depth: depth})
			add(j.PID, depth+1)
		}
	}
	add(0, 0)
	return out
}

// readIO adds what each has read and written so far, and whether it has its
// SIGKILL.
func (t suspectTree) readIO(root proc.Root) {
	for i := range t {
		t[i].io, t[i].noIO = ioOf(root, t[i].Stat)
		t[i].dying = pending(root, t[i].PID)
	}
}

// pending says that SIGKILL waits for a process to run. Since when is not to be
// had.
func pending(root proc.Root, pid int) bool {
	st, err := root.Status(pid)
	return err == nil && (st.SharedPending.Has(unix.SIGKILL) || st.Pending.Has(unix.SIGKILL))
}

// stateText is its state, and what it waits for.
func (s suspect) stateText() string {
	if s.dying {
		return string(s.State) + ", SIGKILL pending (since unknown)"
	}
	return string(s.State)
}

func ioOf(root proc.Root, s proc.Stat) (*proc.IO, string) {
	io, err := root.IO(s.PID)
	if now, gone := root.Stat(s.PID); err == nil && (gone != nil || now.Start != s.Start) {
		err = proc.ErrGone
	}
	switch {
	case err == nil:
		return &io, ""
	case errors.Is(err, fs.ErrPermission):
		return nil, noIORight
	case errors.Is(err, proc.ErrGone):
		return nil, "it has ended"
	}
	return nil, err.Error()
}
