package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// onCard names the card of the numbers, where the gate has one: they are of its series.
func (f *flow) onCard() string {
	if f.v.Bound.Card == "" {
		return ""
	}
	return " on " + f.v.Bound.Card
}

// onSuchACard is onCard for who is to run it elsewhere.
func (f *flow) onSuchACard() string {
	if f.v.Bound.Card == "" {
		return ""
	}
	return ", on a card of the same model (" + f.v.Bound.Card + ")"
}

// onShared says that the numbers were taken beside somebody else.
func (f *flow) onShared() bool { return strings.HasSuffix(f.v.Bound.Card, sharedSuffix) }

// lackOfShared ends what is said of numbers of a shared card that have no reference.
const lackOfShared = "its bars are held against numbers of a card that it had alone"

// noShared is why such numbers cannot be held.
func (f *flow) noShared() string {
	return fmt.Sprintf("no green of %s has it%s: %s", f.against.base.Name, f.onCard(), lackOfShared)
}

// settleShared refuses a gate of which nothing is wrong but that its numbers are of a
// shared card, and its references are not: alone it can be judged, which is owed. What
// was found to be wrong stands.
func (f *flow) settleShared() {
	lacks := func(x Finding) bool { return x.Outcome == Broken && strings.Contains(x.Text, lackOfShared) }
	if !slices.ContainsFunc(f.v.Findings, lacks) {
		return
	}
	red := slices.ContainsFunc(f.v.Findings, func(x Finding) bool { return x.Outcome == Red })
	if !red && slices.ContainsFunc(f.v.Findings, func(x Finding) bool { return !lacks(x) }) {
		return
	}
	var rest []Finding
	for _, x := range f.v.Findings {
		switch {
		case !lacks(x):
			rest = append(rest, x)
		case red:
			f.mark("not held against anything: " + x.Text)
		default:
			f.owe(OweContended, x.Text)
			rest = append(rest, Finding{Refused, x.Text})
			f.nextAlone()
		}
	}
	f.v.Findings = rest
}

// nextAlone says how to have the card alone, or how to do without that.
func (f *flow) nextAlone() {
	text := "on the base branch a run beside somebody becomes the reference of such runs"
	if line := f.inLine(f.waitAgain()); line != "" {
		text = "run it when nobody is on the card: " + line + "; " + text
	}
	f.next(text)
}

// alone says why a gate that may share a card has to have one of a model for itself:
// a bar of it is held against the last green, and of those none was beside somebody.
// It is "" where it has not, or where nobody can tell before it runs.
func (f *flow) alone(ctx context.Context, model string) string {
	why, known := f.aloneOn[model]
	if known {
		return why
	}
	if f.aloneOn == nil {
		f.aloneOn = make(map[string]string)
	}
	why = f.findAlone(ctx, modelOf(slices.Repeat([]string{model}, f.gate.Card.Count))+sharedSuffix)
	if f.against != nil {
		f.opt.History.Rest() // nobody asks it while the gate waits and runs
	}
	f.aloneOn[model] = why
	return why
}

func (f *flow) findAlone(ctx context.Context, card string) string {
	for _, b := range f.gate.Bars {
		if b.Within == 0 || f.v.Partial {
			continue
		}
		if f.against == nil {
			f.against = f.references(ctx)
		}
		r := f.against
		if r.err != nil || r.here && f.v.Bound.Changes == "" { // it becomes the reference
			return ""
		}
		of := f.seriesOf(b)
		of.Card = card
		last, err := r.greens(ctx, of, true, b.Since, f.v.Run)
		if err != nil || last.best == nil {
			continue
		}
		was, err := r.find(ctx, last.best.Run)
		if err != nil {
			continue
		}
		for _, m := range was.Metrics {
			if of.Labels, of.Unit = m.Labels, m.Unit; m.Metric != b.Metric {
				continue
			}
			if g, err := r.greens(ctx, of, false, b.Since, f.v.Run); err == nil && g.best == nil {
				return fmt.Sprintf("it may share a card, but %s is held against the last green, and no green of %s has it on %s: %s",
					strings.TrimSpace(b.Metric+ofSeries(m.Labels)), r.base.Name, card, lackOfShared)
			}
		}
	}
	return ""
}
