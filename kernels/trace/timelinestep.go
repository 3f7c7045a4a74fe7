package trace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// timelineOf adds what a process did in a step.
type timelineOf struct {
	*Timeline
	p       *Process
	names   Names
	calls   map[uint32]*Event // that asked a card for something, by tie
	step    stepMark
	shift   time.Duration     // of this process's times to those of the first one
	card    int               // what the tracks of its card 0 go by
	open    map[int][]*Event  // ranges of threads
	whole   map[uint64]*Event // and of the process
	entered bool
	track   []*tracks // by card
	flows   *uint64
}

// cardTracks is above every process's number.
const cardTracks = 10_000_000

func (t *Timeline) add(ctx context.Context, p *Process, index int, step stepMark, began time.Time) error {
	names, err := p.Names()
	if err != nil {
		return err
	}
	cards, err := p.works()
	if err != nil {
		return err
	}
	o := &timelineOf{Timeline: t, p: p, names: names, calls: map[uint32]*Event{}, step: step, shift: p.Began.Sub(began), card: cardTracks + index*1000, open: map[int][]*Event{}, whole: map[uint64]*Event{}, flows: &t.trace.flows}
	if cards != nil {
		defer cards.close()
		t.Timed = true
	}
	t.trace.process(p.PID, 2*index, fmt.Sprintf("%s, pid %d", p.Command, p.PID))
	t.trace.thread(p.PID, 0, "steps")
	t.trace.add(chromeEvent{Name: o.stepName(), Cat: "step", Ph: "X", TS: o.at(step.began), Dur: microsOf(step.over - step.began), PID: p.PID, TID: 0})
	if err := p.Events(ctx, o.take); err != nil {
		return err
	}
	o.close()
	if err := o.pieces(cards); err != nil {
		return err
	}
	o.cardNames(index)
	return nil
}

func (o *timelineOf) stepName() string {
	if o.step.number < 0 {
		return stageLabel(o.step.stage)
	}
	return fmt.Sprintf("%s %d", o.step.stage, o.step.number)
}

func (o *timelineOf) at(at time.Duration) *micros { return microsOf(at + o.shift) }

func (o *timelineOf) full() bool {
	o.Cut = o.Cut || o.Calls >= timelineMost || len(o.trace.Events) >= 2*timelineMost // with ranges and marks
	return o.Cut
}

// take takes the events in up to the end of the step: ranges may have begun before it.
func (o *timelineOf) take(e Event) bool {
	if e.At >= o.step.over || o.full() {
		return false
	}
	in := e.At >= o.step.began
	if in {
		o.enter()
	}
	switch e.Kind {
	case Push:
		o.push(&e, in)
	case Pop:
		o.pop(&e, in)
	case Open:
		one := e
		o.whole[e.Value] = &one
	case Close:
		if begun := o.whole[e.Value]; begun != nil && in {
			o.processRange(begun, e.At)
		}
		delete(o.whole, e.Value)
	case Mark:
		if in {
			o.trace.add(chromeEvent{Name: o.names.Text(&e), Cat: "nvtx", Ph: "i", S: "t", TS: o.at(e.At), PID: o.p.PID, TID: e.Thread})
		}
	case Place, tie, alter:
	default:
		if in {
			o.call(&e)
		}
	}
	return true
}

// enter begins with the step the ranges of threads that are open by then.
func (o *timelineOf) enter() {
	if o.entered {
		return
	}
	o.entered = true
	for _, thread := range slices.Sorted(maps.Keys(o.open)) {
		for _, e := range o.open[thread] {
			o.begin(e, o.step.began)
		}
	}
}

func (o *timelineOf) push(e *Event, in bool) {
	one := *e
	o.open[e.Thread] = append(o.open[e.Thread], &one)
	if in {
		o.begin(e, e.At)
	}
}

func (o *timelineOf) begin(e *Event, at time.Duration) {
	o.trace.add(chromeEvent{Name: o.names.Text(e), Cat: "nvtx", Ph: "B", TS: o.at(at), PID: o.p.PID, TID: e.Thread})
}

