package gates

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/config"
	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
)

// A gate on a quiet card gets it by UUID; its own process is not foreign, also when it
// has died and the driver still lists it; and what the card did is written down.
func TestCardOfAGate(t *testing.T) {
	s := newCardStage(t)
	done := s.begin(needing(cuda+`echo "ghost 0 compute $$ 0" >> $NVML_STANDIN; echo "visible=$CUDA_VISIBLE_DEVICES tickets=$GPUCI_TICKETS"; `+meet), s.cards())
	await(t, "some looks", func() bool { return s.samples() >= 2 })
	s.goOn()
	v := <-done
	wants(t, v, Green, "")
	if len(v.Marks) > 1 { // outside git
		t.Errorf("marks %q", v.Marks)
	}
	log, _ := os.ReadFile(v.Log)
	if want := "visible=" + s.box.UUID(0) + " tickets=card." + s.box.UUID(0) + "-"; !strings.Contains(string(log), want) {
		t.Errorf("the run saw %s, want %s", log, want)
	}
	if v.Bound.Card != "NVIDIA H200" || v.Bound.Driver == "" || v.Card == nil || v.Card.Source != "nvml" || v.Card.Looks == 0 || len(v.Card.Cards) != 1 {
		t.Errorf("bound to %q, driver %q, card %+v", v.Bound.Card, v.Bound.Driver, v.Card)
	}
	if c := v.Card.Cards[0]; c.PeakOwn != device.Told(1<<30) || len(v.Card.Doubts) > 0 {
		t.Errorf("%s was ours at most, doubts %v", c.PeakOwn, v.Card.Doubts)
	}
	if data, err := os.ReadFile(filepath.Join(v.Dir, cardFile)); err != nil || !strings.Contains(string(data), s.box.UUID(0)) {
		t.Errorf("%s: %v, %s", cardFile, err, data)
	}
}

// Field cases 14 and 15: it is built first; then it is refused while somebody is on the
// card, who is named with pid and memory, and the build is not lost.
func TestCardBusy(t *testing.T) {
	s := newCardStage(t)
	guest := s.box.Guest(0, 8<<30)
	g := needing("touch ran")
	g.Build = shell(`touch built`)
	v := s.run(g)
	wants(t, v, Refused, OweCard, fmt.Sprintf("pid %d (", guest.PID), "8.0 GiB", "gpuci gate fused --wait 2h")
	if !isThere(filepath.Join(s.root, "built")) || isThere(filepath.Join(s.root, "ran")) || !v.Built {
		t.Errorf("built %t; %+v", v.Built, v.Steps)
	}
	guest.End()
	if v := s.run(g); v.Outcome != Green || v.Built || v.Owed != nil {
		t.Errorf("when it had gone: %s, built %t, owed %v, %v", v.Outcome, v.Built, v.Owed, v.Findings)
	}
}

// Field case 14: somebody comes in the middle. What a gate measured alone does not
// stand; where its numbers do not mind it does, in a series of its own.
func TestCardContended(t *testing.T) {
	for _, share := range []bool{false, true} {
		t.Run(fmt.Sprintf("share-gpu %t", share), func(t *testing.T) {
			s := newCardStage(t)
			g := needing(cuda + meet)
			if share {
				g = sharing(cuda + meet)
			}
			done := s.begin(g, s.cards())
			guest := s.box.Guest(0, 1<<30)
			s.saw(device.Busy)
			s.goOn()
			v := <-done
			who := fmt.Sprintf("contended: on the card came pid %d (", guest.PID)
			if share {
				wants(t, v, Green, "", who)
				if v.Bound.Card != "NVIDIA H200, shared" {
					t.Errorf("its card is %q", v.Bound.Card)
				}
				return
			}
			wants(t, v, Refused, OweContended, who)
			if last := v.Steps[len(v.Steps)-1]; last.State != StepSkipped || v.Exit != 75 {
				t.Errorf("exit %d, %+v", v.Exit, last)
			}
		})
	}
}

