package ab

import (
	"slices"
	"strings"

	"gpuci/gates/ab/judge"
)

// unreadMark marks a tie of arms that differ by variables or arguments alone, where no
// sample tells them apart: a name that was misspelt looks the same.
func (r *Report) unreadMark() {
	base, arm := r.Arms[0], r.Arms[1]
	if r.Judged.Verdict != judge.Tie || r.AA || base.Tree == "" || base.Tree != arm.Tree {
		return
	}
	for _, x := range r.Judged.Answers {
		if x.Rounds == 0 || x.Interval.Low > 0 || x.Interval.High < 0 {
			return
		}
	}
	if names := onlyIn(base.Arm, arm.Arm); len(names) > 0 {
		r.mark("whether the program reads " + strings.Join(names, ", ") + " is not known to gpuci: the samples of arm " + arm.Name + " do not differ from the base's")
	}
}

// onlyIn are the variables and arguments by which two arms differ.
func onlyIn(a, b Arm) (names []string) {
	for _, pair := range [][2][]string{{a.Env, b.Env}, {b.Env, a.Env}} {
		for _, v := range pair[0] {
			if name, _, _ := strings.Cut(v, "="); !slices.Contains(pair[1], v) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if slices.Equal(a.Args, b.Args) {
		return names
	}
	for _, w := range slices.Concat(a.Args, b.Args) {
		if slices.Contains(a.Args, w) != slices.Contains(b.Args, w) && !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	return names
}
