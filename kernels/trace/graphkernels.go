package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
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
	if c.unsure(graph) {
		return false
	}
	for _, times := range c.execs[graph] {
		n += times
	}
	return n > 0 && n == int64(nodes.Kernels)
}

// unsure says that nodes of a graph may be switched off: it runs some, and nobody knows which.
func (c *capturing) unsure(graph uint32) bool { return c.switched[graph] || c.switched[0] }

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

// kernelsText are the kernels of a graph in a line, as many as it has room for; "" where
// they are not known.
func (g *GraphRuns) kernelsText(width int) (text string) {
	for i, k := range g.Kernels {
		one, more := fmt.Sprintf("%d x %s", k.Nodes, fit(k.Name, 24)), ""
		if left := len(g.Kernels) - i - 1; left > 0 {
			more = fmt.Sprintf(", and %d more", left)
		}
		if i == 0 {
			text = fit(one, width-len(more))
			continue
		}
		if utf8.RuneCountInString(text+", "+one+more) > width {
			return text + fmt.Sprintf(", and %d more", len(g.Kernels)-i)
		}
		text += ", " + one
	}
	return text
}
