package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// GraphKernel is a kernel of a graph, by its symbol.
type GraphKernel struct {
	Name     string `json:"name"`
	Symbol   string `json:"symbol"`
	Nodes    int64  `json:"nodes"`
	Launches int64  `json:"launches"` // nodes x launches of the graph
}

// known says whether it is known which kernels a graph holds: those that were captured are
// as many as it has. A graph that was changed since, holds another one, or was not made by
// a capture alone has others.
func (c *capturing) known(graph uint32, nodes Nodes) bool {
	n := int64(0)
	for _, times := range c.execs[graph] {
		n += times
	}
	return n > 0 && n == int64(nodes.Kernels)
}

// within are the kernels of a graph, those with most nodes first; nil where they are not known.
func (c *capturing) within(g *GraphRuns, n *Names) (list []GraphKernel) {
	if !c.known(g.Number, g.Nodes) {
		return nil
	}
	holds := c.execs[g.Number]
	for _, id := range slices.Sorted(maps.Keys(holds)) {
		k := n.Kernels[id]
		list = append(list, GraphKernel{cmp.Or(k.Name, unnamed), k.Symbol, holds[id], holds[id] * g.Times.N})
	}
	slices.SortStableFunc(list, func(a, b GraphKernel) int { return cmp.Compare(b.Nodes, a.Nodes) })
	return list
}

// graphKernelsShown is how many a graph's line has.
const graphKernelsShown = 4

// kernelsText are the kernels of a graph in a line; "" where they are not known.
func (g *GraphRuns) kernelsText() string {
	var parts []string
	for _, k := range g.Kernels[:min(len(g.Kernels), graphKernelsShown)] {
		parts = append(parts, fmt.Sprintf("%d x %s", k.Nodes, fit(k.Name, 24)))
	}
	if n := len(g.Kernels) - graphKernelsShown; n > 0 {
		parts = append(parts, fmt.Sprintf("and %s more", many(int64(n), "kernel")))
	}
	return strings.Join(parts, ", ")
}
