//go:build linux

package main_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// linkers are the programs a link ends in, by the base name of the executable.
// The compiler driver and collect2 above them are not counted.
var linkers = []string{"ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "rust-lld", "mold", "ld.mold", "wild", "nvlink"}

// isLinker knows a linker also by a target in front (x86_64-linux-gnu-ld.bfd,
// which is what Debian's ld is).
func isLinker(base string) bool {
	return slices.ContainsFunc(linkers, func(l string) bool {
		return base == l || strings.HasSuffix(base, "-linux-gnu-"+l)
	})
}

// link is one run of a linker with the children it forked without exec.
type link struct {
	pid        int
	tool       string
	start, end uint64 // nanoseconds of the monotonic clock; end 0: still alive
	late       uint64 // how long after start the watcher looked who else was alive
}

func (l link) String() string {
	return fmt.Sprintf("%s (pid %d, %.3f to %.3f ms, looked at %.3f ms late)", l.tool, l.pid, float64(l.start)/1e6, float64(l.end)/1e6, float64(l.late)/1e6)
}

// links is what a watch has seen.
type links []link

// most is the highest number alive at one moment, with those that were. One
// that starts at the moment another ends does not overlap with it.
func (ls links) most() (int, links) {
	type step struct {
		at    uint64
		delta int
		link  link
	}
	var steps []step
	for _, l := range ls {
		steps = append(steps, step{l.start, 1, l}, step{l.end, -1, l})
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta)) })
	var alive, worst links
	for _, s := range steps {
		if s.delta < 0 {
			alive = slices.DeleteFunc(alive, func(l link) bool { return l == s.link })
			continue
		}
		alive = append(alive, s.link)
		if len(alive) > len(worst) {
			worst = slices.Clone(alive)
		}
	}
	return len(worst), worst
}

// slack is how long a linker that has ended may be kept from saying so, in
// nanoseconds, by whatever keeps the machine busy; 3 ms have been seen.
const slack = 10e6

// unclear says that more than n at once may be an appearance: it takes links
// that the watcher looked at too late to see whether the one before had ended,
// and that began just before that one said so.
func (ls links) unclear(n int) bool {
	trimmed := slices.Clone(ls)
	for i := range trimmed {
		for _, later := range ls {
			if l := &trimmed[i]; later.late > prompt && l.start < later.start && later.start < l.end && l.end-later.start < slack {
				l.end = later.start
			}
		}
	}
	strict, _ := ls.most()
	lenient, _ := trimmed.most()
	return strict > n && lenient <= n
}

// wantMost fails the test when more than n linkers were alive at once.
func (ls links) wantMost(t *testing.T, n int) {
	t.Helper()
	if most, who := ls.most(); most > n {
		t.Errorf("%d linkers alive at once, want at most %d: %v", most, n, who)
	}
}

// wantAtLeast fails the test when never n linkers were alive at once: then it
// has not shown anything.
func (ls links) wantAtLeast(t *testing.T, n int) {
	t.Helper()
	if most, _ := ls.most(); most < n {
		t.Errorf("of %d links never more than %d were alive at once: this build cannot show what the test is about (want %d)", len(ls), most, n)
	}
}

func TestWatchCountsOverlap(t *testing.T) {
	for name, c := range map[string]struct {
		seen links
		want int
	}{
		"none":                   {nil, 0},
		"one after another":      {links{{pid: 1, start: 1, end: 5}, {pid: 2, start: 5, end: 9}}, 1},
		"two":                    {links{{pid: 1, start: 1, end: 6}, {pid: 2, start: 5, end: 9}}, 2},
		"three, two at any time": {links{{pid: 1, start: 1, end: 6}, {pid: 2, start: 5, end: 9}, {pid: 3, start: 7, end: 8}}, 2},
		"the same pid again":     {links{{pid: 1, start: 1, end: 2}, {pid: 1, start: 3, end: 4}}, 1},
	} {
		if got, who := c.seen.most(); got != c.want {
			t.Errorf("%s: most = %d %v, want %d", name, got, who, c.want)
		}
	}
}

func TestWatchSaysUnclear(t *testing.T) {
	for name, c := range map[string]struct {
		seen links
		want bool
	}{
		"looked at in time":     {links{{pid: 1, end: 30e6}, {pid: 2, start: 29e6, end: 50e6, late: prompt}}, false},
		"too late":              {links{{pid: 1, end: 30e6}, {pid: 2, start: 29e6, end: 50e6, late: prompt + 1}}, true},
		"too late, but far off": {links{{pid: 1, end: 30e6}, {pid: 2, start: 20e6, end: 50e6, late: prompt + 1}}, false},
		"a third one":           {links{{pid: 1, end: 30e6}, {pid: 2, start: 29e6, end: 50e6, late: prompt + 1}, {pid: 3, start: 40e6, end: 60e6}}, false},
	} {
		if got := c.seen.unclear(1); got != c.want {
			t.Errorf("%s: unclear = %v, want %v", name, got, c.want)
		}
	}
}
