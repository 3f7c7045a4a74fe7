package gates

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/config"
	"gpuci/kernels/device"
	"gpuci/kernels/device/devicetest"
	"gpuci/kernels/device/protected"
)

const otherUUID = "GPU-99999999-2222-3333-4444-555555555555"

// noted waits until a gate says something with a text in it.
func (s *cardStage) noted(done <-chan Verdict, text string) {
	s.t.Helper()
	for said := ""; !strings.Contains(said, text); {
		select {
		case said = <-s.notes:
		case v := <-done:
			s.t.Fatalf("it did not wait: %s, %v", v.Outcome, v.Findings)
		case <-time.After(patience):
			s.t.Fatalf("it did not say %q", text)
		}
	}
}

// A card that one look does not show is waited for as one that is busy: it is back at
// the next.
func TestCardWaitGoesOn(t *testing.T) {
	s := newCardStage(t)
	guest := s.box.Guest(0, 8<<30)
	c := s.cards()
	c.Choice, c.Wait = strings.ToLower(s.box.UUID(0)), patience
	done := make(chan Verdict, 1)
	go func() { done <- Run(context.Background(), s.options(needing(cuda), c)) }()
	s.noted(done, fmt.Sprintf("pid %d (", guest.PID))
	s.box.Write("card 0 uuid " + otherUUID)
	await(t, "a look without the card", func() bool {
		queues, err := buildlock.CardTickets(context.Background(), s.lock)
		return err == nil && slices.ContainsFunc(queues, func(q buildlock.Queue) bool {
			return slices.ContainsFunc(q.Entries, func(e buildlock.Entry) bool { return strings.Contains(e.Held, "no card here") })
		})
	})
	guest.End()
	s.box.Write("card 0 uuid " + s.box.UUID(0))
	wants(t, <-done, Green, "")
}

// Also one that is lost between the build and the first look at it, and a driver that
// is silent then. Who does not wait is refused for something that passes.
func TestCardLostAfterTheBuild(t *testing.T) {
	for name, line := range map[string]string{"another card": "card 0 uuid " + otherUUID, "silent": "error DeviceGetCount_v2 999"} {
		t.Run(name, func(t *testing.T) {
			s := newCardStage(t)
			c := s.cards()
			c.Choice = s.box.UUID(0)
			g := needing(cuda)
			g.Build = shell(`echo "` + line + `" >> $NVML_STANDIN`)
			wants(t, Run(context.Background(), s.options(g, c)), Refused, OweUnknown, "it needs gpu, and whether a card is quiet is not known")
			s.box.Reset()
			c.Wait = patience
			done := make(chan Verdict, 1)
			go func() { done <- Run(context.Background(), s.options(g, c)) }()
			s.noted(done, "waiting for a card, ")
			s.box.Reset()
			wants(t, <-done, Green, "")
		})
	}
}

