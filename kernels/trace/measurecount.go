package trace

import (
	"context"
	"fmt"
	"slices"
)

// measurer counts a process for the numbers that are asked for.
type measurer struct {
	want    []Wanted
	names   *Names
	kinds   []Measure
	values  [][]int64         // by number wanted, and by step; one alone for the whole run
	kernels map[uint32][]int  // the numbers that a kernel's launches are counted for; no entry where its name is not known
	nodes   map[uint32][]int  // likewise those of its nodes in graphs
	waiting []int             // the numbers that calls which wait are counted for
	fit     []int             // by number wanted: kernels that it means
	now     map[*step][]int64 // what is counted here in steps that go on
	flaws   map[string]*flaws // by stage
}

// flaws are why numbers of a stage cannot be told.
type flaws struct {
	unsized [kinds]int64 // calls whose size was not noted
	loose   int64        // allocations of which it is not known when they are released
	unnamed int64        // launches of kernels whose name is not known
	graphs  int64        // launches of graphs
	strange int64        // of these, of graphs of which nothing is known
	foreign int64        // of these, of graphs whose kernels are not known by name
	unsure  int64        // of these, of graphs of which it is not known how many nodes ran
}

// measureOne counts one process.
func (p *Process) measure(ctx context.Context, how Counting, want []Wanted) (*measurer, *counter, Summary, error) {
	names, err := p.Names()
	if err != nil {
		return nil, nil, Summary{}, err
	}
	m := &measurer{want: want, names: &names, values: make([][]int64, len(want)), fit: make([]int, len(want)), now: map[*step][]int64{}, flaws: map[string]*flaws{}}
	for i, w := range want {
		kind, ok := MeasureOf(w.Measure)
		if !ok {
			return nil, nil, Summary{}, fmt.Errorf("measure %s: there is no such measure", w.Measure)
		}
		m.kinds = append(m.kinds, kind)
		if kind.Name == waitingCalls {
			m.waiting = append(m.waiting, i)
		}
	}
	m.findKernels()
	cards, err := m.cards(p)
	if err != nil {
		return nil, nil, Summary{}, err
	}
	defer cards.close()
	c := newCounter(p, &names, how, cards)
	c.folded = m.fold
	if err := p.Events(ctx, func(e Event) bool { c.now = e; c.take(&c.now); m.take(c, &c.now); return true }); err != nil {
		return nil, nil, Summary{}, err
	}
	s := c.summary()
	return m, c, s, cards.err()
}

// cards opens what cards did, where a number needs it.
func (m *measurer) cards(p *Process) (*cards, error) {
	if !slices.ContainsFunc(m.kinds, func(k Measure) bool { return k.Card }) {
		return nil, nil
	}
	return newCards(p)
}

// findKernels looks up once which kernels each pattern means.
func (m *measurer) findKernels() {
	m.kernels, m.nodes = map[uint32][]int{}, map[uint32][]int{}
	for id, k := range m.names.Kernels {
		if k.Symbol == "" { // its name for people is none that a pattern should find
			continue
		}
		m.kernels[id] = nil
		for i, w := range m.want {
			if w.Kernel != nil && (w.Kernel.MatchString(k.Name) || w.Kernel.MatchString(k.Symbol)) {
				of := m.kernels
				if m.kinds[i].Name == graphNodes {
					of = m.nodes
				}
				of[id] = append(of[id], i)
				m.fit[i]++
			}
		}
	}
}

// take notes of a call what the counter does not hold by step.
func (m *measurer) take(c *counter, e *Event) {
	if e.Kind > Handle || e.Flags&(Failed|Captured) != 0 {
		return
	}
	s := c.outside
	if in := c.by.of(e); in != nil {
		s = in.step
	}
	f := m.flaws[s.stage.Name]
	if f == nil {
		f = &flaws{}
		m.flaws[s.stage.Name] = f
	}
	f.take(e, m.names)
	switch e.Kind {
	case Launch:
		mine, known := m.kernels[e.Name]
		f.unnamed += int64(count(!known))
		m.add(s, mine, 1)
	case GraphLaunch:
		f.unsure += int64(count(c.audit.kernels.unsure(e.Name) || at(c.nodes, e.Name).Conditionals > 0))
		f.foreign += int64(count(!m.graph(s, c.audit.kernels, e.Name, at(c.nodes, e.Name))))
	case Sync:
		m.add(s, m.waiting, 1)
	case Copy:
		if at(c.calls, e.Name).waits {
			m.add(s, m.waiting, 1)
		}
	}
}

