package trace

import (
	"cmp"
	"slices"
)

// Kept is memory that was allocated by one call in one size, and not released when the
// recording ended. A caching allocator keeps what it has until the process ends.
type Kept struct {
	Call  string `json:"call"`
	Stage string `json:"stage"`
	Each  int64  `json:"each-bytes"`
	N     int64  `json:"n"`
	Bytes int64  `json:"bytes"`
	Steps int64  `json:"steps"` // in how many steps of the stage some was
	Warm  int64  `json:"warm"`  // of N: in steps that are not set apart
}

// memory knows what is allocated.
type memory struct {
	inUse int64
	held  map[uint32]held // by number
}

type held struct {
	bytes int64
	call  uint32
	step  *step
}

func newMemory() *memory { return &memory{held: map[uint32]held{}} }

func (m *memory) take(e *Event, s *step) {
	switch {
	case e.Flags&Failed != 0 || e.Other == 0:
	case e.Kind == Alloc:
		m.held[e.Other] = held{int64(e.Value), e.Name, s}
		m.inUse += int64(e.Value)
	case e.Kind == Release:
		m.inUse -= m.held[e.Other].bytes
		delete(m.held, e.Other)
	}
}

// kept is what nobody released, once it is known which steps are set apart.
func (m *memory) kept(n *Names) (list []Kept) {
	type key struct {
		call  uint32
		stage *Stage
		bytes int64
	}
	type many struct {
		n     int64
		warm  int64
		steps map[*step]bool
	}
	by := map[key]*many{}
	for _, h := range m.held {
		k := key{h.call, h.step.stage, h.bytes}
		if by[k] == nil {
			by[k] = &many{steps: map[*step]bool{}}
		}
		by[k].n++
		by[k].warm += int64(count(h.step.index >= h.step.stage.Apart))
		by[k].steps[h.step] = true
	}
	for k, one := range by {
		list = append(list, Kept{n.Calls[k.call], k.stage.Name, k.bytes, one.n, one.n * k.bytes, int64(len(one.steps)), one.warm})
	}
	slices.SortFunc(list, func(a, b Kept) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.N, a.N), cmp.Compare(a.Call, b.Call), cmp.Compare(a.Stage, b.Stage))
	})
	return list
}
