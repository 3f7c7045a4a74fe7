package gates

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/kernels/device"
)

// countLooks lets the driver be asked through nvidia-smi alone, and counts how often.
func (s *cardStage) countLooks(c *Cards) (looks func() int) {
	s.t.Helper()
	s.box.NoLibrary()
	asked, smi := filepath.Join(s.root, "asked"), filepath.Join(s.root, "smi")
	if err := os.WriteFile(smi, []byte("#!/bin/sh\necho x >> '"+asked+"'\nexec '"+c.Driver.SMI+"' \"$@\"\n"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	c.Driver.SMI = smi
	if _, err := c.Look(context.Background()); err != nil { // which opens the driver
		s.t.Fatal(err)
	}
	return func() int { text, _ := os.ReadFile(asked); return bytes.Count(text, []byte("x")) }
}

// A card that the gate cannot take, or does not need, and of which it is not known who is
// on it, is not waited for: one look is enough.
func TestCardUnknownOfOthers(t *testing.T) {
	for name, choose := range map[string]bool{"one that it cannot take": true, "one that it does not need": false} {
		t.Run(name, func(t *testing.T) {
			s := newCardStage(t)
			s.box.Write("card 1 name NVIDIA H200", "card 1 used 53687091200")
			c := s.cards()
			if choose {
				c.Choice = s.box.UUID(0)
			}
			looks := s.countLooks(c)
			f := &flow{gate: needing("true"), opt: Options{Cards: c}}
			on := &onCards{Cards: c, mine: newMine(false)}
			before := looks()
			survey, err := f.lookFor(context.Background(), on, nil)
			if err != nil || !on.all[0].Free() || on.aim.waited != 0 {
				t.Fatalf("%v, %+v", err, on.all)
			}
			if other, _ := survey.Find(s.box.UUID(1)); other.Status != CardUnknown || looks() != before+1 {
				t.Errorf("the other one is %s, and was looked at %d times", other.Status, looks()-before)
			}
			// Nor is any where there are too few of those that would do.
			f.gate.Card.Count, before = 3, looks()
			if _, err := f.lookFor(context.Background(), on, nil); err == nil || looks() != before+1 {
				t.Errorf("%v, after %d looks", err, looks()-before)
			}
		})
	}
}

// One that it needs is waited for, and once in all its looks: who is refused for a card
// that is unknown for ever knows it then, and who waits for it pauses between looks.
func TestCardUnknownOnce(t *testing.T) {
	s := newCardStage(t)
	s.box.Write("card 1 name NVIDIA H200", "card 1 used 53687091200")
	c := s.cards()
	looks := s.countLooks(c)
	f := &flow{gate: needing("true"), opt: Options{Cards: c}}
	f.gate.Card.Count = 2
	on := &onCards{Cards: c, mine: newMine(false)}
	on.aim.waited = dying - 10*time.Millisecond // which takes one look more
	for i, want := range []int{2, 1, 1} {
		before := looks()
		if _, err := f.lookFor(context.Background(), on, nil); err != nil || looks() != before+want {
			t.Errorf("time %d: %v, %d looks, want %d", i, err, looks()-before, want)
		}
	}
	// One that is free and not ours to take, for somebody waits for it, is not enough.
	f.gate.Card.Count, on.aim.waited = 1, dying-10*time.Millisecond
	before := looks()
	if _, err := f.lookFor(context.Background(), on, []string{s.box.UUID(1)}); err != nil || looks() != before+2 {
		t.Errorf("%v, %d looks", err, looks()-before)
	}
}

// One that the gate could take is looked at again, and had when it is quiet.
func TestCardSettles(t *testing.T) {
	s := newCardStage(t)
	opener := s.box.Opener(1)
	c := s.cards()
	c.Choice = s.box.UUID(1)
	cards := []string{"card 0 name NVIDIA H200", "card 0 used 53687091200", "card 1 name NVIDIA H200"}
	s.box.Set(append(cards, "card 1 used 53687091200")...)
	over := false
	mine := func(pid int) bool { // is asked of an opener when the driver has answered
		if pid == opener.PID && !over {
			over = true
			s.box.Set(cards...)
		}
		return false
	}
	meant := func(l device.Look) ([]device.Seen, error) { return c.Candidates(l, config.CardNeed{Count: 1}) }
	survey, err := c.SurveyOf(context.Background(), mine, &Aim{Meant: meant})
	if card, _ := survey.Find(s.box.UUID(1)); err != nil || !over || !card.Free() {
		t.Errorf("asked %t, %v: %+v", over, err, card)
	}
}
