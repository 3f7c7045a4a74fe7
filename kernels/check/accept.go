package check

import (
	"path"
	"slices"
	"strconv"

	"gpuci/kernels/entry"
)

// Accept says of findings of a kind that somebody has looked at them and why they may
// stand.
type Accept struct {
	Kind   string // a rule of [Acceptable]
	Kernel string // a name or a pattern; "": of any
	In     string // where the finding is, or the module it is about; a name or a pattern; "": any
	Why    string
	Place
}

// Acceptable are the rules whose findings a person can know better: what could not be
// read or followed, what is meant to be so, and every note. What is measured and what
// breaks a launch is not among them.
func Acceptable() []string {
	return []string{
		"architecture", "budget-unknown", "entry-new", "entry-twice", "float-atomic-unknown", "graph-outside", "graph-shared", "host-unclear",
		"launch-unknown", "lookup-unknown", "module-unknown", "prebuilt-source", "prebuilt-unbuilt", "stale-toolkit",
	}
}

// Accepting parts findings into those that stand and those that somebody has accepted,
// with why. An acceptance of nothing is a note among the first.
func Accepting(all []Finding, list []Accept, modules []entry.Module) (left, accepted []Finding) {
	used := make([]bool, len(list))
	for _, f := range all {
		at := slices.IndexFunc(list, func(a Accept) bool { return a.covers(f, modules) })
		if at < 0 {
			left = append(left, f)
			continue
		}
		used[at] = true
		f.Accepted = list[at].Why
		accepted = append(accepted, f)
	}
	for i, a := range list {
		if !used[i] {
			left = append(left, a.unmatched())
		}
	}
	return left, accepted
}

func (a Accept) covers(f Finding, modules []entry.Module) bool {
	if a.Kind != f.Rule || !slices.Contains(Acceptable(), f.Rule) {
		return false
	}
	if a.In != "" && !fits(a.In, f.File) && !fits(a.In, f.Module) && !slices.ContainsFunc(modules, func(m entry.Module) bool {
		return fits(a.In, m.File) && label(m) == f.Module
	}) {
		return false
	}
	if a.Kernel == "" || a.Kernel == f.Kernel {
		return true
	}
	if f.Kernel == "" { // of several, or of none
		return a.Kernel == "*"
	}
	for _, m := range modules {
		for i := range m.Kernels {
			if k := &m.Kernels[i]; shown(k) == f.Kernel && Matches(a.Kernel, k) {
				return true
			}
		}
	}
	return Matches(a.Kernel, &entry.Kernel{Name: f.Kernel}) // a name that no module has
}

func (a Accept) unmatched() Finding {
	what := a.Kind
	if a.Kernel != "" {
		what += " of " + strconv.Quote(a.Kernel)
	}
	if a.In != "" {
		what += " in " + path.Clean(a.In)
	}
	return Finding{
		Rule: "accept-unmatched", Kernel: a.Kernel, File: a.File, Line: a.Line, Note: true,
		Expected: what, Found: "there is none",
		Harm: "none today: the next one of the kind is accepted unseen", Next: "leave it out of gpuci.toml",
	}
}
