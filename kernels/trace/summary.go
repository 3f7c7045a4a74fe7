package trace

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// Counting says how a recording is counted. The zero value goes by NVTX ranges.
type Counting struct {
	Lines []Line // of the program's output; nil goes by NVTX ranges
	Range string // the NVTX range that is a step, wherever it is nested, by its text without the number; "" is the outermost one
	// Warm is how many steps of a stage are set apart, as the first ones tune and allocate.
	// 0: one of up to ten, five of more, and none of a single one. Below 0: none.
	Warm int

	run *Meta // what is known of the run; nil: nothing
}

// Summary is what one process did.
type Summary struct {
	Process  Process
	Names    Names
	Whole    Counts
	Events   int64    // that were read
	Stages   []*Stage // in the order in which they began; one of name Outside for what was in none
	Kept     []Kept   // memory that was never released, the most bytes first
	Graphs   []GraphRuns
	Idle     []IdleGraph // graphs that were made ready and never launched
	Capture  Audit
	Unread   []Unread         // what was written and perhaps never read
	Kernels  map[uint32]Calls // of the whole, by number
	ByCard   []CardCounts     // of the whole
	Inner    map[string]int   // NVTX ranges right within a step, by text without number, and how often they came
	Threads  int              // that asked for something
	Launcher int              // threads that launched
	Device   *DeviceReport    // nil: no times of the card were taken
}

// Stage is one by name.
type Stage struct {
	Name    string
	Steps   int
	Apart   int // the first ones of these, that are not warm
	Total   Counts
	Took    Spread           // of warm steps: from beginning to end
	Counts  [quantities]Each // of warm steps
	Gap     Spread           // from one launch's entry to the next one's on its thread, in warm steps, where nothing waits between
	InCall  Spread           // of a launch, in warm steps
	Waited  Amount           // launches of warm steps that took [Stalled] times the median
	Calls   map[uint32]Calls // of warm steps, by name
	Tape    []Launched       // of one warm step
	Cut     bool             // it was too long to hold
	timing  timing           // of warm steps
	began   time.Duration
	parts   [parts]part
	last    *step
	blurred []int // steps, from 0, whose counts may be those of their neighbours
	has     bool  // events
}

// Stalled is how many times longer than the median a call took that is told apart.
const Stalled = 20

// Warm is how many steps are.
func (s *Stage) Warm() int { return s.Steps - s.Apart }

// Calls are those of one name: of a kernel in one shape, a graph, a function of the driver.
type Calls struct {
	Kind    Kind
	N       int64
	Bytes   int64
	Took    time.Duration // together
	Longest time.Duration
}

// Amount is how often something was asked for, and how long that took.
type Amount struct {
	N    int64         `json:"n"`
	Took time.Duration `json:"ns"`
}

// Count counts the events of a process, in one pass. What it holds grows with the number
// of different kernels, calls, stages and of allocations that are not released, and with
// nothing else.
func (p *Process) Count(ctx context.Context, how Counting) (Summary, error) {
	names, err := p.Names()
	if err != nil {
		return Summary{}, err
	}
	cards, err := newCards(p)
	if err != nil {
		return p.untimed(ctx, how, &names, err)
	}
	defer cards.close()
	s, err := p.countBy(ctx, newCounter(p, &names, how, cards))
	if err == nil && cards.err() != nil {
		return p.untimed(ctx, how, &names, cards.err())
	}
	return s, err
}

// untimed counts without the times of the card, which cannot be read.
func (p *Process) untimed(ctx context.Context, how Counting, names *Names, why error) (Summary, error) {
	one := *p
	one.Timed.Taken, one.Timed.Why = false, why.Error()
	return one.countBy(ctx, newCounter(&one, names, how, nil))
}

func (p *Process) countBy(ctx context.Context, c *counter) (Summary, error) {
	if err := p.Events(ctx, func(e Event) bool { c.now = e; c.take(&c.now); return true }); err != nil {
		return Summary{}, err
	}
	return c.summary(), nil
}

func (c *counter) summary() Summary {
	c.by.finish(c.over)
	c.outside.took, c.outside.over = c.over-c.outside.began, c.over
	if c.outside.stage.has {
		c.cards.window(c.outside, period{c.outside.began, c.over}, c.before)
	}
	for _, s := range c.live {
		c.fold(s)
	}
	s := Summary{
		Process: *c.process, Names: *c.names, Events: c.events, Graphs: c.graphs.runs(c.names), Idle: c.graphs.idle(c.names),
		Capture: c.audit.audit(c.names), Unread: c.unread.list(c.names), Kernels: map[uint32]Calls{}, Inner: c.inner(), ByCard: c.where.counts(c.names),
	}
	for i := range s.Graphs {
		s.Graphs[i].Kernels = c.audit.kernels.within(&s.Graphs[i], c.names)
	}
	s.Device = c.cards.report(c.process.Timed)
	if c.cards != nil {
		for i := range s.Graphs {
			s.Graphs[i].Device = c.cards.graphs[s.Graphs[i].Number].deviceTime()
		}
	}
	for _, t := range c.threads {
		s.Threads += count(t.seen)
		s.Launcher += count(t.launched)
	}
	for _, stage := range c.list {
		if !stage.has {
			continue
		}
		c.kernels(stage, s.Kernels)
		stage.settle(c.how.Warm)
		s.Whole.plus(&stage.Total)
		s.Stages = append(s.Stages, stage)
	}
	s.Kept = c.memory.kept(c.names)
	slices.SortStableFunc(s.Stages, func(a, b *Stage) int { return cmp.Compare(a.began, b.began) })
	return s
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// kernels adds up those of all steps, before some are set apart.
func (c *counter) kernels(stage *Stage, all map[uint32]Calls) {
	for i := range stage.parts {
		for id, one := range stage.parts[i].calls {
			if one.Kind == Launch {
				sum := all[id]
				sum.plus(one)
				all[id] = sum
			}
		}
	}
}

func (c *Calls) plus(o *Calls) {
	c.Kind, c.N, c.Bytes, c.Took, c.Longest = o.Kind, c.N+o.N, c.Bytes+o.Bytes, c.Took+o.Took, max(c.Longest, o.Longest)
}

// inner are the ranges that a step consists of, where NVTX has some.
func (c *counter) inner() map[string]int {
	by, ok := c.by.(*byRange)
	if !ok {
		return nil
	}
	all := map[string]int{}
	for _, in := range by.inner {
		all[in.place.stage] += in.n
	}
	return all
}

// settle makes what people are told out of the steps that are warm.
func (s *Stage) settle(warm int) {
	first, apart := setApart(s.Steps, warm)
	s.Apart = apart
	all := &s.parts[first]
	for i := first + 1; i < parts; i++ {
		all.merge(&s.parts[i])
	}
	for q := range s.Counts {
		s.Counts[q] = all.counts[q].each()
	}
	s.Took, s.Gap, s.InCall = all.took.spread(), all.gap.spread(), all.inCall.spread()
	s.Waited.N, s.Waited.Took = all.inCall.above(Stalled * s.InCall.Median)
	s.Calls = map[uint32]Calls{}
	for _, id := range slices.Sorted(maps.Keys(all.calls)) {
		s.Calls[id] = *all.calls[id]
	}
	s.Tape, s.Cut, s.timing = all.tape, all.cut, all.timing
	s.parts = [parts]part{}
}
