//go:build linux

package main_test

import (
	"strconv"
	"strings"
	"testing"

	"gpuci/buildlock"
)

// wantOrder checks the grants against the order of arrival. A link writes its
// line into the log while it has its ticket. So whoever has a lower number and a
// later line stood in line, or had a slot, when this one was granted; and a
// ticket may be granted only while fewer lower ones are alive than there are
// slots.
func (l lock) wantOrder(t *testing.T) {
	t.Helper()
	events, err := buildlock.ReadLinkLog(l.log)
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, e := range events {
		if e.Outcome != buildlock.Ticketed {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(e.Ticket, "link-"))
		if err != nil {
			t.Fatalf("ticket %q of a link has no number: %v", e.Ticket, err)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		t.Fatal("no link had a ticket")
	}
	if n, passed := overtaken(numbers); passed >= l.slots {
		t.Errorf("ticket %d was granted before %d lower ones, with %d slots", n, passed, l.slots)
	}
}

// overtaken finds the ticket that was granted before the most lower ones.
func overtaken(numbers []int) (ticket, passed int) {
	for i, n := range numbers {
		lower := 0
		for _, later := range numbers[i+1:] {
			if later < n {
				lower++
			}
		}
		if lower > passed {
			ticket, passed = n, lower
		}
	}
	return ticket, passed
}

func TestChaosFindsDisorder(t *testing.T) {
	for _, c := range []struct {
		numbers        []int
		ticket, passed int
	}{
		{[]int{1, 2, 5, 9}, 0, 0},
		{[]int{2, 1, 3}, 2, 1},
		{[]int{1, 4, 2, 3}, 4, 2},
	} {
		if ticket, passed := overtaken(c.numbers); ticket != c.ticket || passed != c.passed {
			t.Errorf("overtaken(%v) = %d, %d; want %d, %d", c.numbers, ticket, passed, c.ticket, c.passed)
		}
	}
}
