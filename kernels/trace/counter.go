package trace

import "time"

// counter is one Count.
type counter struct {
	how     Counting
	process *Process
	names   *Names
	calls   []call // by name
	nodes   []Nodes
	by      stages
	list    []*Stage
	named   map[string]*Stage
	live    map[*step]*step // that are not folded
	outside *step
	threads []threadNow
	memory  *memory
	graphs  *graphs
	audit   *auditor
	where   perContext
	unread  *unread
	cards   *cards
	before  []time.Duration // how long each was at work when the outside began
	events  int64
	now     Event         // the one that is counted; ten million need not be allocated
	over    time.Duration // when the last call was
	folded  func(*step)   // told of each step that is over; nil for nobody
}

// step is one that is being counted.
type step struct {
	stage  *Stage
	part   *part
	number int
	index  int // of its stage's steps, from 0
	open   int // spans of it
	began  time.Duration
	over   time.Duration // the end of the last one
	took   time.Duration // all of its spans
	cards  *cardStep
	counts Counts
	// blurred says that some of these may be of the step before or behind it.
	blurred bool
}

// threadNow is what is to be known of a thread.
type threadNow struct {
	seen, launched bool
	at             time.Duration // of its last launch
	step           *step         // of it; nil where something waited since
}

// stagesMax is how many are held by name. A program that puts a key of its data into its
// ranges makes one of each.
const stagesMax = 256

// newCounter begins one. cards is nil where their times are not counted.
func newCounter(p *Process, names *Names, how Counting, cards *cards) *counter {
	c := &counter{how: how, cards: cards, process: p, names: names, named: map[string]*Stage{}, live: map[*step]*step{}}
	for id, name := range names.Calls {
		c.calls = grown(c.calls, id)
		c.calls[id] = callOf(name)
	}
	for id, g := range names.Graphs {
		c.nodes = grown(c.nodes, id)
		c.nodes[id] = g.Nodes
	}
	c.memory, c.graphs, c.audit = newMemory(), newGraphs(), newAuditor(names)
	c.unread = newUnread()
	c.outside = c.begin(place{Outside, -1}, 0).step
	c.by = newByRange(c, names, how.Range)
	if how.Lines != nil {
		c.by = newByLine(c, p, how.Lines)
	}
	return c
}

// namesMax is more names than a process is given numbers for: a number above it is that of
// a broken file, and nobody's.
const namesMax = 1 << 20

func grown[T any](list []T, id uint32) []T {
	if int(id) < len(list) || id >= namesMax {
		return list
	}
	return append(list, make([]T, int(id)+1-len(list))...)
}

func at[T any](list []T, id uint32) (none T) {
	if int(id) < len(list) {
		return list[id]
	}
	return none
}

func (c *counter) take(e *Event) {
	if e.Kind == Place { // of the call before it
		c.unread.place(e)
		return
	}
	if e.Kind == alter {
		c.audit.kernels.altered(e)
		return
	}
	c.events++
	for len(c.threads) <= e.Thread {
		c.threads = append(c.threads, threadNow{})
	}
	c.threads[e.Thread].seen = true
	c.by.take(e)
	c.over = max(c.over, e.At)
	if e.Kind > Handle {
		return
	}
	c.over = max(c.over, e.At+e.Took)
	s := c.outside
	if in := c.by.of(e); in != nil {
		s = in.step
	}
	c.count(s, e)
}

// count takes a call in that a step made.
func (c *counter) count(s *step, e *Event) {
	if !s.stage.has {
		s.stage.has, s.stage.began = true, e.At
		if s == c.outside {
			s.began, c.before = e.At, c.cards.until(e.At)
		}
	}
	is := at(c.calls, e.Name)
	c.memory.take(e, s)
	c.audit.take(e, is)
	c.unread.take(e, is, s.stage.Name)
	s.counts.add(e, is, at(c.nodes, e.Name))
	s.counts[HighMark] = max(s.counts[HighMark], c.memory.inUse)
	if e.Flags&(Failed|Captured) != 0 {
		return
	}
	c.where.take(e)
	c.cards.asks(s, e)
	s.part.call(e)
	s.part.record(s, e, is)
	switch {
	case e.Kind == Launch || e.Kind == GraphLaunch:
		c.launch(s, e)
	case is.waits || e.Kind == Sync:
		c.threads[e.Thread].step = nil // the gap to the next launch is the card's
	}
}

func (c *counter) launch(s *step, e *Event) {
	t := &c.threads[e.Thread]
	if t.step == s {
		s.part.gap.add(e.At - t.at)
	}
	t.at, t.step, t.launched = e.At, s, true
	if e.Kind == GraphLaunch {
		c.graphs.take(e, c.audit.kernels.unsure(e.Name) || at(c.nodes, e.Name).Conditionals > 0)
		return
	}
	s.part.inCall.add(e.Took)
}

// begin begins a span. It goes on with the last step of its stage where that has its
// number.
func (c *counter) begin(p place, at time.Duration) *span {
	stage := c.named[p.stage]
	if stage == nil {
		if len(c.list) >= stagesMax {
			p = place{Further, -1}
		}
		if stage = c.named[p.stage]; stage == nil {
			stage = &Stage{Name: p.stage}
			c.named[p.stage] = stage
			c.list = append(c.list, stage)
		}
	}
	old := stage.last
	if old != nil && p.step >= 0 && old.number == p.step {
		old.open++
		return &span{p, at, old, c.cards.until(at)}
	}
	s := &step{stage: stage, part: &stage.parts[partOf(stage.Steps, c.how.Warm)], number: p.step, index: stage.Steps, open: 1, began: at}
	stage.Steps++
	stage.last, c.live[s] = s, s
	if old != nil && old.open == 0 {
		c.fold(old)
	}
	return &span{p, at, s, c.cards.until(at)}
}

// end ends one. Its step may go on in the next.
func (c *counter) end(s *span, at time.Duration) {
	s.step.took += max(0, at-s.began)
	s.step.over = max(s.step.over, at)
	c.cards.window(s.step, period{s.began, at}, s.before)
	if s.step.open--; s.step.open == 0 && s.step != s.step.stage.last {
		c.fold(s.step)
	}
}

// fold adds a step that is over to its stage.
func (c *counter) fold(s *step) {
	delete(c.live, s)
	if c.folded != nil {
		c.folded(s)
	}
	if s.blurred {
		s.stage.blurred = append(s.stage.blurred, s.index)
	}
	s.part.fold(s)
	c.cards.fold(s)
	s.stage.Total.plus(&s.counts)
}
