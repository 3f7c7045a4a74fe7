package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// CardCounts is what was asked for in the contexts of one card. Allocations are not told
// apart by card, and what went into a graph is not run.
type CardCounts struct {
	Card
	Contexts      int   `json:"contexts"`
	Processes     int   `json:"processes,omitempty"` // of several that were added up
	Launches      int64 `json:"launches"`
	GraphLaunches int64 `json:"graph-launches"`
	Copies        int64 `json:"copies"`
	Sets          int64 `json:"sets"`
	Syncs         int64 `json:"syncs"`
}

// nowhere is the card of a context that the names file has none for: in recordings of
// before, that of one in which no kernel was launched.
var nowhere = Card{Index: -1}

// perContext counts by context.
type perContext struct {
	by   map[uint32]*CardCounts
	last uint32
	now  *CardCounts // of the last one: most calls come from one context after the other
}

func (c *perContext) take(e *Event) {
	switch e.Kind {
	case Launch, GraphLaunch, Copy, Set, Sync:
	default:
		return
	}
	if c.now == nil || c.last != e.Other {
		c.last, c.now = e.Other, c.of(e.Other)
	}
	switch e.Kind {
	case Launch:
		c.now.Launches++
	case GraphLaunch:
		c.now.GraphLaunches++
	case Copy:
		c.now.Copies++
	case Set:
		c.now.Sets++
	case Sync:
		c.now.Syncs++
	}
}

func (c *perContext) of(context uint32) *CardCounts {
	if c.by == nil {
		c.by = map[uint32]*CardCounts{}
	}
	if c.by[context] == nil {
		c.by[context] = &CardCounts{Contexts: 1}
	}
	return c.by[context]
}

// counts adds up the contexts of each card.
func (c *perContext) counts(n *Names) (list []CardCounts) {
	for context, one := range c.by {
		one.Card = nowhere
		if card, ok := n.Cards[context]; ok {
			one.Card = card
		}
		list = addCard(list, *one)
	}
	return sortedCards(list)
}

// addCard adds to those of a card: by its UUID, as two processes may see two cards as 0.
func addCard(list []CardCounts, c CardCounts) []CardCounts {
	at := slices.IndexFunc(list, func(o CardCounts) bool { return o.UUID == c.UUID && (o.Index < 0) == (c.Index < 0) })
	if at < 0 {
		return append(list, c)
	}
	o := &list[at]
	o.Contexts, o.Processes = o.Contexts+c.Contexts, o.Processes+c.Processes
	o.Launches, o.GraphLaunches, o.Copies = o.Launches+c.Launches, o.GraphLaunches+c.GraphLaunches, o.Copies+c.Copies
	o.Sets, o.Syncs = o.Sets+c.Sets, o.Syncs+c.Syncs
	return list
}

func sortedCards(list []CardCounts) []CardCounts {
	slices.SortFunc(list, func(a, b CardCounts) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), strings.Compare(a.UUID, b.UUID))
	})
	return list
}

// ByCard adds up all processes: a card by its UUID.
func (r Report) ByCard() (list []CardCounts) {
	for _, p := range r.Processes {
		for _, c := range p.ByCard {
			c.Processes = 1
			list = addCard(list, c)
		}
	}
	return sortedCards(list)
}

// byCard says it of a process on several cards.
func (p *ProcessReport) byCard(w io.Writer, g Page) {
	if len(p.ByCard) > 1 {
		cardLines(w, g, p.ByCard)
	}
}

// byCard says it of several processes on several cards, which may all call theirs 0.
func (r Report) byCard(w io.Writer, g Page) {
	if list := r.ByCard(); len(list) > 1 && len(r.Processes) > 1 {
		fmt.Fprintf(w, "\nall processes, by card\n")
		cardLines(w, g, list)
	}
}

func cardLines(w io.Writer, g Page, list []CardCounts) {
	for _, c := range list {
		fmt.Fprint(w, wrapped(c.text(), "  ", "    ", g.width()))
	}
}

func (c CardCounts) text() string {
	name := fmt.Sprintf("%s (card %d)", c.Name, c.Index)
	if c.Processes > 0 {
		name = fmt.Sprintf("%s, %s", c.Name, c.UUID)
	}
	if c.Index < 0 {
		name = "contexts whose card was not noted"
	}
	parts := []string{many(c.Launches, "launch")}
	for _, one := range []struct {
		n    int64
		text string
	}{
		{c.GraphLaunches, many(c.GraphLaunches, "graph launch")}, {c.Copies, copies(c.Copies)}, {c.Sets, many(c.Sets, "memset")},
		{c.Syncs, many(c.Syncs, "synchronising call")}, {int64(c.Contexts - 1), many(int64(c.Contexts), "context")}, {int64(c.Processes), fmt.Sprintf("of %s", processes(c.Processes))},
	} {
		if one.n > 0 {
			parts = append(parts, one.text)
		}
	}
	return name + ": " + strings.Join(parts, ", ")
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
