package buildlock

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cardOrder is what a holder of cards is told on its command line.
type cardOrder struct {
	Dir   string
	Cards []string
	Count int
	Wait  time.Duration
	Keep  string // a shell command to execute with the tickets kept
}

// cardHolder acquires cards, says which, and obeys as holder does.
func cardHolder() int {
	var o cardOrder
	if err := json.Unmarshal([]byte(os.Args[1]), &o); err != nil {
		fmt.Println("error", err)
		return 3
	}
	marks := os.Getenv("GPUCI_TICKETS")
	got, err := AcquireCards(context.Background(), CardOptions{
		Dir: o.Dir, Allowed: o.Cards, Count: o.Count, Wait: o.Wait, Marks: marks, Who: Who{Command: "a gate"},
		Waiting: func(l Line) { fmt.Println("waiting", l) },
	})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("got", cardsOf(got), got[0].Passed)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "release":
			fmt.Println("released", ReleaseCards(got))
		case "exec":
			if err := KeepCards(got); err != nil {
				fmt.Println("error", err)
				return 1
			}
			env := append(os.Environ(), "GPUCI_TICKETS="+CardMarks(marks, got))
			fmt.Println("error", syscall.Exec("/bin/sh", []string{"sh", "-c", o.Keep}, env))
		}
	}
	return 0
}

// cardsOf names the cards of some tickets.
func cardsOf(got []*Ticket) string {
	var names []string
	for _, t := range got {
		names = append(names, t.Card)
	}
	return strings.Join(names, "+")
}

// takeCards takes cards at once or fails the test.
func takeCards(t *testing.T, o CardOptions) []*Ticket {
	t.Helper()
	got, err := AcquireCards(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ReleaseCards(got) })
	return got
}

// cardsBusy fails the test when cards can be had without waiting.
func cardsBusy(t *testing.T, dir string, count int, cards ...string) error {
	t.Helper()
	got, err := AcquireCards(context.Background(), CardOptions{Dir: dir, Allowed: cards, Count: count})
	if _, ok := err.(*BusyError); !ok {
		_ = ReleaseCards(got)
		t.Fatalf("%d of %v: got %s, %v; want a BusyError", count, cards, cardsOf(got), err)
	}
	return err
}

// inLine gives the tickets of one card's line.
func inLine(t *testing.T, dir, card string) []Entry {
	t.Helper()
	queues, err := CardTickets(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queues {
		if q.Lock.Card() == card {
			return q.Entries
		}
	}
	return nil
}
