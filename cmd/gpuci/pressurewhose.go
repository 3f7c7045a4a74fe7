package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// seat is where a process belongs.
type seat struct {
	lane    worktrees.Tree // the zero one outside of all lanes
	dir     string         // its working directory, "" where that cannot be seen
	unknown string         // why nothing is known
}

// seatPatience is how long all processes together may take to be asked. What
// is asked does not wait for a process in D, but a path on a file system whose
// server is gone may be looked at on the way.
const seatPatience = 2 * time.Second

// seatsOf finds out where processes belong, each for itself: one that does not
// answer keeps nobody else waiting.
func seatsOf(ctx context.Context, root proc.Root, pids []int, lanes []worktrees.Tree) []seat {
	ctx, cancel := context.WithTimeout(ctx, seatPatience)
	defer cancel()
	type answer struct {
		at int
		seat
	}
	answers := make(chan answer, len(pids))
	out := make([]seat, len(pids))
	for i, pid := range pids {
		out[i].unknown = "did not answer in time"
		go func() { answers <- answer{i, seatOf(root, pid, lanes)} }()
	}
	for range out {
		select {
		case a := <-answers:
			out[a.at] = a.seat
		case <-ctx.Done():
			return out
		}
	}
	return out
}

// seatOf finds where a process works, else where its program is from, else where
// it has a file open.
func seatOf(root proc.Root, pid int, lanes []worktrees.Tree) seat {
	cwd, err := root.Cwd(pid)
	if err != nil {
		return seat{unknown: "ended meanwhile"}
	}
	var s seat
	found := func(path string) (ok bool) {
		s.lane, ok = worktrees.Of(lanes, path)
		return ok
	}
	if cwd.Known() {
		if s.dir = cwd.Path; found(cwd.Path) {
			return s
		}
	}
	if exe, err := root.Exe(pid); err == nil && exe.Known() && found(exe.Path) {
		return s
	}
	files, _, err := root.FDs(pid)
	for _, f := range files {
		if strings.HasPrefix(f.Path, "/") && found(f.Path) {
			return s
		}
	}
	if !cwd.Known() && err != nil {
		s.unknown = "not ours to look at"
	}
	return s
}

// text is the seat in words.
func (s seat) text() string {
	switch {
	case s.lane.Root != "":
		return "lane " + s.lane.Name
	case s.dir != "":
		return "outside any lane, in " + s.dir
	case s.unknown != "":
		return "not known whose: " + s.unknown
	}
	return "outside any lane"
}

// brief is the seat within a sentence, where a long path would bury the rest.
func (s seat) brief() string {
	s.dir = shortPath(s.dir)
	return s.text()
}

// longestPath is what a path may have in a sentence, in characters.
const longestPath = 60

// shortPath cuts the middle out of a path that is too long: its end says what
// it is, and its beginning whose.
func shortPath(path string) string {
	r := []rune(path)
	if len(r) <= longestPath {
		return path
	}
	const head = longestPath / 3
	return string(r[:head]) + "…" + string(r[len(r)-(longestPath-head-1):])
}

// seatGroup are the processes in D of one place.
type seatGroup struct {
	where string
	lane  worktrees.Tree
	list  []stuckProcess
}

// byPlace groups processes by where they belong, the largest group first. Two
// lanes of one name are of two repositories, and these are of one: the name
// tells them apart.
func byPlace(list []stuckProcess) (out []seatGroup) {
	for _, s := range list {
		where := s.where.text()
		at := slices.IndexFunc(out, func(g seatGroup) bool { return g.where == where })
		if at < 0 {
			at = len(out)
			out = append(out, seatGroup{where: where, lane: s.where.lane})
		}
		out[at].list = append(out[at].list, s)
	}
	slices.SortStableFunc(out, func(a, b seatGroup) int {
		return cmp.Or(len(b.list)-len(a.list), cmp.Compare(a.where, b.where))
	})
	return out
}

// title is the heading of a group.
func (g seatGroup) title() string {
	if g.lane.Root == "" {
		return buildlock.Printable(g.where)
	}
	return buildlock.Printable(fmt.Sprintf("%s (%s)", g.where, filepath.Clean(g.lane.Root)))
}