// graph counts the kernels of a graph by name; false where it is not known which they are.
func (m *measurer) graph(s *step, c *capturing, number uint32, nodes Nodes) bool {
	if !c.known(number, nodes) {
		return nodes.Conditionals == 0 && nodes.All() > 0 && nodes.Kernels == 0
	}
	for id, n := range c.execs[number] {
		if _, named := m.kernels[id]; !named {
			return false
		}
		m.add(s, m.nodes[id], n)
	}
	return true
}

// take notes what is not known of a call.
func (f *flaws) take(e *Event, n *Names) {
	if e.Flags&Unsized != 0 {
		f.unsized[e.Kind]++
	}
	switch e.Kind {
	case Alloc:
		f.loose += int64(count(e.Other == 0))
	case GraphLaunch:
		f.graphs++
		f.strange += int64(count(n.Graphs[e.Name].Nodes.All() == 0)) // nobody launches an empty one: its nodes could not be asked for
	}
}

// add adds so many to numbers of a step.
func (m *measurer) add(s *step, numbers []int, n int64) {
	if len(numbers) == 0 {
		return
	}
	if m.now[s] == nil {
		m.now[s] = make([]int64, len(m.want))
	}
	for _, i := range numbers {
		m.now[s][i] += n
	}
}

// fold takes a step in that is over.
func (m *measurer) fold(s *step) {
	for i, w := range m.want {
		v := m.value(i, s)
		switch {
		case w.Stage == WholeRun && len(m.values[i]) == 0:
			m.values[i] = []int64{v}
		case w.Stage == WholeRun && slices.Contains(m.kinds[i].sum, HighMark):
			m.values[i][0] = max(m.values[i][0], v)
		case w.Stage == WholeRun:
			m.values[i][0] += v
		case meansStage(w.Stage, s.stage.Name):
			for len(m.values[i]) <= s.index {
				m.values[i] = append(m.values[i], 0)
			}
			m.values[i][s.index] = v
		}
	}
	delete(m.now, s)
}

func (m *measurer) value(i int, s *step) (v int64) {
	if m.want[i].Kernel != nil || m.kinds[i].Name == waitingCalls {
		if now := m.now[s]; now != nil {
			return now[i]
		}
		return 0
	}
	for _, q := range m.kinds[i].sum {
		v += s.counts[q]
	}
	return v
}

// outsideLabel is what reports call the stage of what is in no range.
const outsideLabel = "(outside)"

// meansStage says whether a stage is the one that a name, or a report's label, means.
func meansStage(wanted, name string) bool {
	return wanted == name || wanted == outsideLabel && name == Outside
}

// flaw is why a number of a process cannot be told, though its stage is there; "" where
// it can.
func (m *measurer) flaw(i int) string {
	w, kind := m.want[i], m.kinds[i]
	var all flaws
	for stage, f := range m.flaws {
		ever := slices.Contains(kind.sum, HighMark) // what a stage has in use was allocated in any
		if w.Stage != WholeRun && !ever && !meansStage(w.Stage, stage) {
			continue
		}
		all.graphs, all.strange, all.unsure = all.graphs+f.graphs, all.strange+f.strange, all.unsure+f.unsure
		all.unnamed, all.loose, all.foreign = all.unnamed+f.unnamed, all.loose+f.loose, all.foreign+f.foreign
		for k, n := range f.unsized {
			all.unsized[k] += n
		}
	}
	switch {
	case kind.graphs && all.unsure > 0:
		return fmt.Sprintf("%d launches were of graphs of which it is not known how many nodes ran: some were switched off or on (cuGraphNodeSetEnabled), or are conditional", all.unsure)
	case w.Kernel != nil && kind.Name == graphNodes:
		if all.foreign > 0 {
			return fmt.Sprintf("%d launches were of graphs whose kernels are not known by name: a capture did not make all of them", all.foreign)
		}
	case w.Kernel != nil && all.graphs > 0:
		return fmt.Sprintf("graphs were launched %d times, whose kernels are no launches: graph-kernels counts these by name", all.graphs)
	case w.Kernel != nil && all.unnamed > 0:
		return fmt.Sprintf("%d launches were of kernels whose name is not known", all.unnamed)
	case (kind.Name == keptBlocks || kind.Name == keptBytes) && all.loose > 0:
		return fmt.Sprintf("of %d allocations it is not known whether they were released", all.loose)
	case kind.graphs && all.strange > 0:
		return fmt.Sprintf("%d launches were of graphs of which nothing is known", all.strange)
	case kind.sized != 0 && all.unsized[kind.sized] > 0:
		return fmt.Sprintf("the size of %d of its calls is not known", all.unsized[kind.sized])
	}
	return ""
}
