package main

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"gpuci/gates"
)

// scopeRow is what an outcome covers, on a line; "" where nothing is known of it.
func scopeRow(v gates.Verdict) string {
	var parts []string
	for _, x := range v.Scope {
		parts = append(parts, x.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "covers " + strings.Join(parts, "; ")
}

// scopeText is the answer of `gpuci scope` for people.
func (a *app) scopeText(s gates.Scopes) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	gaps := 0
	for _, x := range s.Axes {
		if x.Gap > 0 {
			gaps++
		}
		fmt.Fprintln(w, strings.Join(nonempty(printable(x.Gate), printable(gapText(x)), printable("covers "+x.String()), printable(sinceText(x))), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, d := range s.Disagree {
		fmt.Fprintf(a.out, "%s, on this tree: one of them is wrong; find out which, by the records in gpuci history\n", printable(d.String()))
	}
	if n := len(s.Undescribed); n > 0 {
		fmt.Fprintf(a.out, "%s: %s; give %s a [gate.scope]\n", count(n, "gate does not say what it covers", "gates do not say what they cover"), printable(strings.Join(s.Undescribed, ", ")), oneMany(n, "it", "each"))
	}
	if gaps > 0 {
		fmt.Fprintf(a.out, "%s with a gap: cover it in the gate, or by another one with the same subject\n", count(gaps, "axis", "axes"))
	}
	return nil
}

// gapText is what no gate covers of an axis.
func gapText(x gates.GateScope) string {
	left := x.Left()
	if len(left) == 0 {
		return x.Axis + ": no gap"
	}
	text := fmt.Sprintf("%s: %d of %d not covered", x.Axis, len(left), len(x.Production))
	if x.Ratio > 0 && !math.IsInf(x.Ratio, 0) {
		text += fmt.Sprintf(", %.3g times away", x.Ratio)
	}
	return text
}

// sinceText is which run said so, where that is not the state that is here.
func sinceText(x gates.GateScope) string {
	switch {
	case x.Run == "":
		return "never run here: gpuci gate " + x.Gate
	case x.State == gates.ScopeUnknown:
		return "run it: gpuci gate " + x.Gate
	case !x.Passed:
		return "of a run that was " + x.Came() + ": gpuci gate " + x.Gate
	case x.State == gates.ScopeShown && x.Old:
		return "of an older state: gpuci gate " + x.Gate
	}
	return ""
}
