package trace

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Launched is one call of a step's tape: of a kernel, a memset or a copy on the card. A
// name of 0 is something between them that the host or another graph has a part in.
type Launched struct {
	Thread int32
	Name   uint32
}

// How long a chain is at most, and how often in a row it is told of.
const (
	chainLongest = 8
	chainRepeats = 8
)

// tapeMost is how many calls of a step are looked at, 2 MiB.
const tapeMost = 1 << 18

// record puts a call on the tape of the first step of a part.
func (p *part) record(s *step, e *Event, is call) {
	if p.taped == nil {
		p.taped = s
	}
	if p.taped != s || p.cut {
		return
	}
	one := Launched{int32(e.Thread), e.Name}
	switch {
	case e.Kind == Launch || e.Kind == Set || e.Kind == Copy && is.direction == CopiedDtoD:
	case e.Kind == GraphLaunch || e.Kind == Copy || e.Kind == Sync:
		one.Name = 0
	default:
		return
	}
	if p.cut = len(p.tape) == tapeMost; !p.cut {
		p.tape = append(p.tape, one)
	}
}

// Chain is a row of one to eight calls that came at least eight times in a row: work that
// could perhaps be one launch, or a graph. Whether it may is for who knows the program.
type Chain struct {
	Links   []Link        `json:"links"`
	Repeats int64         `json:"repeats"` // in one step, all places together
	Places  int           `json:"places"`
	Longest int64         `json:"longest"` // times in a row
	Cost    time.Duration `json:"cost-ns"` // all its launches x price, a step
}

// Launches is how many calls it makes in a step.
func (c Chain) Launches() int64 { return c.Repeats * int64(len(c.Links)) }

// Link is a call of a chain.
type Link struct {
	Name   string `json:"name"`
	Grid   [3]int `json:"grid,omitzero"`
	Block  [3]int `json:"block,omitzero"`
	Shared int    `json:"shared,omitempty"`
}

type chainKey [chainLongest]uint32

// chains finds them: one look at the tape for each length.
func chains(tape []Launched, n *Names, same map[uint32]uint32, price time.Duration) (list []Chain) {
	row := inRows(tape, same)
	found, order := map[chainKey]*Chain{}, []*Chain(nil)
	for length := 1; length <= chainLongest; length++ {
		repeated(row, length, func(at int, times int64) {
			links := row[at : at+length]
			key := turned(links)
			c := found[key]
			if c == nil {
				c = &Chain{Links: linksOf(links, n)}
				found[key], order = c, append(order, c)
			}
			c.Repeats, c.Places, c.Longest = c.Repeats+times, c.Places+1, max(c.Longest, times)
		})
	}
	for _, c := range order {
		c.Cost = time.Duration(c.Launches()) * price
		list = append(list, *c)
	}
	slices.SortStableFunc(list, func(a, b Chain) int { return cmp.Compare(b.Launches(), a.Launches()) })
	return list
}

// inRows puts the calls of each thread in a row of its own, a 0 behind each.
func inRows(tape []Launched, same map[uint32]uint32) []uint32 {
	by := map[int32][]uint32{}
	for _, l := range tape {
		name := l.Name
		if first, ok := same[name]; ok {
			name = first
		}
		by[l.Thread] = append(by[l.Thread], name)
	}
	row := make([]uint32, 0, len(tape)+len(by))
	for _, thread := range slices.Sorted(maps.Keys(by)) {
		row = append(append(row, by[thread]...), 0)
	}
	return row
}

// repeated gives where something of a length comes often in a row, and how often; not
// what is itself the repetition of something shorter.
func repeated(row []uint32, length int, each func(at int, times int64)) {
	run := 0
	for i := length; i <= len(row); i++ {
		if i < len(row) && row[i] != 0 && row[i] == row[i-length] {
			run++
			continue
		}
		start := i - run - length
		if times := (run + length) / length; times >= chainRepeats && primitive(row[start:start+length]) {
			each(start, int64(times))
		}
		run = 0
	}
}

func primitive(links []uint32) bool {
	for d := 1; d <= len(links)/2; d++ {
		if len(links)%d == 0 && slices.Equal(links[d:], links[:len(links)-d]) {
			return false
		}
	}
	return true
}

// turned is the least of its rotations, so that a chain that begins in its midst is the
// same.
func turned(links []uint32) (least chainKey) {
	for d := range links {
		var key chainKey
		copy(key[:], links[d:])
		copy(key[len(links)-d:], links[:d])
		if d == 0 || slices.Compare(key[:], least[:]) < 0 {
			least = key
		}
	}
	return least
}

func linksOf(ids []uint32, n *Names) (links []Link) {
	for _, id := range ids {
		if k, ok := n.Kernels[id]; ok {
			links = append(links, Link{k.Name, k.Grid, k.Block, k.Shared})
			continue
		}
		links = append(links, Link{Name: cmp.Or(n.Calls[id], unnamed)})
	}
	return links
}
