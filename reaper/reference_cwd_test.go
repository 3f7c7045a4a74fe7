package reaper_test

import (
	"gpuci/reaper"
	"slices"
)

// byCwd is point 7a.
//
// Reading: a lane and its removed predecessor of the same root own nothing
// where both count, which is a deleted cwd; that ends the search, as it does
// for files. A lane without a root has nothing in it.
func (r *reference) byCwd(pid int) (lane string, there bool) {
	in := r.cwdLanes(pid)
	switch {
	case len(in) == 0:
		return "", false
	case !r.must(clauseCwdTwo, len(in) == 1):
		return "", r.may(clauseCwdFinal, true)
	}
	return in[0].Name, true
}

// cwdLanes are the lanes that a working directory is in, without those that
// another one is inside of. Of a removed lane and a living one in its place a
// directory that is there is the living one's.
func (r *reference) cwdLanes(pid int) (in []reaper.Lane) {
	cwd := r.Processes[pid].Cwd
	if !r.must(clauseCwdKnown, cwd.Known()) || cwd.Deleted && !r.may(clauseDeleted, true) || !r.may(clauseCwd, true) {
		return nil
	}
	for _, l := range r.lanes {
		if l.Root != "" && r.inside(clauseCwdComponent, cwd.Path, l.Root) {
			in = append(in, l)
		}
	}
	removed := func(l reaper.Lane) bool { return l.Removed }
	if cwd.Deleted && r.options.without == clauseRemovedDeleted || !cwd.Deleted && r.options.without == clauseRemovedNobody {
		in = slices.DeleteFunc(in, removed)
	}
	in = r.longest(clauseCwdLongest, in, func(l reaper.Lane) string { return l.Root })
	if living := slices.DeleteFunc(slices.Clone(in), removed); !cwd.Deleted && len(living) > 0 {
		in = living
	}
	if r.options.without == clauseCwdNamesake {
		in = slices.CompactFunc(in, func(a, b reaper.Lane) bool { return a.Name == b.Name })
	}
	return in
}

// foreign says whether a process stands in a place that makes it nobody's,
// whatever else there is: in a work tree that is none of the lanes, or where a
// removed lane was.
//
// Reading: what is not known may be such a place; where two lanes count, or
// where the directory itself is not known, nobody asks.
func (r *reference) foreign(pid int) bool {
	cwd := r.Processes[pid].Cwd
	if !cwd.Known() {
		return false
	}
	in := r.cwdLanes(pid)
	switch {
	case len(in) == 0:
		dir, known := r.Facts.Checkout(pid, reaper.Lane{})
		return r.may(clauseElsewhereKnown, !known) || r.may(clauseElsewhere, known && dir != "")
	case !cwd.Deleted && in[0].Removed:
		return !r.must(clauseRemovedLive, false)
	case len(in) > 1:
		return false
	}
	dir, known := r.Facts.Checkout(pid, in[0])
	if in[0].Removed {
		return r.may(clauseReused, known && dir != "") || r.may(clauseCheckoutKnown, !known)
	}
	return r.may(clauseCheckout, known && dir != "") || r.may(clauseCheckoutKnown, !known)
}
