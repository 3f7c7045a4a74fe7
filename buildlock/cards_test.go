package buildlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	cardA = "GPU-0aaaaaaa-1111-2222-3333-444444444444"
	cardB = "GPU-0bbbbbbb-1111-2222-3333-444444444444"
	cardM = "MIG-GPU-0bbbbbbb-1111-2222-3333-444444444444/1/0"
)

func TestCardNames(t *testing.T) {
	for _, uuid := range []string{cardA, cardM, "GPU-1"} {
		l, err := Card(uuid)
		if err != nil || l.Card() != uuid || !l.valid() || strings.Contains(string(l), "/") {
			t.Errorf("%s: lock %q of card %q, %v", uuid, l, l.Card(), err)
		}
		if m, ok := parseMark(ticketID(l, 7)); !ok || m.lock != l || m.number != 7 {
			t.Errorf("ticket %s: %+v, %v", ticketID(l, 7), m, ok)
		}
	}
	for _, bad := range []string{"", "../x", ".x", "-x", "a b", "a_b", "a@b", strings.Repeat("x", 97)} {
		if l, err := Card(bad); err == nil {
			t.Errorf("Card(%q) = %q", bad, l)
		}
	}
	if l, _ := Card(cardA); l.String() != "lock of card GPU-0aaaaaaa…" {
		t.Errorf("it is called %q", l)
	}
}

// Who waits for a busy card keeps nobody from a free one that would not do for
// them; a killed waiter and a killed holder give up their places.
func TestCardsInLine(t *testing.T) {
	dir := lockDir(t, 1)
	holder := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA}})
	holder.hears("got " + cardA)
	waiter := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA}, Wait: -1})
	waiter.hears("waiting waiting for the lock of card GPU-0aaaaaaa…, 1st in line")
	free := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA, cardB}})
	free.hears("got " + cardB)
	if len(inLine(t, dir, cardA)) != 2 {
		t.Errorf("the place in the other line is not given up: %v", inLine(t, dir, cardA))
	}
	if err := cardsBusy(t, dir, 1, cardA, cardB); !strings.Contains(err.Error(), "held by ") {
		t.Errorf("nobody is named: %v", err)
	}
	either := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA, cardB}, Wait: -1})
	if line := either.hears("waiting"); !strings.Contains(line, "any 1 of 2 cards will do") {
		t.Errorf("it says %q", line)
	}
	waiter.kill()
	holder.kill()
	either.hears("got " + cardA)
	held, err := HeldCards(context.Background(), dir)
	if err != nil || held[cardA].PID != either.cmd.Process.Pid || held[cardB].PID != free.cmd.Process.Pid || held[cardA].Among != 2 {
		t.Errorf("held: %+v, %v", held, err)
	}
	status, err := Status(context.Background(), dir)
	if err != nil || len(status) != 3 || status[1].Lock.Card() != cardA {
		t.Errorf("status: %+v, %v", status, err)
	}
}

// Sets that meet are served first come first served: who needs two cards is not
// starved by those who need one, and gives its place up when it is killed.
func TestCardsThatMeet(t *testing.T) {
	dir := lockDir(t, 1)
	a := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA}})
	a.hears("got")
	b := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardB}})
	b.hears("got")
	both := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardB, cardA}, Count: 2, Wait: -1})
	both.hears("waiting")
	one := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardB}, Wait: -1})
	one.hears("waiting")
	b.kill()
	soon(t, "the one that needs two says what it waits for", func() bool {
		list := inLine(t, dir, cardB)
		return len(list) == 2 && list[0].Held == "waits for another card as well"
	})
	if list := inLine(t, dir, cardB); list[1].State != StateWaits {
		t.Errorf("the one behind went past: %+v", list)
	}
	cardsBusy(t, dir, 1, cardB)
	both.kill()
	one.hears("got " + cardB)
	third := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA, cardB}, Count: 2, Wait: -1})
	third.hears("waiting")
	one.say("release")
	one.hears("released <nil>")
	a.kill()
	third.hears("got " + cardA + "+" + cardB)
}

