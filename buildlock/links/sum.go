package links

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
)

// Sum is what is known of the links of a build.
type Sum struct {
	Ticketed int                   // under a ticket of their own
	Waited   time.Duration         // of all of them together
	Longest  time.Duration         // of one
	NotRun   []buildlock.LinkEvent // no ticket was had: they were not run
	Past     map[Past]int          // linkers that were seen without a ticket
	Hidden   int                   // linkers of another user: whether they had one is unknown
}

// Sum adds up what the shims wrote and what the watch saw. A link that was part
// of another one, which had the ticket, is not counted again.
func (w *Watch) Sum(events []buildlock.LinkEvent) Sum {
	w.mu.Lock()
	s := Sum{Past: w.past, Hidden: w.hidden}
	w.mu.Unlock()
	for _, e := range events {
		switch e.Outcome {
		case buildlock.Ticketed:
			s.Ticketed++
		case buildlock.TimedOut, buildlock.Failed:
			s.NotRun = append(s.NotRun, e)
		}
		s.Waited += e.Waited
		s.Longest = max(s.Longest, e.Waited)
	}
	return s
}

// Unticketed is the number of linkers that were seen without a ticket.
func (s Sum) Unticketed() (n int) {
	for _, k := range s.Past {
		n += k
	}
	return n
}

// String is the one line about a build's links.
func (s Sum) String() string {
	past := s.Unticketed()
	var text string
	switch links := s.Ticketed + past; {
	case links == 0:
		text = "no links"
	case past == 0 && s.Hidden == 0:
		text = plural(links, "link") + ", all of them under a ticket"
	default:
		text = fmt.Sprintf("%s, %d under a ticket", plural(links, "link"), s.Ticketed)
	}
	if s.Ticketed > 0 {
		text += fmt.Sprintf("; waited %s in all, %s at most", buildlock.Round(s.Waited), buildlock.Round(s.Longest))
	}
	for _, what := range s.PastText() {
		text += "; " + what
	}
	return text
}

// PastText names what came past the shims, the most frequent first, and what
// would catch it.
func (s Sum) PastText() (out []string) {
	var keys []Past
	for k := range s.Past {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Past) int {
		if n := s.Past[b] - s.Past[a]; n != 0 {
			return n
		}
		return strings.Compare(a.Tool, b.Tool)
	})
	for _, k := range keys {
		text := fmt.Sprintf("without a ticket: %d by %s", s.Past[k], k.Tool)
		if r := k.Bypass.Remedy(true); r != "" {
			text += " (" + r + ")"
		}
		out = append(out, text)
	}
	if s.Hidden > 0 {
		out = append(out, plural(s.Hidden, "linker")+" of another user, ticket unknown")
	}
	return out
}

// PassOn gives the links to the build that this one is part of: outer is the
// journal that our own shims would have written to, "" for none.
func PassOn(events []buildlock.LinkEvent, outer string) {
	for _, e := range events {
		if outer == "" || e.Append(outer) != nil {
			return // that build has ended
		}
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
