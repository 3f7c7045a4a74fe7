package device

import (
	"strings"
	"testing"
	"time"
)

// TestTold: whom a watch tells of a look learns whether a card is Unknown for what its own
// processes left alone, and for how long that explains it.
func TestTold(t *testing.T) {
	const big = 139 << 30
	own := func(bytes int64) Seen {
		return Seen{State: Quiet, Own: []Process{{PID: 1, Start: 5, Valid: true, Memory: Told(bytes)}}}
	}
	unowned := func(bytes int64) Seen {
		return Seen{State: Unknown, cause: causeMemory, Unowned: Told(bytes)}
	}
	listed := func(pid int, beside int64) Seen {
		p := dead(pid)
		p.Memory = Told(big)
		return Seen{State: Unknown, cause: causeGone, Foreign: []Process{p}, Unowned: Told(beside)}
	}
	for name, c := range map[string]struct {
		before, then Seen
		looks        int // of the second
		ours         bool
	}{
		"memory that is taken down":             {own(big), unowned(big), 48, true},
		"for too long":                          {own(big), unowned(big), 60, false},
		"more than there was":                   {own(1 << 30), unowned(8 << 30), 1, false},
		"beside what ours has still":            {own(big), Seen{State: Unknown, cause: causeMemory, Own: own(big).Own, Unowned: Told(1 << 30)}, 1, false},
		"what ours did a moment ago":            {own(big), Seen{State: Unknown, cause: causeHidden}, 1, true},
		"ours, listed still":                    {own(big), listed(1, 0), 40, true},
		"ours, listed for ever":                 {own(big), listed(1, 0), 60, false},
		"ours, listed still, beside memory":     {own(big), listed(1, 8<<30), 1, false},
		"somebody else who has ended":           {own(big), listed(2, 0), 1, false},
		"lists that are not told":               {own(big), Seen{State: Unknown}, 1, false},
		"nobody but us":                         {own(big), own(big), 1, false},
		"somebody":                              {own(big), Seen{State: Busy, Foreign: []Process{alive(2)}}, 1, false},
		"ours, listed still, beside its memory": {own(big), listed(1, 32<<20), 1, true},
	} {
		f := newFilm(func(pid int) bool { return pid == 1 })
		f.whole(c.before)
		for range c.looks {
			f.whole(c.then)
		}
		c.then.UUID = "GPU-a"
		l := Look{At: f.at, Cards: []Seen{c.then}}
		if got := f.s.told(l).Cards[0].Ours; got != c.ours || l.Cards[0].Ours {
			t.Errorf("%s: ours %t", name, got)
		}
	}
}

// TestDoubtSpan: a doubt that adds up says from when to when that was which makes it, not
// how long the run was.
func TestDoubtSpan(t *testing.T) {
	f := newFilm(nil)
	quiet := func(looks int) {
		for range looks {
			f.look(Quiet)
		}
	}
	quiet(30)
	from := f.at.Add(100 * time.Millisecond)
	for range inARow {
		f.whole(Seen{State: Unknown, cause: causeMemory, Unowned: Told(8 << 30), Why: "memory"})
		quiet(9)
	}
	until := f.at.Add(-900 * time.Millisecond)
	quiet(30)
	r := f.end()
	clock := func(at time.Time) string { return at.Local().Format(time.TimeOnly) }
	if len(r.Doubts) != 1 || !r.Doubts[0].At.Equal(from) || !r.Doubts[0].Until.Equal(until) {
		t.Errorf("%+v, not from %s to %s", r.Doubts, from, until)
	}
	if want := "for 2s, from " + clock(from) + " to " + clock(until) + ": in 3 of "; !strings.HasPrefix(r.Unsure(), want) {
		t.Errorf("%q, not %q", r.Unsure(), want)
	}
}
