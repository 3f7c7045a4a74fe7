package gates

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"gpuci/gates/config"
	"gpuci/kernels/device"
)

// A card that the gate cannot take, and of which it is not known who is on it, is not
// waited for: one look is enough.
func TestCardUnknownOfOthers(t *testing.T) {
	s := newCardStage(t)
	s.box.NoLibrary()
	asked, smi := filepath.Join(s.root, "asked"), filepath.Join(s.root, "smi")
	c := s.cards()
	if err := os.WriteFile(smi, []byte("#!/bin/sh\necho x >> '"+asked+"'\nexec '"+c.Driver.SMI+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.Driver.SMI = smi
	questions := func() int { text, _ := os.ReadFile(asked); return bytes.Count(text, []byte("x")) }
	s.box.Write("card 1 name NVIDIA H200", "card 1 used 53687091200")
	c.Choice = s.box.UUID(0)
	if _, err := c.Look(context.Background()); err != nil { // which opens the driver
		t.Fatal(err)
	}
	f := &flow{gate: needing("true"), opt: Options{Cards: c}}
	on := &onCards{Cards: c, mine: newMine(false)}
	before := questions()
	survey, err := f.lookFor(context.Background(), on)
	if err != nil || len(on.all) != 1 || !on.all[0].Free() {
		t.Fatalf("%v, %+v", err, on.all)
	}
	if other, _ := survey.Find(s.box.UUID(1)); other.Status != CardUnknown || questions() != before+1 {
		t.Errorf("the other one is %s, and was looked at %d times", other.Status, questions()-before)
	}
	// Nor is any where there are too few of those that would do.
	f.gate.Card.Count, before = 2, questions()
	if _, err := f.lookFor(context.Background(), on); err == nil || questions() != before+1 {
		t.Errorf("%v, after %d looks", err, questions()-before)
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
	survey, err := c.SurveyOf(context.Background(), mine, func(l device.Look) ([]device.Seen, error) { return c.Candidates(l, config.CardNeed{Count: 1}) })
	if card, _ := survey.Find(s.box.UUID(1)); err != nil || !over || !card.Free() {
		t.Errorf("asked %t, %v: %+v", over, err, card)
	}
}
