package ci

import (
	"fmt"
	"slices"

	"gpuci/gates"
	"gpuci/gates/metric"
)

// faults are what a gate is red for, as far as it can be told: two reds are held
// against each other by it.
type faults struct {
	named []string // failed tests, bars, witnesses, the exit status that came of them
	// unnamed says what is wrong besides that has no name: nobody can tell then
	// whether another red is the same. "" where all of it is named.
	unnamed string
}

// faultsOf reads a verdict that is red.
func faultsOf(v gates.Verdict) (f faults) {
	reasons := 0 // findings that are accounted for
	failed := v.Tests != nil && v.Tests.Failed > 0
	if failed {
		for _, name := range v.Tests.Names {
			f.named = append(f.named, "test "+name)
		}
		if n := v.Tests.Failed - len(v.Tests.Names); n > 0 {
			f.unname("%d of %s are not named", n, countOf(v.Tests.Failed, "failed test"))
		}
	}
	for _, b := range v.Bars {
		if b.State == metric.Crossed {
			f.named = append(f.named, "bar "+b.Metric)
			reasons++
		}
	}
	for _, w := range v.Witnesses {
		if w.State == metric.Crossed {
			f.named = append(f.named, "witness "+w.Name)
			reasons++
		}
	}
	if f.ended(v.Command, failed); failed || f.unnamed != "" {
		reasons++
	}
	f.rest(v.Findings, reasons)
	return f
}

// ended is how the command ended: that it failed is the failed tests' doing if
// there are any, and else has no name.
func (f *faults) ended(c *gates.Ended, failed bool) {
	switch {
	case c == nil || c.Exit == 0 && c.Signal == "":
	case c.Signal != "":
		f.unname("the command was ended by %s", c.Signal)
	case failed:
		f.named = append(f.named, fmt.Sprintf("exit status %d", c.Exit))
	default:
		f.unname("the command failed (exit status %d), which says not in what", c.Exit)
	}
}

// rest are findings beyond those that have a name: counts that contradict each
// other, something that broke besides.
func (f *faults) rest(list []gates.Finding, reasons int) {
	red := 0
	for _, one := range list {
		switch {
		case one.Outcome == gates.Green, one.Outcome == gates.KnownRed, one.Outcome == gates.Attention, one.Overdue():
			continue
		case one.Outcome == gates.Red:
			if red++; red <= reasons {
				continue
			}
		}
		f.unname("%s", one.Text)
	}
	if len(f.named) == 0 {
		f.unname("nothing says for what")
	}
}

// unname keeps the first thing that has no name.
func (f *faults) unname(format string, args ...any) {
	if f.unnamed == "" {
		f.unnamed = fmt.Sprintf(format, args...)
	}
}

// text names the first of them.
func (f faults) text() string {
	if f.unnamed != "" {
		return f.unnamed
	}
	return firstFew(f.named)
}

// beyond are the faults that another one has not: as often as here, since tests of
// two suites can have one name.
func (f faults) beyond(other faults) (out []string) {
	rest := slices.Clone(other.named)
	for _, s := range f.named {
		if i := slices.Index(rest, s); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		out = append(out, s)
	}
	return out
}