// Field cases 16 and 17: memory without an owner, pids of another world, and an
// nvidia-smi that hangs are not quiet.
func TestCardUnknown(t *testing.T) {
	for name, set := range map[string]func(*cardStage, *Cards){
		"memory without an owner": func(s *cardStage, _ *Cards) { s.box.Write("card 0 used 53687091200") },
		"a pid above pid_max":     func(s *cardStage, _ *Cards) { s.box.Write("ghost 0 compute 99999999 1073741824") },
		"nvidia-smi hangs": func(s *cardStage, c *Cards) {
			s.box.NoLibrary()
			s.box.Write("hang smi")
			c.Driver = s.box.Options()
			c.Driver.Ask = time.Second
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCardStage(t)
			c := s.cards()
			set(s, c)
			v := Run(context.Background(), s.options(needing("touch ran"), c))
			wants(t, v, Refused, OweUnknown, "it needs gpu")
			if isThere(filepath.Join(s.root, "ran")) {
				t.Error("it ran")
			}
		})
	}
}

// With somebody else on the card: where there is memory for both, and not where there
// is none; and whoever was there first does not run out of it.
func TestCardShared(t *testing.T) {
	s := newCardStage(t)
	guest := s.box.Guest(0, 100<<30)
	v := s.run(sharing(cuda))
	wants(t, v, Green, "", fmt.Sprintf("shared the card with pid %d (", guest.PID))
	if v.Bound.Card != "NVIDIA H200, shared" || len(v.Card.Shared) != 1 || len(v.Card.Came) != 0 {
		t.Errorf("bound to %q, %+v", v.Bound.Card, v.Card)
	}
	done := s.begin(sharing(cuda+meet), s.cards())
	s.box.Write(fmt.Sprintf("process 0 compute %d %d", guest.PID, int64(139)<<30))
	wants(t, <-done, Refused, OweContended, "it was ended", "must not run out of memory")
	wants(t, s.run(sharing(cuda)), Refused, OweCard, "sharing takes 10.0 GiB (vram 8.0 GiB and headroom 2.0 GiB)")

	c := s.cards()
	c.Share = true
	g := sharing(cuda)
	g.Measures = config.MeasuresTime
	wants(t, Run(context.Background(), s.options(g, c)), Refused, "", "--share-gpu: it measures time")
}

// A gate that takes another card than its own is told so: somebody may be at work
// there, and its numbers are of that card.
func TestCardElsewhere(t *testing.T) {
	s := newCardStage(t)
	s.box.Write("card 1 name NVIDIA H200")
	g := needing(`CUDA_VISIBLE_DEVICES=1; exec 9<$GPUCI_NVIDIA_ROOT/dev/nvidia1; echo "process 1 compute $$ 1073741824" >> $NVML_STANDIN; ` + meet)
	c := s.cards()
	c.Choice = "0"
	done := s.begin(g, c)
	await(t, "the process on the other card", func() bool {
		o, err := c.Survey(context.Background(), nil)
		card, ok := o.Find(s.box.UUID(1))
		return err == nil && ok && len(card.Foreign) > 0
	})
	before := s.samples()
	await(t, "two looks of the watch", func() bool { return s.samples() >= before+2 })
	s.goOn()
	wants(t, <-done, Broken, "", "it was on a card that it was not given", "CUDA_VISIBLE_DEVICES")
}

// With a wait it is run when the card is quiet, and the wait is said at once.
func TestCardWait(t *testing.T) {
	s := newCardStage(t)
	guest := s.box.Guest(0, 8<<30)
	c := s.cards()
	c.Wait = patience
	done := make(chan Verdict, 1)
	go func() { done <- Run(context.Background(), s.options(needing(cuda), c)) }()
	for said := ""; !strings.Contains(said, fmt.Sprintf("pid %d (", guest.PID)); {
		select {
		case said = <-s.notes:
		case v := <-done:
			t.Fatalf("it did not wait: %s, %v", v.Outcome, v.Findings)
		}
	}
	guest.End()
	v := <-done
	wants(t, v, Green, "")
	if v.Card == nil || v.Card.Waited <= 0 {
		t.Errorf("waited %+v", v.Card)
	}
}

