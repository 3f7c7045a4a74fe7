package trace

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// CapturedKernel is a kernel that was captured, by its symbol: the shape may be another.
type CapturedKernel struct {
	Name     string `json:"name"`
	Symbol   string `json:"symbol"`
	Captured int64  `json:"captured"`            // launches, all captures together
	Captures int64  `json:"captures"`            // in how many it was that ended well: each makes a graph
	Eager    int64  `json:"eager"`               // launches that ran at once
	Handles  int    `json:"handles"`             // of functions, that were captured; more where its module was loaded again
	Shared   int    `json:"handles-also-eager"`  // of these, launched outside of captures as well
	Ready    int64  `json:"ready,omitempty"`     // graphs with it that were made ready
	Replays  int64  `json:"replays,omitempty"`   // launches of these
	InGraphs int64  `json:"in-graphs,omitempty"` // its nodes x launches, of graphs whose kernels are known by name
}

// inCapture is one that is counted.
type inCapture struct{ launches, captures, ready int64 }

// captureGraphs is of how many graphs it is known what was captured into them.
const captureGraphs = 4096

// capturing knows which kernels are in which capture.
type capturing struct {
	kernels map[uint32]*inCapture       // by the first number of a symbol
	numbers map[uint32]bool             // of all that were captured
	symbol  map[uint32]uint32           // that number
	made    map[uint32]map[uint32]int64 // how often a graph holds each, by its handle
	execs   map[uint32]map[uint32]int64 // the same of one that was made ready, by its number
	of      map[uint32]uint32           // the handle of the graph that it was made of

	switched map[uint32]bool // nodes of one were switched off or on, by its number; 0: of any
}

func newCapturing(n *Names) *capturing {
	c := &capturing{
		kernels: map[uint32]*inCapture{}, numbers: map[uint32]bool{}, symbol: map[uint32]uint32{},
		made: map[uint32]map[uint32]int64{}, execs: map[uint32]map[uint32]int64{}, of: map[uint32]uint32{}, switched: map[uint32]bool{},
	}
	first := map[string]uint32{}
	for _, id := range slices.Sorted(maps.Keys(n.Kernels)) {
		symbol := n.Kernels[id].Symbol
		if _, ok := first[symbol]; !ok {
			first[symbol] = id
		}
		c.symbol[id] = first[symbol]
	}
	for id, g := range n.Graphs {
		handle, _ := strconv.ParseUint(strings.TrimPrefix(g.Of, "0x"), 16, 64) // what is no number is none
		c.of[id] = uint32(handle)
	}
	return c
}

// launched is one into a capture; nil: it is not known into which.
func (c *capturing) launched(e *Event, into *opened) {
	id := cmp.Or(c.symbol[e.Name], e.Name)
	k := c.kernels[id]
	if k == nil {
		k = &inCapture{}
		c.kernels[id] = k
	}
	k.launches++
	c.numbers[e.Name] = true
	if into != nil {
		into.seen[id]++
	}
}

// ended is a capture that has made a graph.
func (c *capturing) ended(o *opened, handle uint32) {
	for id := range o.seen {
		c.kernels[id].captures++
	}
	if _, again := c.made[handle]; handle != 0 && (again || len(c.made) < captureGraphs) {
		c.made[handle] = o.seen
	}
}

// ready is a graph that was made so.
func (c *capturing) ready(e *Event) {
	holds := c.made[c.of[e.Name]]
	if holds == nil || len(c.execs) >= captureGraphs {
		return
	}
	c.execs[e.Name] = holds
	for id := range holds {
		c.kernels[id].ready++
	}
}

// What is altered, in inject/record.h's numbers.
const (
	graphAltered = iota + 1 // one of that handle is made without a capture
	execAltered             // one that was made ready, by its number
	nodeAltered             // one of any graph
	nodeSwitched            // off or on, of one that was made ready, by its number; 0: of any
)

// altered takes in that graphs hold something else from now on.
func (c *capturing) altered(e *Event) {
	switch {
	case e.Flags&Failed != 0:
	case e.Other == graphAltered:
		delete(c.made, uint32(e.Value))
	case e.Other == execAltered:
		delete(c.execs, uint32(e.Value))
	case e.Other == nodeAltered:
		clear(c.made)
	case e.Other == nodeSwitched:
		c.switched[uint32(e.Value)] = true
	default:
		clear(c.made)
		clear(c.execs)
	}
}

// list gives the kernels, those that were captured most first.
func (c *capturing) list(s *Summary) (list []CapturedKernel) {
	handles, eager := map[uint32]map[string]bool{}, map[uint32]map[string]bool{}
	launches, replays, within := map[uint32]int64{}, map[uint32]int64{}, map[uint32]int64{}
	for id, calls := range s.Kernels {
		first := cmp.Or(c.symbol[id], id)
		launches[first] += calls.N
		addTo(eager, first, s.Names.Kernels[id].Function)
	}
	for _, g := range s.Graphs {
		known := c.known(g.Number, g.Nodes)
		for id, nodes := range c.execs[g.Number] {
			replays[id] += g.Times.N
			if known {
				within[id] += nodes * g.Times.N
			}
		}
	}
	for id := range c.numbers {
		addTo(handles, cmp.Or(c.symbol[id], id), s.Names.Kernels[id].Function)
	}
	for _, id := range slices.Sorted(maps.Keys(c.kernels)) {
		n, k := c.kernels[id], s.Names.Kernels[id]
		one := CapturedKernel{Name: cmp.Or(k.Name, unnamed), Symbol: k.Symbol, Captured: n.launches, Captures: n.captures, Eager: launches[id], Handles: len(handles[id]), Ready: n.ready, Replays: replays[id], InGraphs: within[id]}
		for handle := range handles[id] {
			one.Shared += count(eager[id][handle])
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b CapturedKernel) int { return cmp.Compare(b.Captured, a.Captured) })
	return list
}

func addTo(sets map[uint32]map[string]bool, id uint32, text string) {
	if sets[id] == nil {
		sets[id] = map[string]bool{}
	}
	sets[id][text] = true
}
