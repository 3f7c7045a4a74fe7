package ci

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
)

// remark brings the marks of a content's outcomes up to now: what a gate covers, and
// whether another one contradicts it, hangs on gates that ran after it. Where that
// cannot be told, they are as its run had them.
func (n *night) remark(ctx context.Context, w *work) {
	if n.past == nil || n.past.store == nil || w.cfg == nil {
		return
	}
	m := gates.Marking{
		Workspace: w.cfg, Store: n.past.store, Lane: w.lead().Lane, Tree: w.lead().Tree, Runs: make(map[string]string), Now: n.clock.Wall(),
	}
	for gate, c := range w.came {
		if c.State != NotRun {
			m.Runs[gate] = c.Run
		}
	}
	ctx, cancel := context.WithTimeout(ctx, markTime)
	defer cancel()
	for _, g := range w.gates {
		c, ok := w.came[g.Name]
		if !ok || c.State == NotRun {
			continue
		}
		marks, err := m.Marks(ctx, g, c.Marks)
		if err != nil {
			n.note("the marks of %s in lane %s are those of its run: %v", g.Name, w.lead().Lane, err)
			continue
		}
		c.Marks = marks
		w.came[g.Name] = c
	}
}

// markTime is how long the marks of one content may take: they are read from a
// database, some milliseconds of it.
const markTime = 10 * time.Second

// marked are the reservations of a gate that the same lanes have.
type marked struct {
	gate  string
	lanes []string
	texts []string
}

// marks are the reservations that outcomes carry, each told once, with the lanes
// that have it.
func (r Report) marks() []section {
	s := section{title: "marks"}
	for _, m := range r.marked() {
		const most = 4 // texts in a line; JSON has them all
		texts := m.texts[:min(most, len(m.texts))]
		text := strings.Join(texts, "; ")
		if more := len(m.texts) - len(texts); more > 0 {
			text += fmt.Sprintf(" (and %d more)", more)
		}
		i := item{gate: m.gate, text: text}
		if len(m.lanes) == 1 {
			i.lane = m.lanes[0]
		} else {
			i.text += " (" + r.inLanes(m) + ")"
		}
		s.items = append(s.items, i)
	}
	if len(s.items) == 0 {
		return nil
	}
	return []section{s}
}

// marked groups the marks, by gates in the order of the table.
func (r Report) marked() (list []marked) {
	for _, gate := range r.Gates() {
		var own []marked
		for _, text := range r.marksOf(gate) {
			var lanes []string
			for _, l := range r.Lanes {
				if c, ok := l.cell(gate); ok && slices.Contains(c.Marks, text) {
					lanes = append(lanes, l.Lane)
				}
			}
			if i := slices.IndexFunc(own, func(m marked) bool { return slices.Equal(m.lanes, lanes) }); i >= 0 {
				own[i].texts = append(own[i].texts, text)
				continue
			}
			own = append(own, marked{gate, lanes, []string{text}})
		}
		list = append(list, own...)
	}
	return list
}

// marksOf are the marks of a gate in any lane, each once.
func (r Report) marksOf(gate string) (texts []string) {
	for _, l := range r.Lanes {
		c, _ := l.cell(gate)
		for _, text := range c.Marks {
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// inLanes names the first of several lanes.
func (r Report) inLanes(m marked) string {
	const most = 3
	switch n := len(m.lanes); {
	case n == len(r.Lanes):
		return fmt.Sprintf("all %d lanes", n)
	case n > most+1:
		return fmt.Sprintf("%s and %d more", strings.Join(m.lanes[:most], ", "), n-most)
	}
	return strings.Join(m.lanes, ", ")
}