// pop ends the innermost range.
func (o *timelineOf) pop(e *Event, in bool) {
	stack := o.open[e.Thread]
	if len(stack) == 0 {
		return
	}
	last := stack[len(stack)-1]
	o.open[e.Thread] = stack[:len(stack)-1]
	if in {
		o.end(last, e.At)
	}
}

func (o *timelineOf) end(begun *Event, at time.Duration) {
	o.trace.add(chromeEvent{Ph: "E", TS: o.at(at), PID: o.p.PID, TID: begun.Thread})
}

// processRange is one of the whole process: ranges of these may overlap.
func (o *timelineOf) processRange(begun *Event, to time.Duration) {
	*o.flows++
	id := *o.flows
	for _, side := range []struct {
		ph string
		at time.Duration
	}{{"b", max(begun.At, o.step.began)}, {"e", to}} {
		o.trace.add(chromeEvent{Name: o.names.Text(begun), Cat: "nvtx", Ph: side.ph, TS: o.at(side.at), ID: &id, PID: o.p.PID, TID: begun.Thread})
	}
}

// close ends with the step what goes on behind it.
func (o *timelineOf) close() {
	o.enter()
	for _, thread := range slices.Sorted(maps.Keys(o.open)) {
		for _, e := range slices.Backward(o.open[thread]) {
			o.end(e, o.step.over)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(o.whole)) {
		o.processRange(o.whole[id], o.step.over)
	}
}

// call is one of CUDA's, with the work that it asked for.
func (o *timelineOf) call(e *Event) {
	o.Calls++
	o.trace.thread(o.p.PID, e.Thread, fmt.Sprintf("thread %d", e.Thread))
	o.trace.add(chromeEvent{Name: o.callName(e), Cat: "call", Ph: "X", TS: o.at(e.At), Dur: microsOf(e.Took), PID: o.p.PID, TID: e.Thread, Args: o.callArgs(e)})
	if e.Tie != 0 && e.Kind <= Set && o.calls[e.Tie] == nil {
		one := *e
		o.calls[e.Tie] = &one
	}
}

// flow is the arrow from a call to its work.
func (o *timelineOf) flow(e *Event, w chromeEvent) {
	*o.flows++
	id := *o.flows
	o.trace.add(chromeEvent{Name: "asks", Cat: "asks", Ph: "s", ID: &id, TS: o.at(e.At), PID: o.p.PID, TID: e.Thread})
	o.trace.add(chromeEvent{Name: "asks", Cat: "asks", Ph: "f", BP: "e", ID: &id, TS: w.TS, PID: w.PID, TID: w.TID})
}

func (o *timelineOf) callName(e *Event) string {
	switch e.Kind {
	case Launch:
		return "launch " + o.kernelName(e)
	case GraphLaunch:
		return "launch of a graph"
	case Instantiate:
		return "a graph is made ready"
	}
	return o.names.Calls[e.Name]
}

func (o *timelineOf) kernelName(e *Event) string {
	if k, ok := o.names.Kernels[e.Name]; ok {
		return k.Name
	}
	return unnamed
}

func (o *timelineOf) callArgs(e *Event) map[string]any {
	args := map[string]any{}
	switch e.Kind {
	case Launch:
		k := o.names.Kernels[e.Name]
		args["grid"], args["block"] = k.Grid, k.Block
		if k.Shared > 0 {
			args["shared"] = k.Shared
		}
	case GraphLaunch, Instantiate:
		args["nodes"] = o.names.Graphs[e.Name].Nodes.text()
	case Copy, Set, Alloc, Release:
		if e.Flags&Unsized == 0 {
			args["bytes"] = e.Value
		}
	}
	if e.Flags&Failed != 0 {
		args["failed"] = true
	}
	if e.Flags&Captured != 0 {
		args["captured"] = true
	}
	if len(args) == 0 {
		return nil
	}
	return args
}
