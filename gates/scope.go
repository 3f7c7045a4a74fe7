package gates

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuci/gates/config"
)

// ScopeState is how what a gate covers is known.
type ScopeState string

// A gate's coverage is shown by its own output, claimed in gpuci.toml alone, or
// not known: it was to be shown and was not.
const (
	ScopeShown   ScopeState = "shown"
	ScopeClaimed ScopeState = "claimed, not shown"
	ScopeUnknown ScopeState = "not shown"
)

// AxisScope is what a gate covers of one dimension of the shapes, held against
// those that production uses. Axes are held one by one: that two places were
// covered together is not said.
type AxisScope struct {
	Axis       string     `json:"axis"`
	State      ScopeState `json:"state"`
	Covered    []string   `json:"covered,omitempty"`
	Production []string   `json:"production,omitempty"`  // empty: gpuci.toml has no such axis
	Missing    []string   `json:"missing,omitempty"`     // of production, and not covered
	Unshown    []string   `json:"unshown,omitempty"`     // claimed, while others were shown and these not
	Elsewhere  []Cover    `json:"elsewhere,omitempty"`   // the missing ones that another gate of the subject covers
	NotCounted []Discount `json:"not-counted,omitempty"` // those that another one would cover, and why it does not
	Gap        float64    `json:"gap"`                   // share of production, 0 to 1, that neither covers
	Ratio      float64    `json:"ratio,omitempty"`       // of the farthest place of the gap to the nearest covered one
}

// Cover is a place that another gate of the same subject covers.
type Cover struct {
	Place string  `json:"place"`
	Gate  string  `json:"gate"`
	Run   string  `json:"run"`               // of the same tree
	Of    Outcome `json:"outcome,omitempty"` // of that run: green, or attention with green beneath
}

// Discount are places that another gate of the subject covers, or claims to, by a run
// that counts for nothing here.
type Discount struct {
	Gate   string   `json:"gate"`
	Places []string `json:"places"`
	Why    string   `json:"why"`
}

// axisScope holds an axis against what was shown on it.
func axisScope(name string, axis config.Axis, printed []spot) AxisScope {
	claimed, production := spotsOf(axis.Covered), spotsOf(axis.Production)
	a := AxisScope{Axis: name, State: ScopeShown, Production: texts(production)}
	switch {
	case len(printed) > 0 && !axis.Shown:
		a.Unshown = texts(without(claimed, printed))
	case len(printed) == 0 && axis.Shown:
		a.State = ScopeUnknown
	case len(printed) == 0:
		a.State = ScopeClaimed
		printed = claimed
	}
	a.Covered = texts(printed)
	missing := without(production, printed)
	a.Missing = texts(missing)
	a.measure()
	return a
}

// measure says how large the gap is that is left.
func (a *AxisScope) measure() {
	left := spotsOf(a.Left())
	a.Gap, a.Ratio = 0, 0
	if len(a.Production) > 0 {
		a.Gap = float64(len(left)) / float64(len(a.Production))
	}
	a.Ratio = farthest(left, spotsOf(append(a.elsewhere(), a.Covered...)))
}

// Left are the places of production that nobody covers.
func (a AxisScope) Left() []string {
	return texts(without(spotsOf(a.Missing), spotsOf(a.elsewhere())))
}

func (a AxisScope) elsewhere() (places []string) {
	for _, c := range a.Elsewhere {
		places = append(places, c.Place)
	}
	return places
}

