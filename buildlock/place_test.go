package buildlock

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// No two waiters have the same place, whatever some of them lowered the number
// of links to.
func TestPlace(t *testing.T) {
	holds, void, kept := Entry{State: StateHolds}, Entry{State: StateVoid}, Entry{State: StateKept}
	waits := func(slots int) Entry { return Entry{State: StateWaits, Slots: slots} }
	for _, c := range []struct {
		slots   int
		entries []Entry
		want    []int
	}{
		{1, []Entry{holds, waits(0), waits(0)}, []int{0, 1, 2}},
		{1, []Entry{void, kept, waits(0), void, waits(0)}, []int{0, 0, 1, 0, 2}},
		{2, []Entry{holds, waits(0), waits(0)}, []int{0, 1, 2}}, // the first one is about to go
		{4, []Entry{holds, holds, waits(1), waits(1), waits(0)}, []int{0, 0, 2, 3, 4}},
		{2, []Entry{holds, holds, waits(9), waits(2)}, []int{0, 0, 1, 2}},
		{1, []Entry{waits(0)}, []int{1}},
	} {
		q := Queue{Lock: Link, Slots: c.slots, Entries: slices.Clone(c.entries)}
		var got []int
		for i := range q.Entries {
			q.Entries[i].Number = uint64(i + 1)
		}
		for _, e := range q.Entries {
			got = append(got, q.Place(e.Number))
			if place := q.Line(e.Number).Place; place != got[len(got)-1] {
				t.Errorf("%+v: the line says place %d, the list %d", e, place, got[len(got)-1])
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d slots, %+v (-want +got): %s", c.slots, c.entries, diff)
		}
	}
	if got := (Queue{Slots: 1}).Place(7); got != 0 {
		t.Errorf("one that is not there has place %d", got)
	}
}

// The line names who has the lock, and as many as it has slots.
func TestQueueLine(t *testing.T) {
	q := Queue{Lock: Link, Slots: 2, Entries: []Entry{
		{Number: 1, State: StateVoid}, {Number: 2, State: StateHolds, Lane: "a"}, {Number: 3, State: StateKept, Lane: "b"},
		{Number: 4, State: StateWaits, Lane: "c"}, {Number: 5, State: StateWaits, Slots: 1},
	}}
	l := q.Line(5)
	var lanes []string
	for _, h := range l.Holders {
		lanes = append(lanes, h.Lane)
	}
	if l.Place != 3 || l.Ahead != 3 || l.Slots != 1 || !slices.Equal(lanes, []string{"a", "b"}) {
		t.Errorf("%+v", l)
	}
}

// What a ticket says cannot begin a line or reach a terminal; that nothing is
// known of its process is said.
func TestEntryText(t *testing.T) {
	e := Entry{PID: 1, Lane: "a\nlink lock: free", Command: "make\x1b[2J\xff", Foreign: true}
	const want = `lane a\nlink lock: free (pid 1 root, make\x1b[2J�), in another pid namespace`
	if got := e.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&VoidedError{ID: "link-1", Why: "a\nb"}).Error(); strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}

// A ticket that lowered the number says so, and so does one that is in a lane of
// a repository.
func TestTicketTells(t *testing.T) {
	dir := lockDir(t, 2)
	who := Who{Lane: "main", Root: "/home/alice/dormouse", Command: "make"}
	k := take(t, Options{Dir: dir, Slots: 1, Who: who})
	list, err := Tickets(t.Context(), dir, Link)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	e := list[0]
	if e.ID != k.ID || e.Slots != 1 || e.Root != who.Root || e.Start == 0 {
		t.Errorf("%+v", e)
	}
	e.PID, e.UID = 7, 0
	if got, want := e.String(), "lane main of /home/alice/dormouse (pid 7 root, make) since "; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("%q", got)
	}
}