// A driver that is silent is asked once where nothing was built meanwhile: each
// question may take seconds.
func TestCardSilentOnce(t *testing.T) {
	s := newCardStage(t)
	s.box.NoLibrary()
	asked := filepath.Join(s.root, "asked")
	smi := filepath.Join(s.root, "smi")
	if err := os.WriteFile(smi, []byte("#!/bin/sh\necho x >> '"+asked+"'\nexit 9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := s.cards()
	c.Driver = s.box.Options()
	c.Driver.SMI = smi
	for _, c.Wait = range []time.Duration{0, time.Millisecond} { // which is over by then
		_ = c.Close()
		wants(t, Run(context.Background(), s.options(needing("true"), c)), Refused, OweUnknown, "the driver does not answer")
		if text, err := os.ReadFile(asked); err != nil || bytes.Count(text, []byte("x")) != 1 {
			t.Errorf("with a wait of %s it was asked %q, %v", c.Wait, text, err)
		}
		_ = os.Remove(asked)
	}
	_ = c.Close()
	c.Wait, c.Asked = 0, device.Look{At: time.Now().Add(time.Hour), Silent: "the driver does not answer"} // just now, however slow this is
	wants(t, Run(context.Background(), s.options(needing("true"), c)), Refused, OweUnknown, "the driver does not answer")
	if isThere(asked) {
		t.Error("it was asked again")
	}
}

// What was chosen wrongly is to be chosen otherwise, and not on another machine.
func TestCardChoice(t *testing.T) {
	s := newCardStage(t)
	s.box.Write("card 1 uuid "+otherUUID, "card 1 name NVIDIA L4", "card 1 cc 8 9", "card 1 bus 00000000:2a:00.0")
	for choice, need := range map[string]config.CardNeed{
		"0": {Count: 1}, "7": {Count: 1}, "all": {Count: 1}, "GPU-9,gpu-9": {Count: 1}, "gpu-9": {Count: 1, SM: 90}, s.box.UUID(0): {Count: 2},
	} {
		c := s.cards()
		c.Choice = choice
		g := needing("true")
		g.Card = need
		wants(t, Run(context.Background(), s.options(g, c)), Refused, "", "no card here can serve", "choose others, by --gpu or in CUDA_VISIBLE_DEVICES")
	}
	c := s.cards()
	c.Allowed = []string{"GPU-77777777"}
	wants(t, Run(context.Background(), s.options(needing("true"), c)), Refused, "", "put cards in [gpu] of the machine's file right")
}

// A reservation of a whole card, and its lock, are of its instances too; and a file that
// reserves nothing is spoken of.
func TestCardInstances(t *testing.T) {
	s := newCardStage(t)
	cmd := s.gpuci(needing(meet))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.goOn(); _ = cmd.Wait() })
	await(t, "the run", func() bool { return isThere(filepath.Join(s.root, "there")) })
	s.box.Write("mig 0 1", "instance 0 0 uuid MIG-aaaaaaaa-0000-0000-0000-000000000000", "instance 0 0 memory 18000000000")
	c := s.cards()
	status := func() CardState {
		o, err := c.Survey(context.Background(), nil)
		if err != nil || len(o.Cards) != 1 || o.Cards[0].Parent != s.box.UUID(0) {
			t.Fatalf("%v, %+v", err, o.Cards)
		}
		return o.Cards[0]
	}
	if card := status(); card.Status != CardHeld || !strings.Contains(card.Why, "the lock of the whole card is held by") {
		t.Errorf("while a gate has the whole card: %s", card.Text(time.Now()))
	}
	wants(t, s.run(needing("true")), Refused, OweCard, "the lock of the whole card is held by")
	_, err := buildlock.Reserve(context.Background(), s.lock, buildlock.Reservation{Card: s.box.UUID(0), Until: time.Now().Add(time.Hour), Why: "a paper"})
	if err == nil {
		err = os.WriteFile(filepath.Join(s.lock, "reserved", "card-0"), nil, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if card := status(); card.Status != CardReserved || !strings.Contains(card.Why, "a paper") {
		t.Errorf("while the whole card is reserved: %s", card.Text(time.Now()))
	}
	done := make(chan Verdict, 1)
	done <- s.run(needing("true"))
	for text := range s.notes { // they are all there
		if strings.Contains(text, "card-0 of ") && strings.Contains(text, "reserves no card") {
			break
		}
		if len(s.notes) == 0 {
			t.Error("nobody speaks of the file that reserves nothing")
			break
		}
	}
	wants(t, <-done, Refused, OweCard, "a paper")
}

// Whose lock is taken away while it runs may not have been alone.
func TestCardLockLost(t *testing.T) {
	for _, share := range []bool{false, true} {
		s := newCardStage(t)
		g := needing(cuda + meet)
		if share {
			g = sharing(cuda + meet)
		}
		done := s.begin(g, s.cards())
		if err := os.Rename(s.lock, s.lock+".away"); err != nil {
			t.Fatal(err)
		}
		s.goOn()
		if share {
			wants(t, <-done, Green, "", "was lost while it ran: ticket card.")
		} else {
			wants(t, <-done, Refused, OweContended, "was lost while it ran: ticket card.", "what the run gave does not stand")
		}
	}
}

// Numbers that are held against the last green are held against one of the same card,
// and those of a shared one against those of a shared one. Without such it waits to be
// alone, and where somebody came it is owed; on the base branch it becomes one.
func TestCardSharedSeries(t *testing.T) {
	s := newDebtStage(t)
	s.write("kda", "code", "2")
	s.commit("kda")
	box := devicetest.Start(t)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	lock := filepath.Join(s.home, "lock")
	run := func(lane, command string) Verdict {
		l := s.lane(lane)
		g := sharing(command + `echo "gpuci:metric name=worst-rel value=10"`)
		g.Bars = []config.Bar{{Metric: "worst-rel", Within: 0.05, MinMatches: 1}}
		cards := &Cards{Driver: box.Options(), LockDir: lock, Headroom: 2 << 30}
		defer cards.Close()
		return Run(t.Context(), Options{Gate: g, Root: l.Root, Lane: l, State: s.state(), Version: "test", History: s.past, Cards: cards, Env: append(box.Env(), "OUT="+s.home)})
	}
	wants(t, run("kda", ""), Broken, "", "no green of main has it on NVIDIA H200 to be held against", "on a card of the same model")
	wants(t, run("main", ""), Green, "", "first: what later runs on NVIDIA H200 are held against: worst-rel")
	wants(t, run("kda", ""), Green, "")

	done := make(chan Verdict, 1)
	go func() { done <- run("kda", meet) }()
	await(t, "the run", func() bool { return isThere(filepath.Join(s.home, "there")) })
	guest := box.Guest(0, 8<<30)
	saw := cardStage{t: t, state: s.state()}
	saw.saw(device.Busy)
	if err := os.WriteFile(filepath.Join(s.home, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wants(t, <-done, Refused, OweContended, "no green of main has it on NVIDIA H200, shared: its bars are held against numbers of a card that it had alone")
	wants(t, run("kda", ""), Refused, OweCard, fmt.Sprintf("pid %d (", guest.PID), "it may share a card, but worst-rel is held against the last green, and no green of main has it on NVIDIA H200, shared")
	wants(t, run("main", ""), Green, "", "first: what later runs on NVIDIA H200, shared are held against: worst-rel", "shared the card with")
	wants(t, run("kda", ""), Green, "", "shared the card with")
	guest.End()
	wants(t, run("kda", ""), Green, "")
}

// What a configuration may name a card by, a rule may.
func TestCardNamesOfRules(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "9999": true, "10000": false, "00": false, "-1": false, "": false, "GPU-zzz": false, "GPU-zzzzzzzz": false, "GPU-8f6": false, "GPU-8f6d": true,
		"gpu-8F6D2a1c": true, "MIG-8f6d": true, "MIG-GPU-8f6d2a1c-0000/1/0": true, "GPU-": false, "GPU-/-/-": false, "0x0": false, "GPU-8f6d ": false,
	} {
		file := filepath.Join(t.TempDir(), "gpuci.toml")
		if err := os.WriteFile(file, fmt.Appendf(nil, "[[protect]]\nname = 'x'\nuser = '0'\ncards = [%q]\n", text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(config.Sources{Machine: file, Workspace: "/gpuci.toml", Text: []byte("")})
		rule := protected.Rule{Name: "x", User: "0", Cards: []string{text}}
		if (err == nil) != want || (rule.Check() == nil) != want {
			t.Errorf("%q: the configuration says %v, the rule %v", text, err, rule.Check())
		}
	}
}

// A rule that names a card that is not here, or is wrong, keeps gates off every card,
// while its run is there: between two phases, too, and where it comes beside one that
// shares.
func TestCardMisnamed(t *testing.T) {
	s := newCardStage(t)
	rule, begins := s.protect()
	rule.Share = true
	with := func(card string) protected.Rule { r := rule; r.Cards = []string{card}; return r }
	train := s.box.Bystander()
	cmd := s.gpuci(sharing(meet), with("7"))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the run", func() bool { return isThere(filepath.Join(s.root, "there")) })
	begins(train.PID)
	s.goOn()
	text, _ := io.ReadAll(out)
	_ = cmd.Wait() // refused is 75
	var v Verdict
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	wants(t, v, Refused, OweUnknown, "on which card the protected run train is is not known", "names 7, and no such card is here")
	for _, card := range []string{"7", "GPU-77777777", "GPU-zzz"} {
		wants(t, verdictOf(t, s.gpuci(needing("true"), with(card))), Refused, OweUnknown, "the protected run train is", "not known: ")
	}
	wants(t, verdictOf(t, s.gpuci(sharing("true"), with("0"))), Green, "")
}