// String says it in the words of the line below an outcome.
func (a AxisScope) String() string {
	text := a.Axis + " " + SpotsText(a.Covered, " ")
	if len(a.Covered) == 0 {
		text = a.Axis + " none"
	}
	if len(a.Production) == 0 {
		return text + " (no [gate.scope] says what production uses)"
	}
	text += " of production " + SpotsText(a.Production, " ")
	if a.State != ScopeShown {
		text += " (" + string(a.State) + ")"
	}
	by := make(map[string][]string)
	word := make(map[string]string)
	for _, c := range a.Elsewhere {
		by[c.Gate] = append(by[c.Gate], c.Place)
		word[c.Gate] = sideWord(c.Of, passes)
	}
	for _, gate := range slices.Sorted(maps.Keys(by)) {
		text += fmt.Sprintf(", %s by gate %s, %s on the same tree", SpotsText(by[gate], " "), gate, word[gate])
	}
	for _, d := range a.NotCounted {
		text += fmt.Sprintf(", not counted: %s by gate %s (%s)", SpotsText(d.Places, " "), d.Gate, d.Why)
	}
	return text
}

// scope writes down what the run covered, and marks a green that covers less than
// production uses: a gate over one chunk says nothing about sixteen.
func (f *flow) scope(failed bool) {
	said := f.judge.shown
	for _, text := range said.problems() {
		f.unscoped(failed, text, "print gpuci:scope AXIS=PLACE, on lines of their own")
	}
	for _, name := range slices.Sorted(maps.Keys(f.gate.Scope)) {
		a := axisScope(name, f.gate.Scope[name], said.of(name))
		f.unshown(failed, a)
		f.v.Scope = append(f.v.Scope, a)
	}
	f.elsewhere()
	f.skipped()
	for _, a := range f.v.Scope {
		if text := a.gapMark(); text != "" {
			f.mark(text)
		}
	}
	for _, name := range said.undeclared() {
		f.v.Scope = append(f.v.Scope, AxisScope{Axis: name, State: ScopeShown, Covered: texts(said.of(name))})
	}
}

// skipped marks places that a test may have shown before it was skipped: in the
// output of these harnesses nothing tells whose line it is.
func (f *flow) skipped() {
	t := f.v.Tests
	if t == nil || t.Ignored == 0 || f.gate.Reader != "pytest" && f.gate.Reader != "gotest" {
		return
	}
	if slices.ContainsFunc(f.v.Scope, func(a AxisScope) bool { return a.State == ScopeShown }) {
		f.mark(fmt.Sprintf("%s skipped, and may have shown before that what it covers: print gpuci:scope at a test's end", countOf(t.Ignored, "test was", "tests were")))
	}
}

// scopeGap begins the mark of an outcome that covers less than production uses.
const scopeGap = "scope gap: "

// gapMark is that mark; "" where there is no gap.
func (a AxisScope) gapMark() string {
	left := a.Left()
	if len(left) == 0 || a.State == ScopeUnknown {
		return ""
	}
	return fmt.Sprintf("%s%s = %s of production is not covered", scopeGap, a.Axis, SpotsText(left, ", "))
}

// unshown finds what was claimed and not shown. What failed may have stopped
// before it came to that, and arguments are there to narrow it.
func (f *flow) unshown(failed bool, a AxisScope) {
	text, next := "", "cover it again, or take it out of covered in gpuci.toml"
	switch {
	case len(a.Unshown) > 0:
		text = fmt.Sprintf("scope %s: %s is claimed in gpuci.toml, and the run did not show it (shown: %s)", a.Axis, SpotsText(a.Unshown, ", "), SpotsText(a.Covered, ", "))
	case a.State == ScopeUnknown:
		text = fmt.Sprintf("scope %s: no gpuci:scope line showed what is covered", a.Axis)
		next = fmt.Sprintf("print gpuci:scope %s=%s where the gate covers it", a.Axis, strings.Join(a.Production[:min(1, len(a.Production))], ""))
		if !failed && !f.v.Partial {
			f.unhide()
		}
	default:
		return
	}
	if f.v.Partial {
		f.mark("not covered by these arguments: " + text)
		return
	}
	f.unscoped(failed, text, next)
}

func (f *flow) unscoped(failed bool, text, next string) {
	if !failed {
		f.find(Broken, text)
		f.next(next)
	}
}
