package ci

import (
	"context"
	"slices"
	"time"

	"gpuci/gates"
)

// Report is what a night came to, lane by lane. Its JSON form is kept beside the
// journal; fields are only ever added.
type Report struct {
	Type    string    `json:"type"` // always "night"
	Night   string    `json:"night"`
	Nightly bool      `json:"nightly,omitempty"` // of all lanes
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Until   string    `json:"until,omitempty"`   // when it had to end
	Stopped string    `json:"stopped,omitempty"` // why it ended before that, by a signal: --resume goes on
	Base    string    `json:"base,omitempty"`
	Host    string    `json:"host,omitempty"`
	Dir     string    `json:"dir"`             // of the journal
	Notes   []string  `json:"notes,omitempty"` // what was wrong with the night as a whole
	Debts   []Debt    `json:"debts,omitempty"` // what its lanes owed when it began
	Lanes   []Lane    `json:"lanes"`
	Exit    int       `json:"exit"`

	Comparisons []Comparison `json:"comparisons,omitempty"` // of two arms, that its lanes owe
}

// Lane is what came of one lane.
type Lane struct {
	Head
	As    string `json:"as,omitempty"` // the lane with the same content that stands for it
	Cells []Cell `json:"cells,omitempty"`
}

// report puts together what came of every lane. What it tells of a lane is held
// against that lane's own past, also where it shares another one's run.
func (n *night) report(ctx context.Context) Report {
	ctx = context.WithoutCancel(ctx)
	r := Report{
		Type: "night", Night: n.plan.Night, Nightly: n.plan.Nightly, Began: n.plan.Began, Ended: n.clock.Wall(), Base: n.plan.Base,
		Host: hostName(), Dir: n.books.night(n.plan.Night),
	}
	if !n.due.at.IsZero() {
		r.Until = n.due.word()
	}
	for _, w := range n.jobs {
		n.remark(ctx, w)
	}
	r.Debts, r.Comparisons = n.settleDebts(), n.owedComparisons()
	var codes []int
	for _, h := range n.plan.Heads {
		l := Lane{Head: h}
		if w := n.workOf(h); w != nil {
			if lead := w.lead().Lane; lead != h.Lane {
				l.As = lead
			}
			l.Why, l.Exit = w.why, w.exit
			for _, g := range w.gates {
				if c, ok := w.came[g.Name]; ok {
					l.Cells = append(l.Cells, n.told(ctx, h, c))
				}
			}
		}
		if l.Why != "" && l.Exit == 0 && !n.plan.Nightly { // somebody has named it
			l.Exit = gates.ExitNothing
		}
		codes = append(codes, l.codes()...)
		r.Lanes = append(r.Lanes, l)
	}
	r.Exit = gates.WorstExit(codes...)
	return r
}

// codes are what a lane makes of the exit code.
func (l Lane) codes() []int {
	codes := []int{l.Exit}
	for _, c := range l.Cells {
		codes = append(codes, c.Exit)
	}
	return codes
}

// workOf is the job of a head; nil where nothing of it can be run.
func (n *night) workOf(h Head) *work {
	i := slices.IndexFunc(n.jobs, func(w *work) bool {
		return slices.ContainsFunc(w.heads, func(one Head) bool { return one == h })
	})
	if i < 0 {
		return nil
	}
	return n.jobs[i]
}

// told adds to a cell what it means for one lane.
func (n *night) told(ctx context.Context, h Head, c Cell) Cell {
	if c.State == NotRun || c.Outcome == gates.Refused {
		n.past.missed(ctx, h, &c)
		return c
	}
	before, known := n.past.previous(ctx, h.Lane, c)
	side := leaning(c.Outcome)
	switch {
	case !known || side == 0:
	case side < 0 && leaning(before.outcome) < 0:
		c.Change, c.Since, c.From = StillRed, before.since, before.commit
	case side < 0:
		c.Change, c.Before = NewlyRed, before.text()
	case leaning(before.outcome) < 0:
		c.Change, c.Before = NewlyGreen, before.text()
	}
	return c
}

// cell is what came of a gate in a lane.
func (r Report) cell(lane, gate string) (Cell, bool) {
	for _, l := range r.Lanes {
		if l.Lane == lane {
			return l.cell(gate)
		}
	}
	return Cell{}, false
}

func (l Lane) cell(gate string) (Cell, bool) {
	for _, c := range l.Cells {
		if c.Gate == gate {
			return c, true
		}
	}
	return Cell{}, false
}

// Gates are the columns of the table, in the order in which they were come upon.
func (r Report) Gates() (names []string) {
	for _, l := range r.Lanes {
		for _, c := range l.Cells {
			if !slices.Contains(names, c.Gate) {
				names = append(names, c.Gate)
			}
		}
	}
	return names
}

// Sums counts the cells: all, those that ran, those that stand, those not run. A
// run that several lanes share counts once for each of them.
func (r Report) Sums() (all, ran, stand, not int) {
	for _, l := range r.Lanes {
		for _, c := range l.Cells {
			all++
			switch c.State {
			case Ran:
				ran++
			case Stands:
				stand++
			default:
				not++
			}
		}
	}
	return all, ran, stand, not
}