// Without a driver, without such a card: refused before anything is built, and nothing
// that could ever be paid.
func TestCardNever(t *testing.T) {
	s := newCardStage(t)
	none := &Cards{LockDir: s.lock}
	none.Driver.Library, none.Driver.SMI, none.Driver.Root = filepath.Join(s.root, "no.so"), filepath.Join(s.root, "no-smi"), s.root
	old := s.cards()
	for _, tt := range []struct {
		cards *Cards
		need  config.CardNeed
		want  string
	}{
		{nil, config.CardNeed{Count: 1}, "does not look at cards"},
		{none, config.CardNeed{Count: 1}, "no NVIDIA driver on this machine"},
		{old, config.CardNeed{Count: 1, SM: 100}, "no card here can serve"},
		{old, config.CardNeed{Count: 2}, "no card here can serve"},
	} {
		g := needing("true")
		g.Build, g.Card = shell("touch built"), tt.need
		v := Run(context.Background(), s.options(g, tt.cards))
		wants(t, v, Refused, "", "it needs gpu", tt.want)
		if isThere(filepath.Join(s.root, "built")) || v.Built {
			t.Error("it was built")
		}
	}
}

// What is kept for somebody no gate gets, also where nobody is on it: a reservation,
// and a protected run, which is not shared with unless it says so, and beside which
// builds go one at a time.
func TestCardKept(t *testing.T) {
	s := newCardStage(t)
	_, err := buildlock.Reserve(context.Background(), s.lock, buildlock.Reservation{Card: s.box.UUID(0), Until: time.Now().Add(time.Hour), Why: "a paper"})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, s.run(needing("true")), Refused, OweCard, "reserved by", "a paper")
	if err := buildlock.Unreserve(context.Background(), s.lock, s.box.UUID(0), os.Getuid(), ""); err != nil {
		t.Fatal(err)
	}

	guest := s.box.Guest(0, 1<<30)
	file := filepath.Join(s.root, "train.pid")
	if err := os.WriteFile(file, []byte(strconv.Itoa(guest.PID)), 0o644); err != nil {
		t.Fatal(err)
	}
	rule := protected.Rule{Name: "train", PIDFile: file} // by another gpuci: what is below us is not protected from us
	g := sharing("true")
	g.Build = shell(`echo "links=$GPUCI_LINKS held=${GPUCI_TICKETS:-}" > built`)
	v := verdictOf(t, s.gpuci(g, rule))
	wants(t, v, Refused, OweCard, "is protected", fmt.Sprintf("train (pid %d", guest.PID))
	rule.Share = true
	wants(t, verdictOf(t, s.gpuci(g, rule)), Green, "", "shared the card with")
	if text, _ := os.ReadFile(filepath.Join(s.root, "built")); !strings.HasPrefix(string(text), "links=1 held=build-") {
		t.Errorf("beside a protected run a build had %s, want one link at a time and the build lock", text)
	}
	wants(t, verdictOf(t, s.gpuci(g)), Green, "")
	if text, _ := os.ReadFile(filepath.Join(s.root, "built")); string(text) != "links=4 held=\n" {
		t.Errorf("beside none it had %s", text)
	}
}

// Times of a card that is held back are marked, and so is a gate that uses more memory
// than it says.
func TestCardMarks(t *testing.T) {
	s := newCardStage(t)
	s.box.Write("card 0 throttle 64")
	g := needing(cuda + meet)
	g.Measures, g.VRAM = config.MeasuresTime, 512<<20
	done := s.begin(g, s.cards())
	await(t, "some looks", func() bool { return s.samples() >= 2 })
	s.goOn()
	wants(t, <-done, Green, "", throttledMark, "it used 1.0 GiB of NVIDIA H200", "vram in gpuci.toml says 512 MiB")
}
