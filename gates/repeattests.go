package gates

import (
	"fmt"
	"slices"

	"gpuci/gates/reader"
)

// compareTests finds tests that pass in one run and fail in another, runs of which
// not as many tests ran, and runs of which not the same did.
func (f *flow) compareTests(r *Repeat, whole []int) {
	failing := make(map[string][]int)
	var order []string
	named := true
	var lines []string // what was counted, by index in whole
	for _, i := range whole {
		c := f.repeats.done[i].counts
		named = named && len(c.FailedNames) == c.Failed
		for _, name := range c.FailedNames {
			if failing[name] == nil {
				order = append(order, name)
			}
			if !slices.Contains(failing[name], i+1) {
				failing[name] = append(failing[name], i+1)
			}
		}
		lines = append(lines, fmt.Sprintf("%d passed, %d failed, %d ignored", c.Passed+c.Measured, c.Failed, c.Ignored))
	}
	found := len(r.Unstable)
	if named {
		for _, name := range order {
			if runs := failing[name]; len(runs) < len(whole) {
				r.Unstable = append(r.Unstable, Unstable{Kind: "test", Name: name, Runs: runs,
					Text: fmt.Sprintf("test %s failed in %d of %d runs (%s)", name, len(runs), len(whole), runsText(runs))})
			}
		}
	}
	which := f.compareRolls(whole)
	if f.v.Tests != nil && len(r.Unstable) == found && len(which) == 0 {
		if text, odd := grouped(lines, whole); text != "" {
			r.Unstable = append(r.Unstable, Unstable{Kind: "count", Name: "tests", Runs: odd, Text: "tests: " + text})
		}
	}
	r.Unstable = append(r.Unstable, which...)
}

// compareRolls finds the tests that ran in some of the runs only, where the harness
// names all that it counts.
func (f *flow) compareRolls(whole []int) (out []Unstable) {
	var rolls []*reader.Roll
	same := true
	for _, i := range whole {
		c := f.repeats.done[i].counts
		if c.Roll == nil || c.Roll.N != c.Ran()+c.Ignored {
			return nil
		}
		rolls = append(rolls, c.Roll)
		same = same && c.Roll.Equal(rolls[0])
	}
	if same {
		return nil
	}
	names, had := reader.Differing(rolls)
	for _, name := range names[:min(mostTests, len(names))] {
		text, odd := grouped(had[name], whole)
		if text == "" { // as often by that name, of which not as many were ignored
			text = "not as often in each run"
		}
		out = append(out, Unstable{Kind: "test", Name: name, Runs: odd, Text: fmt.Sprintf("test %s: %s", name, text)})
	}
	switch more := len(names) - len(out); {
	case len(out) == 0:
		out = append(out, Unstable{Kind: "count", Name: "tests", Text: "tests: not the same ones ran each time; there are too many to name"})
	case more > 0:
		out = append(out, Unstable{Kind: "count", Name: "tests", Text: fmt.Sprintf("tests: %d more did not run each time", more)})
	}
	return out
}

// mostTests bounds what is listed of tests that did not run each time: a harness can
// give all of them new names.
const mostTests = 5
