package check

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Accept says of findings of a kind that somebody has looked at them and why they may
// stand.
type Accept struct {
	Kind   string   // a rule of [Acceptable]
	Kernel string   // a name or a pattern; "": of any
	In     string   // where the finding is, or the module it is about; a name or a pattern; "": any
	Of     []string // the code that was looked at, as the finding's Of says it; of a finding that has none, words of what was found; empty: whatever it says
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

// Accepting parts findings, each of one kernel and module, into those that stand and those
// that somebody has accepted, with why. An acceptance of nothing is a note among the
// first, and what was accepted of other code stands and says so.
func Accepting(all []Finding, list []Accept, modules []entry.Module) (left, accepted []Finding) {
	uses := make([]use, len(list))
	for _, f := range all {
		at, by := -1, -1
		for i, a := range list {
			if a.Kind == f.Rule {
				uses[i].ofKind++
			}
			switch {
			case !a.covers(f, modules):
			case !a.looked(f):
				by = i
				uses[i].other++
			case at < 0:
				at = i
				uses[i].taken++
			default:
				uses[i].before = list[at].Line
			}
		}
		if at >= 0 {
			f.Accepted = list[at].Why
			accepted = append(accepted, f)
			continue
		}
		if by >= 0 {
			f.Found += list[by].unlooked()
		}
		left = append(left, f)
	}
	for i, a := range list {
		if uses[i].taken == 0 && uses[i].other == 0 {
			left = append(left, a.unmatched(uses[i]))
		}
	}
	return left, accepted
}

// use is what an acceptance came to.
type use struct {
	taken  int // findings that it accepts
	other  int // that it would, if their code were the one that was looked at
	ofKind int // that are of its kind
	before int // the line of the acceptance that had one already, 0: none
}

// looked says whether what was looked at is what is there. What hides in code that is not
// understood is accepted of the code that somebody has read, and of no other.
func (a Accept) looked(f Finding) bool {
	if f.Of != "" || len(a.Of) > 0 {
		return slices.ContainsFunc(a.Of, func(of string) bool { return of != "" && (of == f.Of || f.Of == "" && strings.Contains(f.Found, of)) })
	}
	return true
}

// unlooked is why an acceptance does not hold, in words that follow what was found.
func (a Accept) unlooked() string {
	at := a.File + ":" + strconv.Itoa(a.Line)
	if len(a.Of) == 0 {
		return "; the acceptance in " + at + " does not say of which code it is"
	}
	return "; what was accepted in " + at + " is other code, or for another reason: " + strings.Join(a.Of, ", ")
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

func (a Accept) unmatched(u use) Finding {
	what := a.Kind
	if a.Kernel != "" {
		what += " of " + strconv.Quote(a.Kernel)
	}
	if a.In != "" {
		what += " in " + path.Clean(a.In)
	}
	f := Finding{
		Rule: "accept-unmatched", Kernel: a.Kernel, File: a.File, Line: a.Line, Note: true,
		Expected: what, Found: "there is none",
		Harm: "none today: the next one of the kind is accepted unseen", Next: "leave it out of gpuci.toml",
	}
	switch {
	case u.before > 0:
		f.Found = "the acceptance in line " + strconv.Itoa(u.before) + " has it already"
	case u.ofKind > 0:
		f.Found = "none is there, and " + strconv.Itoa(u.ofKind) + " of the kind elsewhere"
	}
	return f
}
