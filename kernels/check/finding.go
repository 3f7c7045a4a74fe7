package check

import (
	"cmp"
	"slices"

	"gpuci/kernels/entry"
	"gpuci/kernels/host"
)

// Finding is something that does not hold, or a note.
type Finding struct {
	Rule     string `json:"rule"`
	Kernel   string `json:"kernel,omitempty"` // as it is shown: its readable name, where it has one
	Module   string `json:"module,omitempty"` // the file of device code, with its architecture where that matters
	File     string `json:"file,omitempty"`   // where to look: a host source, gpuci.toml, PTX
	Line     int    `json:"line,omitempty"`   // from 1; 0: none
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Harm     string `json:"harm"` // what happens at run time if it is ignored
	Next     string `json:"next"` // what to do
	Note     bool   `json:"note,omitempty"`
	Of       string `json:"of,omitempty"`       // of what an acceptance must say which code was looked at: that code, in eight letters
	Accepted string `json:"accepted,omitempty"` // why it may stand, in the words of gpuci.toml
}

// Place is where something was declared.
type Place struct {
	File string
	Line int
}

// Input is all that is held against each other.
type Input struct {
	Modules       []entry.Module
	Sources       map[string]string // what a module's file is made from, where that is known
	Hosts         []host.File
	Budgets       []Budget
	Entries       []Entries
	Launches      []Launch
	Deterministic []Deterministic
	Fresh         []Fresh
	Cards         []Card
	Graphs        []Graph
}

// Check makes every check that there is something for, and puts together what is so of
// several kernels or modules.
func Check(in Input) []Finding { return Together(Each(in)) }

// Each makes every check that there is something for. The findings are sorted by file,
// line, rule and kernel, and none is there twice. What can be accepted is one finding for
// each kernel and module.
func Each(in Input) []Finding {
	var all []Finding
	s := newSet(in.Modules)
	s.sources, s.fresh = in.Sources, in.Fresh
	all = append(all, s.budgets(in.Budgets)...)
	all = append(all, s.entries(in.Entries)...)
	all = append(all, s.twice()...)
	all = append(all, s.declared(in.Launches)...)
	all = append(all, s.hosts(in.Hosts)...)
	all = append(all, s.deterministic(in.Deterministic)...)
	all = append(all, stale(in.Fresh)...)
	all = append(all, s.cards(in.Cards, s.named(in.Hosts))...)
	all = append(all, s.graphs(in.Graphs)...)
	return sorted(all)
}

func sorted(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Expected, b.Expected),
			cmp.Compare(a.Found, b.Found), cmp.Compare(a.Harm, b.Harm), cmp.Compare(a.Next, b.Next),
		)
	})
	return slices.Compact(all)
}
