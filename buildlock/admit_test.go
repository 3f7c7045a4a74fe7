package buildlock

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// asking is an Acquire that is held back until it is let go.
type asking struct {
	let   chan bool // alone or not
	asked chan struct{}
	got   chan *Ticket
	err   chan error

	behind time.Duration // as of the last asking
}

func ask(t *testing.T, o Options) *asking {
	t.Helper()
	a := &asking{let: make(chan bool), asked: make(chan struct{}, 8), got: make(chan *Ticket, 1), err: make(chan error, 1)}
	o.Admit = func(ctx context.Context, turn Turn) (bool, error) {
		turn.Held("held back: io full 86%")
		a.behind = turn.Behind
		a.asked <- struct{}{}
		select {
		case alone := <-a.let:
			return alone, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	go func() {
		ticket, err := Acquire(t.Context(), o)
		a.got <- ticket
		a.err <- err
	}()
	return a
}

func (a *asking) ticket(t *testing.T) *Ticket {
	t.Helper()
	if ticket, err := <-a.got, <-a.err; err == nil {
		t.Cleanup(func() { _ = ticket.Release() })
		return ticket
	} else {
		t.Fatal(err)
	}
	return nil
}

// Who is held back keeps its place: nobody goes past, it waits for all to see,
// and holds once it is let in.
func TestHeldBack(t *testing.T) {
	o := Options{Dir: lockDir(t, 1), Wait: -1}
	a := ask(t, o)
	<-a.asked
	list, err := Tickets(t.Context(), o.Dir, Link)
	if err != nil || len(list) != 1 || list[0].State != StateWaits || list[0].Held != "held back: io full 86%" || !strings.Contains(list[0].String(), "86%") {
		t.Fatalf("%+v, %v", list, err)
	}
	busy := mustWait(t, Options{Dir: o.Dir})
	if !strings.Contains(busy.Error(), "held back: io full 86%") {
		t.Errorf("the next one is told %q", busy)
	}
	a.let <- false
	ticket := a.ticket(t)
	list, err = Tickets(t.Context(), o.Dir, Link)
	if err != nil || len(list) != 1 || list[0].State != StateHolds || list[0].Held != "" || list[0].Number != ticket.Number {
		t.Errorf("%+v, %v", list, err)
	}
}

// It is asked in its turn, not in line.
func TestAskedInItsTurn(t *testing.T) {
	o := Options{Dir: lockDir(t, 1), Wait: -1}
	first := take(t, o)
	a := ask(t, o)
	soon(t, "a second ticket", func() bool { list, _ := Tickets(t.Context(), o.Dir, Link); return len(list) == 2 })
	select {
	case <-a.asked:
		t.Fatal("asked behind somebody else")
	default:
	}
	_ = first.Release()
	<-a.asked
	a.let <- false
	a.ticket(t)
}

// Let in alone, it waits until no other ticket is ahead, with two slots too.
func TestAlone(t *testing.T) {
	o := Options{Dir: lockDir(t, 2), Wait: -1}
	first := take(t, o)
	a := ask(t, o)
	<-a.asked
	a.let <- true
	soon(t, "a wait for the first", func() bool {
		list, _ := Tickets(t.Context(), o.Dir, Link)
		return len(list) == 2 && list[1].State == StateWaits && list[1].Held == ""
	})
	select {
	case <-a.got:
		t.Fatal("let in beside another one")
	default:
	}
	_ = first.Release()
	a.ticket(t)
}

// A ticket that is declared void while it is held back goes no further.
func TestVoidWhileHeldBack(t *testing.T) {
	o := Options{Dir: lockDir(t, 1), Wait: -1}
	a := ask(t, o)
	<-a.asked
	list, err := Tickets(t.Context(), o.Dir, Link)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := Void(t.Context(), o.Dir, list[0].ID, "test"); err != nil {
		t.Fatal(err)
	}
	<-a.got
	if err := <-a.err; !errors.As(err, new(*VoidedError)) {
		t.Errorf("%v", err)
	}
	take(t, Options{Dir: o.Dir, Wait: time.Minute})
}

// The directory is removed while it is held back: it queues in the new one, and
// is asked again there.
func TestRemovedWhileHeldBack(t *testing.T) {
	o := Options{Dir: lockDir(t, 1), Wait: -1}
	var notes []string
	o.Waiting = func(l Line) { notes = append(notes, l.Note) }
	a := ask(t, o)
	<-a.asked
	if err := os.RemoveAll(o.Dir); err != nil {
		t.Fatal(err)
	}
	<-a.asked
	a.let <- false
	a.ticket(t)
	if len(notes) != 1 || !strings.Contains(notes[0], "removed") {
		t.Errorf("notes %q", notes)
	}
}

// What Admit gives comes out as it is, and the place is given up.
func TestRefusedInItsTurn(t *testing.T) {
	o, want := Options{Dir: lockDir(t, 1), Wait: -1}, errors.New("no pressure files")
	o.Admit = func(context.Context, Turn) (bool, error) { return false, want }
	if _, err := Acquire(t.Context(), o); !errors.Is(err, want) || errors.Is(err, ErrUnfit) || Remedy(err, o.Dir) != "" {
		t.Errorf("%v", err)
	}
	o.Admit = nil
	take(t, Options{Dir: o.Dir})
}

// Who waits behind one that is held back waits for the machine: that is in no
// limit of its wait, and it is told how long it was.
func TestBehindOneHeldBack(t *testing.T) {
	o := Options{Dir: lockDir(t, 1), Wait: 4 * time.Second}
	first := ask(t, o)
	<-first.asked
	second := ask(t, o)
	soon(t, "a second ticket", func() bool { list, _ := Tickets(t.Context(), o.Dir, Link); return len(list) == 2 })
	time.Sleep(5 * time.Second) // more than its limit
	first.let <- false
	_ = first.ticket(t).Release()
	<-second.asked
	if second.behind < 2*time.Second {
		t.Errorf("it is told of %s", second.behind)
	}
	second.let <- false
	second.ticket(t)
}

// What was waited for the machine is not charged to the wait for the lock after.
func TestAloneAfterALongHold(t *testing.T) {
	o := Options{Dir: lockDir(t, 2), Wait: 4 * time.Second}
	first := take(t, o)
	a := ask(t, o)
	<-a.asked
	time.Sleep(5 * time.Second)
	a.let <- true
	soon(t, "a wait for the first", func() bool {
		list, _ := Tickets(t.Context(), o.Dir, Link)
		return len(list) == 2 && list[1].State == StateWaits && list[1].Held == ""
	})
	time.Sleep(time.Second) // with what was held, more than its limit
	_ = first.Release()
	a.ticket(t)
}
