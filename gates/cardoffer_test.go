package gates

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/config"
	"gpuci/kernels/device"
	"gpuci/worktrees"
)

// Every command that is offered is about the lane that the gate ran in, from where its
// reader stands.
func TestCardOffersReach(t *testing.T) {
	card := CardState{Seen: device.Seen{Card: device.Card{UUID: "GPU-a"}, State: device.Quiet}, Status: CardBusy, shares: true}
	mine := card
	mine.UUID, mine.Status, mine.Reserved = "GPU-b", CardReserved, []buildlock.Reservation{{UID: os.Getuid(), Until: time.Now().Add(time.Hour)}}
	g := sharing("true")
	g.ShareGPU = false
	for name, c := range map[string]struct {
		opt    Options
		prefix string // of all, behind what says what for
		suffix string
	}{
		"here":            {Options{}, "gpuci gate fused ", ""},
		"another lane":    {Options{Reach: Reach{Lane: "l3"}}, "gpuci gate fused --lane l3 ", ""},
		"another place":   {Options{Reach: Reach{Dir: "../my lane"}, Args: []string{"tail"}}, "gpuci -C '../my lane' gate fused ", " -- tail"},
		"both":            {Options{Reach: Reach{Dir: "..", Lane: "l3"}}, "gpuci -C .. gate fused --lane l3 ", ""},
		"of a night":      {Options{As: As{Lane: "kda"}}, "gpuci gate fused --lane kda ", ""},
		"without a lane":  {Options{As: As{Lane: branchPrefix + "x"}}, "gpuci gate fused ", ""},
		"of chosen cards": {Options{Cards: &Cards{Choice: "GPU-a,GPU-b"}}, "gpuci gate fused ", ""},
	} {
		f := &flow{gate: g, opt: c.opt, v: &Verdict{}}
		f.nextBusy(&onCards{Cards: &Cards{}, all: []CardState{card, mine}})
		f.nextAgain()
		f.nextAlone()
		chosen := ""
		if c.opt.Cards != nil {
			chosen = "--gpu GPU-a,GPU-b "
		}
		for _, want := range []string{
			`GPU-b --why "a gate" -- ` + strings.TrimSpace(c.prefix) + c.suffix + " runs one there",
			"queue for it: " + c.prefix + chosen + "--wait 2h" + c.suffix,
			"do not mind: " + c.prefix + chosen + "--share-gpu" + c.suffix,
			"run it again: " + c.prefix + chosen + "--wait 2h" + c.suffix + " queues",
			"on the card: " + c.prefix + chosen + "--wait 2h" + c.suffix + ";",
		} {
			if !slices.ContainsFunc(f.v.Next, func(text string) bool { return strings.Contains(text, want) }) {
				t.Errorf("%s: %q is not in %q", name, want, f.v.Next)
			}
		}
	}
	f := &flow{gate: g, opt: Options{Reach: Reach{Dir: ".."}, Lane: worktrees.Lane{Root: "/lane"}, History: &Past{}}, v: &Verdict{Owed: &Owed{Why: OweBox}}}
	if f.nextOwed(0); !strings.HasPrefix(f.v.Next[0], "it is owed: gpuci -C .. debt pay --when-quiet runs it") {
		t.Error(f.v.Next)
	}
}

// A gate that needs two cards, of which we have reserved one, is offered a hold of two; and
// none where there are not so many.
func TestCardOffersHold(t *testing.T) {
	free := CardState{Seen: device.Seen{Card: device.Card{UUID: "GPU-free"}, State: device.Quiet}, Status: CardQuiet}
	busy := CardState{Seen: device.Seen{Card: device.Card{UUID: "GPU-busy"}, State: device.Busy}, Status: CardBusy}
	own := func(uuid string) CardState {
		return CardState{
			Seen: device.Seen{Card: device.Card{UUID: uuid}, State: device.Quiet}, Status: CardReserved,
			Reserved: []buildlock.Reservation{{Card: uuid, UID: os.Getuid(), Until: time.Now().Add(time.Hour)}},
		}
	}
	instance := func(uuid string) CardState {
		card := own(uuid)
		card.Parent, card.Reserved[0].Card = "GPU-a", "GPU-a"
		return card
	}
	for name, c := range map[string]struct {
		count       int
		all         []CardState
		hold, queue string
	}{
		"one of one":              {1, []CardState{own("GPU-a")}, "--gpu GPU-a --why", ""},
		"one of two":              {1, []CardState{own("GPU-a"), own("GPU-b")}, "--gpu GPU-a --why", ""},
		"two, one is free":        {2, []CardState{free, own("GPU-a")}, "--gpu GPU-a,GPU-free --why", ""},
		"two, both are ours":      {2, []CardState{own("GPU-a"), own("GPU-b")}, "--gpu GPU-a,GPU-b --why", ""},
		"an instance":             {1, []CardState{instance("MIG-a"), instance("MIG-b")}, "--gpu MIG-a --why", ""},
		"two, the others are had": {2, []CardState{own("GPU-a"), busy}, "", ""},
		"two, and two are had":    {2, []CardState{own("GPU-a"), busy, busy}, "", "--wait 2h"},
	} {
		f := &flow{gate: config.Gate{Name: "two", Card: config.CardNeed{Count: c.count}}, v: &Verdict{}}
		f.nextBusy(&onCards{Cards: &Cards{}, all: c.all})
		said := strings.Join(f.v.Next, "; ")
		if !strings.Contains(said, c.hold) || (c.hold == "") == strings.Contains(said, "gpu hold") || !strings.Contains(said, "gpu release --gpu GPU-a") || strings.Contains(said, "GPU-a,GPU-a") {
			t.Errorf("%s: it should offer to hold %q: %s", name, c.hold, said)
		}
		if !strings.Contains(said, c.queue) || (c.queue == "") == strings.Contains(said, "queue for it") {
			t.Errorf("%s: it should offer to queue %q: %s", name, c.queue, said)
		}
	}
}

// That something is owed is said where it was noted: not of a run whose record or whose
// history could not be written.
func TestCardOwedUnnoted(t *testing.T) {
	for name, c := range map[string]struct {
		does  func(s *debtStage) string // the run
		noted bool
	}{
		"all is well":          {func(*debtStage) string { return "true" }, true},
		"no directory of runs": {func(s *debtStage) string { return "rm -rf " + filepath.Join(s.state(), "runs") }, false},
		"no place for a history": {func(s *debtStage) string {
			return "cd " + s.state() + "; rm -rf history.db* journal; mkdir history.db; touch journal history.db/x"
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newDebtStage(t)
			stage := newCardStage(t)
			lane := s.lane("kda")
			g := needing(c.does(s) + `; echo "card 0 used 53687091200" >> $NVML_STANDIN; sleep 1`)
			o := stage.options(g, stage.cards())
			o.Root, o.Lane, o.State, o.History = lane.Root, lane, s.state(), s.past
			v := Run(context.Background(), o)
			wants(t, v, Refused, OweUnknown)
			said := strings.Join(v.Next, "; ")
			if owed := strings.Contains(said, owedLine); owed != c.noted {
				t.Errorf("noted %t, said %t: %s", c.noted, owed, said)
			}
			if lost := strings.Contains(said, "could not be noted, and no debt will pay it: run it again yourself: gpuci gate fused --wait 2h"); lost == c.noted {
				t.Errorf("noted %t: %s", c.noted, said)
			}
		})
	}
}
