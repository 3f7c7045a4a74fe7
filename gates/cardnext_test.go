package gates

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/worktrees"
)

// held takes the lock of the stage's card, as a gate that looks at it does.
func (s *cardStage) held() []*buildlock.Ticket {
	s.t.Helper()
	tickets, err := buildlock.AcquireCards(context.Background(), buildlock.CardOptions{Dir: s.lock, Allowed: []string{s.box.UUID(0)}, Who: buildlock.Who{Command: "another gate"}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = buildlock.ReleaseCards(tickets) })
	return tickets
}

// Quiet is no reason to refuse a card: where it was had by somebody who is gone at the
// next look, it is asked for again. A lock of this process shows as nobody's there.
func TestCardQuietIsNoReason(t *testing.T) {
	s := newCardStage(t)
	s.held()
	v := s.run(needing("true"))
	wants(t, v, Refused, OweCard, "it needs gpu: ", "another gate")
	if said := v.Owed.Detail; strings.Contains(said, "is quiet") {
		t.Errorf("owed: %s", said)
	}

	s = newCardStage(t)
	tickets := s.held()
	o := s.options(needing(cuda), s.cards())
	o.Note = func(text string) {
		if strings.Contains(text, "asking for them again") {
			_ = buildlock.ReleaseCards(tickets)
		}
	}
	wants(t, Run(context.Background(), o), Green, "")
}

// Who is refused for his own reservation is told of the way around it, and not to wait
// for himself; and reads no log of a build that was fine.
func TestCardReservedByOurselves(t *testing.T) {
	s := newCardStage(t)
	_, err := buildlock.Reserve(context.Background(), s.lock, buildlock.Reservation{Card: s.box.UUID(0), Until: time.Now().Add(time.Hour), Why: "a paper"})
	if err != nil {
		t.Fatal(err)
	}
	g := needing("true")
	g.Build = shell("true")
	v := s.run(g)
	wants(t, v, Refused, OweCard, "gpuci gpu hold --gpu "+s.box.UUID(0)+` --why "a gate" -- gpuci gate fused`, "gpuci gpu release --gpu "+s.box.UUID(0))
	if said := strings.Join(v.Next, "; "); strings.Contains(said, "--wait") || strings.Contains(said, "read ") || strings.Contains(said, "debt") {
		t.Errorf("next %s", said)
	}
}

// The wait that is offered is long enough, and a gate of a lane is owed.
func TestCardNext(t *testing.T) {
	now := time.Now()
	until := func(d ...time.Duration) *onCards {
		c := &onCards{}
		for _, d := range d {
			card := CardState{Status: CardReserved}
			if d > 0 {
				card.Until = now.Add(d)
			}
			c.all = append(c.all, card)
		}
		return c
	}
	for want, got := range map[string]string{
		"2h 1": hoursText(until(0).waitFor(now, 1)) + " 1", "2h 2": hoursText(until(20*time.Hour, time.Minute).waitFor(now, 1)) + " 2",
		"21h 3": hoursText(until(20*time.Hour, 0).waitFor(now, 2)) + " 3", "9h 4": hoursText(until(8*time.Hour).waitFor(now, 1)) + " 4",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}

	s := newDebtStage(t)
	g := needing("true")
	box := newCardStage(t)
	o := box.options(g, box.cards())
	lane := s.lane("kda")
	o.Root, o.Lane, o.State, o.History = lane.Root, lane, s.state(), s.past
	guest := box.box.Guest(0, 1<<30)
	v := Run(context.Background(), o)
	guest.End()
	wants(t, v, Refused, OweCard, "it is owed: gpuci debt pay --when-quiet runs it as soon as the card is quiet")
	if !slices.Contains(v.Next, "queue for it: gpuci gate fused --wait 2h") {
		t.Errorf("next %q", v.Next)
	}
	// Who would wait longer than a night leaves it to the debts.
	file := reservedByAnother(t, box, now.Add(30*time.Hour))
	v = Run(context.Background(), o)
	wants(t, v, Refused, OweCard, "reserved by", "it is owed: gpuci debt pay --when-quiet --wait 31h runs it")
	if said := strings.Join(v.Next, "; "); strings.Contains(said, "queue for it") {
		t.Errorf("next %s", said)
	}
	_ = os.Remove(file)
}

// How to queue for a card after a run that does not stand is by what was known of the
// card at its end, on the cards that were chosen; and what is too long for anybody at a
// terminal is left to the debts, where there are any.
func TestCardNextAgain(t *testing.T) {
	const alone, base = "run it when nobody is on the card: ", "on the base branch a run beside somebody becomes the reference of such runs"
	owed := Options{Lane: worktrees.Lane{Root: "/lane"}, History: &Past{}, Cards: &Cards{}}
	for name, c := range map[string]struct {
		opt  Options
		use  *CardUse
		want []string
	}{
		"nothing is known": {Options{Cards: &Cards{}}, &CardUse{},
			[]string{"run it again: gpuci gate fused --wait 2h queues for the card", alone + "gpuci gate fused --wait 2h; " + base}},
		"it had none": {Options{}, nil,
			[]string{"run it again: gpuci gate fused --wait 2h queues for the card", alone + "gpuci gate fused --wait 2h; " + base}},
		"a night, no debts": {Options{Cards: &Cards{Choice: "1"}}, &CardUse{wait: 21 * time.Hour},
			[]string{"run it again: gpuci gate fused --gpu 1 --wait 21h queues for the card", alone + "gpuci gate fused --gpu 1 --wait 21h; " + base}},
		"some hours": {owed, &CardUse{wait: 9 * time.Hour},
			[]string{"run it again: gpuci gate fused --wait 9h queues for the card", alone + "gpuci gate fused --wait 9h; " + base, "it is owed: gpuci debt pay --when-quiet runs it as soon as the card is quiet"}},
		"a night": {owed, &CardUse{wait: 21 * time.Hour},
			[]string{base, "it is owed: gpuci debt pay --when-quiet --wait 21h runs it as soon as the card is quiet"}},
	} {
		f := &flow{gate: needing("true"), opt: c.opt, v: &Verdict{Card: c.use, Owed: &Owed{Why: OweContended}}}
		f.nextAgain()
		f.nextAlone()
		f.nextOwed(0)
		if !slices.Equal(f.v.Next, c.want) {
			t.Errorf("%s: %q", name, f.v.Next)
		}
	}
	f := &flow{gate: needing("true"), opt: owed, v: &Verdict{Card: &CardUse{wait: 21 * time.Hour}, Owed: &Owed{Why: OweBox}}}
	if f.nextOwed(0); !slices.Equal(f.v.Next, []string{"it is owed: gpuci debt pay --when-quiet runs it as soon as the machine is quiet"}) {
		t.Errorf("a wait for the machine: %q", f.v.Next)
	}
}

// reservedByAnother is a reservation of another user's, as that user makes it.
func reservedByAnother(t *testing.T, s *cardStage, until time.Time) string {
	t.Helper()
	h, err := buildlock.Reserve(context.Background(), s.lock, buildlock.Reservation{Card: s.box.UUID(0), Until: until, Why: "a paper"})
	if err == nil {
		err = os.Chown(h.Reservation.File, 54321, -1)
	}
	if err != nil {
		t.Skip("needs root: ", err)
	}
	return h.Reservation.File
}
