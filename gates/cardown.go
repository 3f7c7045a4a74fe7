package gates

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/kernels/device"
)

// gotCards writes down what the gate has.
func (f *flow) gotCards(c *onCards, waited time.Duration) {
	f.card = c
	use := &CardUse{Waited: waited.Round(time.Millisecond).Seconds(), Passed: c.passed(), Before: time.Now()}
	b := &f.v.Bound
	var names []string
	for _, s := range c.states {
		use.UUIDs = append(use.UUIDs, s.UUID)
		names = append(names, s.Name)
		b.Driver, use.CUDA = s.Driver, s.CUDA
		if s.Status == CardQuiet || s.Status == CardHeld {
			continue
		}
		use.Shared = append(use.Shared, c.whoShares(s))
	}
	b.Card, b.Cards = modelOf(names), use.UUIDs
	f.v.Card = use
	if len(use.Shared) > 0 {
		f.mark("shared the card with " + strings.Join(use.Shared, "; "))
		f.sharedSeries()
	}
}

// whoShares names who is on a card, or would be: a protected run that pauses has no
// process there.
func (c *onCards) whoShares(s CardState) string {
	var parts []string
	if len(s.Foreign) > 0 {
		parts = append(parts, c.whoIsOn(s.Foreign))
	}
	for _, r := range s.Protected {
		there := slices.ContainsFunc(s.Foreign, func(p device.Process) bool { return slices.Contains(r.PIDs, p.PID) })
		if !there {
			parts = append(parts, "the "+r.Text(time.Now()))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, s.Why)
	}
	return strings.Join(parts, ", ")
}

// modelOf names cards by their models: numbers are compared among the same ones.
func modelOf(names []string) string {
	slices.Sort(names)
	var parts []string
	for len(names) > 0 {
		n := 1
		for n < len(names) && names[n] == names[0] {
			n++
		}
		if n == 1 {
			parts = append(parts, names[0])
		} else {
			parts = append(parts, fmt.Sprintf("%d x %s", n, names[0]))
		}
		names = names[n:]
	}
	return strings.Join(parts, " and ")
}

// sharedSuffix ends the card of numbers that were taken beside somebody else: they
// are a series of their own.
const sharedSuffix = ", shared"

func (f *flow) sharedSeries() {
	if b := &f.v.Bound; !strings.HasSuffix(b.Card, sharedSuffix) {
		b.Card += sharedSuffix
	}
}

// withCards is the environment of a run: the cards it has and no others, by UUID, so
// that no order of theirs matters; and their tickets.
func (f *flow) withCards(env []string) []string {
	if f.card == nil {
		return env
	}
	env = shim.With(env, visibleVar, strings.Join(f.v.Card.UUIDs, ","))
	if marks := buildlock.CardMarks(f.card.Marks, f.card.tickets); marks != "" {
		env = shim.With(env, shim.TicketsVar, marks)
	}
	return env
}

// endCards gives them back. Where something of the gate could not be ended, its
// cards stay taken for as long as that lives.
func (f *flow) endCards() {
	if f.card == nil || f.stuck() {
		return
	}
	if err := buildlock.ReleaseCards(f.card.tickets); err != nil {
		f.mark("the lock of the card: " + err.Error())
	}
	f.card = nil
}
