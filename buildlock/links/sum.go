package links

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
)

// Sum is what is known of the links of a build: what the shims wrote down, and
// what was seen of those that came past them.
type Sum struct {
	Ticketed int                   // under a ticket of their own
	Parts    int                   // of a link that has the ticket
	NotRun   int                   // had no ticket in time, or could have none
	Refused  []buildlock.LinkEvent // those
	Waited   time.Duration         // of all of them together
	Longest  time.Duration         // of one
	Past     []Seen                // without a ticket, the most frequent first
	Unread   bool                  // what the shims wrote could not be read whole: there may be more
	Removed  bool                  // the lock directory was removed meanwhile
	Hidden   int                   // linkers of other users: whether they had one is unknown
	Held     time.Duration         // of the waiting: held back because of the pressure
	Under    string                // links ran though the pressure was not over: why they were held back at first
	Blind    string                // why the pressure could not be told
}

// Seen is how often linkers came past the shims in one way: at least, since one
// that is over between two looks is not seen.
type Seen struct {
	Past
	Count  int    `json:"count"`
	Remedy string `json:"remedy,omitempty"` // what would catch them
}

// String names them, and what would catch them.
func (s Seen) String() string {
	text := fmt.Sprintf("%d by %s", s.Count, s.Past)
	if s.Remedy != "" {
		text += " (" + s.Remedy + ")"
	}
	return text
}

// Sum adds up what the shims wrote and what the watch saw. A link that was part
// of another one, which had the ticket, is not counted again.
func (w *Watch) Sum(events []buildlock.LinkEvent) Sum {
	w.mu.Lock()
	s := Sum{Past: seen(w.past), Hidden: w.hidden, Removed: w.removed, Unread: w.unread}
	w.mu.Unlock()
	for _, e := range events {
		switch e.Outcome {
		case buildlock.Ticketed:
			s.Ticketed++
		case buildlock.Passed:
			s.Parts++
		case buildlock.Removed:
			s.Removed = true
		case buildlock.TimedOut, buildlock.Failed:
			s.NotRun++
			s.Refused = append(s.Refused, e)
		}
		s.Held += e.Held
		s.Under, s.Blind = cmp.Or(s.Under, e.Under), cmp.Or(s.Blind, e.Blind)
		s.Waited += e.Waited
		s.Longest = max(s.Longest, e.Waited)
	}
	return s
}

// seen lists what was counted, the most frequent first.
func seen(past map[Past]int) (out []Seen) {
	for p, n := range past {
		out = append(out, Seen{p, n, p.WouldCatch(true)})
	}
	slices.SortFunc(out, func(a, b Seen) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Past.String(), b.Past.String()), strings.Compare(string(a.Reason), string(b.Reason)))
	})
	return out
}

// RemovedText says what it means that the lock directory was removed.
const RemovedText = "the lock directory, or a ticket in it, was removed meanwhile: links may have run beside each other"

// String is the one line about a build's links. It claims nothing of what was
// not seen.
func (s Sum) String() string {
	var parts []string
	switch {
	case s.Unread && s.Ticketed == 0 && s.NotRun == 0 && s.Parts == 0:
		parts = append(parts, "how many links there were is not known")
	case s.Ticketed == 0 && s.NotRun == 0 && s.Parts == 0 && len(s.Past) == 0 && s.Hidden == 0 && !s.Removed:
		return "no link came to the shims, and none was seen past them (short ones are not seen)"
	case s.Ticketed == 0 && s.NotRun == 0 && s.Parts == 0:
		parts = append(parts, "no link came to the shims")
	case s.Ticketed == 1:
		parts = append(parts, "1 link under a ticket")
	default:
		parts = append(parts, fmt.Sprintf("%d links under tickets", s.Ticketed))
	}
	if s.NotRun > 0 {
		parts = append(parts, fmt.Sprintf("%d not run", s.NotRun))
	}
	if s.Unread && s.Ticketed+s.NotRun+s.Parts > 0 {
		parts = append(parts, "more may have come")
	}
	parts = append(parts, s.pastText())
	if s.Hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d of other users, ticket unknown", s.Hidden))
	}
	text := strings.Join(parts, ", ")
	if s.Removed {
		text += "; " + RemovedText
	}
	if s.Ticketed+s.NotRun > 0 {
		text += fmt.Sprintf("; waited %s in all, %s at most", buildlock.Round(s.Waited), buildlock.Round(s.Longest))
	}
	if s.Held > 0 {
		text += fmt.Sprintf(", of that %s held back by the pressure", buildlock.Round(s.Held))
	}
	return text
}

// pastText says what came past the shims.
func (s Sum) pastText() string {
	if len(s.Past) == 0 {
		return "none seen without"
	}
	n := 0
	var list []string
	for _, p := range s.Past {
		n += p.Count
		list = append(list, p.String())
	}
	return fmt.Sprintf("at least %d without a ticket: %s", n, strings.Join(list, ", "))
}

// PassOn gives the links to the build that this one is part of: outer is the
// journal that our own shims would have written to, "" for none. It says whether
// that build has them now, and will tell of them.
func PassOn(events []buildlock.LinkEvent, outer string) (told bool) {
	for _, e := range events {
		if outer == "" || e.Append(outer) != nil {
			return false // that build has ended
		}
	}
	return len(events) > 0
}
