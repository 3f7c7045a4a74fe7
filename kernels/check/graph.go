package check

import "strings"

// Graph is a captured graph, and what is launched beside it.
type Graph struct {
	Name    string
	Entries []string // that it holds
	Outside []string // that are launched outside of it too
	Place
}

// disputed is what is known of a handle that is used in two ways.
const disputed = "the harm is disputed: graphs hold a function by its handle, and some have seen a module's unloading or an attribute set for one use change the other"

func (s *set) graphs(list []Graph) []Finding {
	var all []Finding
	first := make(map[string]string) // graph by entry
	for _, g := range list {
		for _, n := range g.Entries {
			if o, ok := first[n]; ok && o != g.Name {
				all = append(all, Finding{
					Rule: "graph-shared", Kernel: n, File: g.File, Line: g.Line, Note: true,
					Expected: "a handle of its own in each graph", Found: "in the graphs " + o + " and " + g.Name,
					Harm: disputed, Next: "look the function up once for each graph, where results differ",
				})
			}
			if _, ok := first[n]; !ok {
				first[n] = g.Name
			}
		}
	}
	for _, g := range list {
		for _, n := range g.Outside {
			if in, ok := first[n]; ok {
				all = append(all, Finding{
					Rule: "graph-outside", Kernel: n, File: g.File, Line: g.Line, Note: true,
					Expected: "a handle that is used in a graph only", Found: "in the graph " + in + ", and launched outside",
					Harm: disputed, Next: "look the function up once more for the launches outside, where results differ",
				})
			}
		}
		for _, n := range append(append([]string(nil), g.Entries...), g.Outside...) {
			if len(s.modules) > 0 && len(s.find(n, "")) == 0 {
				all = append(all, Finding{
					Rule: "graph-entry", Kernel: n, File: g.File, Line: g.Line,
					Expected: "an entry of a module", Found: "none in " + s.counted(),
					Harm: "nothing is known of what graph " + strings.TrimSpace(g.Name) + " holds", Next: s.meant(n, "name a kernel that is there"),
				})
			}
		}
	}
	return all
}
