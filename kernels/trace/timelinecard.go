package trace

import (
	"fmt"
	"slices"
	"time"
)

// tracks are those of a card: one for a stream, and more where work of one stream overlaps,
// which a viewer does not show in one.
type tracks struct {
	until map[uint32][]time.Duration // by stream: when each of its tracks is free
}

// tracksMost is how many tracks a stream may have.
const tracksMost = 16

func (t *tracks) of(w *Work) int {
	list := t.until[w.Stream]
	i := slices.IndexFunc(list, func(free time.Duration) bool { return free <= w.Start })
	if i < 0 && len(list) < tracksMost {
		i, list = len(list), append(list, 0)
	}
	i = max(i, 0)
	list[i] = max(list[i], w.End)
	t.until[w.Stream] = list
	return int(w.Stream)*tracksMost + i
}

// work is a piece of it, of the call that asked for it, or of one outside of the step: nil.
func (o *timelineOf) work(w *Work, e *Event) chromeEvent {
	for len(o.track) <= int(w.Card) {
		o.track = append(o.track, &tracks{map[uint32][]time.Duration{}})
	}
	tid := o.track[w.Card].of(w)
	pid := o.card + int(w.Card)
	name := fmt.Sprintf("stream %d", w.Stream)
	if n := tid % tracksMost; n > 0 {
		name += fmt.Sprintf(", beside (%d)", n)
	}
	o.trace.thread(pid, tid, name)
	one := chromeEvent{Name: o.workName(w, e), Cat: map[Kind]string{Launch: "kernel", GraphLaunch: "graph", Copy: "copy", Set: "set"}[w.Kind], Ph: "X", TS: o.at(w.Start), Dur: microsOf(w.End - w.Start), PID: pid, TID: tid}
	if e == nil {
		one.Cat += ",other"
		one.Args = map[string]any{"of": "another step"}
	} else {
		one.Args = o.callArgs(e)
		if one.Args == nil {
			one.Args = map[string]any{}
		}
		one.Args["waited-us"] = micros(w.Start - e.At)
		one.Args["late"] = w.End > o.step.over
	}
	o.Pieces++
	o.trace.add(one)
	return one
}

func (o *timelineOf) workName(w *Work, e *Event) string {
	switch {
	case w.Kind == Copy:
		return w.Way.String()
	case w.Kind == Set:
		return "set"
	case w.Kind == GraphLaunch:
		return "graph"
	case e != nil && e.Kind == Launch:
		return o.kernelName(e)
	}
	return readable(o.names.Symbols[w.Name])
}

// pieces adds, in the order in which it began, the work that calls of the step asked for, and
// what the cards did meanwhile for others.
func (o *timelineOf) pieces(cards *workFile) error {
	if cards == nil {
		return nil
	}
	list, n := cards.byStart(), 0
	for w := list.next(); w != nil; w = list.next() {
		call := o.calls[w.Tie]
		if w.Ended() && (call != nil || w.End > o.step.began && w.Start < o.step.over) {
			if n++; n > timelineMost {
				o.Cut = true
				break
			}
			if one := o.work(w, call); call != nil {
				o.flow(call, one)
			}
		}
		list.drop()
	}
	return list.err
}

// cardNames name the cards that have work.
func (o *timelineOf) cardNames(index int) {
	for card := range o.track {
		name := fmt.Sprintf("card %d", card)
		for _, c := range o.names.Cards {
			if c.Index == card && c.Name != "" {
				name = fmt.Sprintf("%s (card %d)", c.Name, card)
			}
		}
		if len(o.track[card].until) > 0 {
			o.trace.process(o.card+card, 2*index+1, fmt.Sprintf("%s, work of pid %d", name, o.p.PID))
		}
	}
}
