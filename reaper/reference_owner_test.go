package reaper_test

import (
	"slices"
	"strings"

	"gpuci/reaper"
)

// treeOwner is whose a tree is, the last part of point 7; "" is nobody's.
func (r *reference) treeOwner(top int) string {
	if own := r.owner(top); own != "" || !r.may(clauseTreeMembers, true) || r.foreign(top) {
		return own
	}
	var named []string
	for _, pid := range r.membersOf(top) {
		named = append(named, r.owner(pid))
	}
	return r.only(clauseTreeTwo, named)
}

// only is the one lane that is named; "" when there is none or a second one.
func (r *reference) only(c clause, named []string) string {
	named = slices.DeleteFunc(named, func(lane string) bool { return lane == "" })
	slices.Sort(named)
	named = slices.Compact(named)
	if len(named) == 0 || !r.must(c, len(named) == 1) {
		return ""
	}
	return named[0]
}

// owner is whose a process is, by the first evidence that there is; evidence
// for two lanes is no reason to look for more.
func (r *reference) owner(pid int) string {
	if r.foreign(pid) {
		return ""
	}
	evidence := []func(pid int) (lane string, there bool){r.byCwd, r.byExe, r.byFiles, r.byLeaf, r.byCookie}
	if r.options.without == clauseFirst {
		slices.Reverse(evidence)
	}
	for _, by := range evidence {
		if lane, there := by(pid); there {
			return lane
		}
	}
	return ""
}

// byExe is point 7b.
func (r *reference) byExe(pid int) (lane string, there bool) {
	exe := r.Processes[pid].Exe
	l, there := r.targetOf(exe.Path)
	return l.Name, there && r.may(clauseExe, r.must(clauseExeKnown, exe.Known()))
}

// byFiles is point 7c.
func (r *reference) byFiles(pid int) (lane string, there bool) {
	files, known := r.Facts.Files(pid)
	if !r.may(clauseFiles, r.must(clauseFilesKnown, known)) {
		return "", false
	}
	var named []string
	for _, file := range files {
		if l, in := r.targetOf(file); in {
			named = append(named, l.Name)
		}
	}
	lane = r.only(clauseFilesTwo, named)
	return lane, lane != "" || len(named) > 0 && r.may(clauseFilesFinal, true)
}

// byLeaf is point 7d.
func (r *reference) byLeaf(pid int) (lane string, there bool) {
	leaf, known := r.Facts.Leaf(pid)
	lane = r.Runs[leaf].Lane
	return lane, r.may(clauseLeaf, r.must(clauseLeafKnown, known) && lane != "")
}

// byCookie is point 7e.
func (r *reference) byCookie(pid int) (lane string, there bool) {
	cookie, known := r.Facts.Cookie(pid)
	var named []string
	for _, run := range cookie {
		its := r.Runs[run].Lane
		if its == "" && !r.must(clauseCookieUnknown, false) {
			return "", false
		}
		named = append(named, its)
	}
	lane = r.only(clauseCookieTwo, named)
	return lane, r.may(clauseCookie, r.must(clauseCookieKnown, known) && lane != "")
}

// targetOf is the lane whose target directory a path is in.
//
// Of a path in two target directories, one below the other, the lower one says
// whose it is; when two lanes share that one, or its lane is removed, it is
// nobody's.
func (r *reference) targetOf(path string) (lane reaper.Lane, there bool) {
	var in []reaper.Lane
	for _, l := range r.lanes {
		if l.Target != "" && r.inside(clauseTargetComponent, path, l.Target) {
			in = append(in, l)
		}
	}
	if r.options.without == clauseSharedHides {
		in = slices.DeleteFunc(slices.Clone(in), func(l reaper.Lane) bool {
			return slices.ContainsFunc(in, func(o reaper.Lane) bool { return o.Target == l.Target && o != l })
		})
	}
	if r.options.without == clauseRemovedHides {
		in = slices.DeleteFunc(in, func(l reaper.Lane) bool { return l.Removed })
	}
	in = r.longest(clauseTargetLongest, in, func(l reaper.Lane) string { return l.Target })
	if len(in) == 0 || !r.must(clauseTargetShared, len(in) == 1) || !r.must(clauseTargetRemoved, !in[0].Removed) {
		return reaper.Lane{}, false
	}
	return in[0], true
}

// longest are the lanes below whose directory no other one's is.
func (r *reference) longest(c clause, lanes []reaper.Lane, directory func(reaper.Lane) string) (out []reaper.Lane) {
	for _, l := range lanes {
		shorter := func(o reaper.Lane) bool { return len(directory(o)) < len(directory(l)) }
		longer := func(o reaper.Lane) bool { return len(directory(o)) > len(directory(l)) }
		if r.options.without == c && !slices.ContainsFunc(lanes, shorter) ||
			r.options.without != c && !slices.ContainsFunc(lanes, longer) {
			out = append(out, l)
		}
	}
	return out
}

// inside says whether a path is a directory or in it; without the clause, by
// the letters alone.
func (r *reference) inside(c clause, path, directory string) bool {
	if r.options.without == c {
		return strings.HasPrefix(path, directory)
	}
	return path == directory || strings.HasPrefix(path, directory+"/")
}