// Two who come at the same moment and do not wait both get one of two cards.
func TestCardsAtOnce(t *testing.T) {
	dir := lockDir(t, 1)
	for range 5 {
		var all sync.WaitGroup
		got := make([][]*Ticket, 2)
		for i := range got {
			all.Go(func() {
				var err error
				if got[i], err = AcquireCards(t.Context(), CardOptions{Dir: dir, Allowed: []string{cardA, cardB}}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, g := range got {
			_ = ReleaseCards(g)
		}
	}
	// One who looks at the cards, and has not said yet which one it takes.
	choosing, choose := make(chan bool), make(chan bool)
	var all sync.WaitGroup
	all.Go(func() {
		got, err := AcquireCards(t.Context(), CardOptions{Dir: dir, Allowed: []string{cardA, cardB}, Ready: func(_ context.Context, cards []string) ([]string, string, error) {
			close(choosing)
			<-choose
			return cards[1:], "", nil
		}})
		if err != nil {
			t.Error(err)
		}
		defer func() { _ = ReleaseCards(got) }()
	})
	<-choosing
	all.Go(func() {
		got, err := AcquireCards(t.Context(), CardOptions{Dir: dir, Allowed: []string{cardA, cardB}})
		if err != nil {
			t.Error(err)
		}
		_ = ReleaseCards(got)
	})
	soon(t, "the second one is in line", func() bool { return len(inLine(t, dir, cardA)) == 2 })
	close(choose)
	all.Wait()
}

// Cards that are ours to take and are not ready: waited for in line, asked about
// again, given up with the reason.
func TestCardsNotReady(t *testing.T) {
	dir := lockDir(t, 1)
	asked, lines := 0, []string{}
	o := CardOptions{Dir: dir, Allowed: []string{cardA, cardB}, Wait: -1, Again: time.Millisecond,
		Waiting: func(l Line) { lines = append(lines, l.String()) },
		Ready: func(_ context.Context, cards []string) ([]string, string, error) {
			if asked++; asked < 300 {
				return nil, fmt.Sprintf("look %d: busy with %s", asked, strings.Repeat("x", 150)), nil
			}
			return []string{cardB}, "", nil
		}}
	got := takeCards(t, o)
	if cardsOf(got) != cardB || len(lines) == 0 || !strings.Contains(lines[0], "1st in line, ") || !strings.Contains(lines[0], ", look 1: busy with") {
		t.Errorf("got %s; told %q", cardsOf(got), lines)
	}
	got[0].Say("runs the gate")
	if e := inLine(t, dir, cardB)[0]; e.State != StateHolds || !strings.HasSuffix(e.String(), ", runs the gate") {
		t.Errorf("the ticket says %+v", e) // also after hundreds of reasons
	}
	o.Allowed, o.Wait, asked = []string{cardA}, 0, 0
	_, err := AcquireCards(t.Context(), o)
	var busy *BusyError
	if !errors.As(err, &busy) || !busy.Line.Held || !strings.HasPrefix(err.Error(), "the lock of card GPU-0aaaaaaa… is free, and it cannot be taken: look 1") {
		t.Errorf("not waiting: %v", err)
	}
	o.Ready = func(context.Context, []string) ([]string, string, error) { return nil, "", nil }
	if _, err := AcquireCards(t.Context(), o); err == nil || !strings.HasSuffix(err.Error(), "cannot be taken: card GPU-0aaaaaaa… cannot be had now, and nobody says why") {
		t.Errorf("nobody is named: %v", err)
	}
	broken := errors.New("the driver is gone")
	o.Ready = func(context.Context, []string) ([]string, string, error) { return nil, "", broken }
	if _, err := AcquireCards(t.Context(), o); !errors.Is(err, broken) {
		t.Errorf("what Ready says is lost: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	o.Wait, o.Ready = -1, func(context.Context, []string) ([]string, string, error) {
		cancel(broken)
		return nil, "busy", nil
	}
	if _, err := AcquireCards(ctx, o); !errors.Is(err, broken) {
		t.Errorf("cancelled: %v", err)
	}
	if list := inLine(t, dir, cardA); len(list) != 0 {
		t.Errorf("places are left: %+v", list)
	}
}

// Who holds a card can tell that its ticket keeps nobody out any more.
func TestCardsStand(t *testing.T) {
	dir := lockDir(t, 1)
	got := takeCards(t, CardOptions{Dir: dir, Allowed: []string{cardA, cardB}, Count: 2})
	if err := KeepCards(got); err != nil {
		t.Fatal(err)
	}
	for _, ticket := range got {
		if err := ticket.Stands(); err != nil {
			t.Errorf("%s: %v", ticket.ID, err)
		}
	}
	if err := Void(t.Context(), dir, got[1].ID, "it hangs"); err != nil {
		t.Fatal(err)
	}
	if err := got[1].Stands(); err == nil || !strings.Contains(err.Error(), "was declared void by ") || !strings.HasSuffix(err.Error(), ": it hangs") || got[0].Stands() != nil {
		t.Errorf("declared void: %v; the other one: %v", err, got[0].Stands())
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	takeCards(t, CardOptions{Dir: dir, Allowed: []string{cardA}})
	if err := got[0].Stands(); err == nil || !strings.Contains(err.Error(), "was removed") {
		t.Errorf("with another directory in its place: %v", err)
	}
}

// A waiter whose place in one line is declared void waits in none.
func TestCardsVoid(t *testing.T) {
	dir := lockDir(t, 1)
	holder := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA, cardB}, Count: 2})
	holder.hears("got")
	w := startAs(t, "cards", cardOrder{Dir: dir, Cards: []string{cardA, cardB}, Wait: -1})
	w.hears("waiting")
	if err := Void(t.Context(), dir, inLine(t, dir, cardB)[1].ID, "not now"); err != nil {
		t.Fatal(err)
	}
	w.hears("error ticket card." + cardB + "-2 was declared void")
	w.end()
	if n := len(inLine(t, dir, cardA)); n != 1 {
		t.Errorf("%d tickets in the other line", n)
	}
}
