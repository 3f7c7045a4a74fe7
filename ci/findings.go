package ci

import (
	"fmt"
	"strings"
	"time"

	"gpuci/gates"
	"gpuci/gates/metric"
)

// section is one heading of a report with its lines, as text.
type section struct {
	title string
	items []item
}

// item is one line of it.
type item struct {
	lane, gate string
	text       string
	next       string // what to do; "" for nothing
	level      level
}

// level is how loud it is said where there are several ways.
type level int

const (
	quiet level = iota
	warning
	alarm
)

// sections are what a night has to tell, the most urgent first. Each form of the
// report has them all.
func (r Report) sections() (list []section) {
	add := func(title string, pick func(Lane, Cell) (item, bool)) {
		s := section{title: title}
		for _, l := range r.Lanes {
			for _, c := range l.Cells {
				if i, ok := pick(l, c); ok {
					i.lane, i.gate = l.Lane, c.Gate
					s.items = append(s.items, i)
				}
			}
		}
		if len(s.items) > 0 {
			list = append(list, s)
		}
	}
	list = append(list, r.troubles()...)
	add("newly red", func(_ Lane, c Cell) (item, bool) {
		return item{text: c.said() + was(c), next: firstOf(c.Next), level: alarm}, c.Change == NewlyRed && c.Outcome != gates.Broken
	})
	add("newly broken", func(_ Lane, c Cell) (item, bool) { // it says nothing of the code
		return item{text: c.said() + was(c), next: firstOf(c.Next), level: alarm}, c.Change == NewlyRed && c.Outcome == gates.Broken
	})
	add("red", func(_ Lane, c Cell) (item, bool) { // nothing is known of before
		return item{text: c.said(), next: firstOf(c.Next), level: alarm}, c.Change == "" && c.State != NotRun && leaning(c.Outcome) < 0
	})
	add("newly green", func(_ Lane, c Cell) (item, bool) { return item{text: c.said() + was(c)}, c.Change == NewlyGreen })
	add("still red", func(_ Lane, c Cell) (item, bool) {
		text := fmt.Sprintf("%s, since %s%s", c.said(), day(c.Since), space(atCommit(c.From)))
		return item{text: text, next: firstOf(c.Next), level: warning}, c.Change == StillRed
	})
	add("refused", func(_ Lane, c Cell) (item, bool) {
		return item{text: c.reason() + c.known(), next: firstOf(c.Next), level: warning}, c.State != NotRun && c.Outcome == gates.Refused
	})
	list = append(list, r.debtSections()...)
	add("attention", func(_ Lane, c Cell) (item, bool) {
		return item{text: c.reason(), next: firstOf(c.Next), level: warning}, c.State != NotRun && c.Outcome == gates.Attention && c.Change == ""
	})
	add("not run", func(_ Lane, c Cell) (item, bool) {
		return item{text: c.Why + c.known()}, c.State == NotRun && c.Stale == ""
	})
	add("stale", func(_ Lane, c Cell) (item, bool) { // what was refused is above
		return item{text: "not run: " + c.Why + c.known()}, c.State == NotRun && c.Stale != ""
	})
	add("slower", func(_ Lane, c Cell) (item, bool) {
		return item{text: paces(c, true), level: warning}, paces(c, true) != ""
	})
	add("faster", func(_ Lane, c Cell) (item, bool) { return item{text: paces(c, false)}, paces(c, false) != "" })
	list = append(list, r.marks()...)
	return append(list, r.remarks()...)
}

// troubles are lanes of which nothing could be run.
func (r Report) troubles() []section {
	s := section{title: "lanes that could not be tested"}
	for _, l := range r.Lanes {
		if l.Why != "" && l.Exit != 0 {
			s.items = append(s.items, item{lane: l.Lane, text: l.Why, level: alarm})
		}
	}
	for _, text := range r.Notes {
		s.items = append(s.items, item{text: text, level: alarm})
	}
	if len(s.items) == 0 {
		return nil
	}
	return []section{s}
}

// remarks are about lanes, and nobody's fault.
func (r Report) remarks() []section {
	s := section{title: "lanes"}
	for _, l := range r.Lanes {
		var parts []string
		if l.Why != "" && l.Exit == 0 {
			parts = append(parts, l.Why)
		}
		if l.Unread != "" {
			parts = append(parts, "tested at its commit; its files cannot be read: "+l.Unread)
		}
		if l.Changed > 0 {
			parts = append(parts, fmt.Sprintf("tested at its commit, without %s", plural(l.Changed, "changed file")))
		}
		if l.As != "" && l.Why == "" {
			parts = append(parts, "the same content as "+l.As)
		}
		if len(parts) > 0 {
			s.items = append(s.items, item{lane: l.Lane, text: strings.Join(parts, "; ")})
		}
	}
	if len(s.items) == 0 {
		return nil
	}
	return []section{s}
}

// said is an outcome with its reason.
func (c Cell) said() string {
	if c.Why == "" {
		return c.word()
	}
	return c.word() + ": " + c.reason()
}

// known is what is known of a cell without an outcome.
func (c Cell) known() string {
	switch {
	case c.Still != "":
		return "; " + c.Still
	case c.Stale != "":
		return "; the last that is known, of other content, is " + c.Stale
	}
	return ""
}

func was(c Cell) string {
	if c.Before == "" {
		return ""
	}
	return " (was " + c.Before + ")"
}

// paces says which times of a cell are beyond their range on one side.
func paces(c Cell, slower bool) string {
	var parts []string
	for _, p := range c.Pace {
		if p.Slower == slower {
			name := strings.TrimSpace(p.Metric + " " + p.Labels)
			if p.Metric == "seconds" {
				name = "as a whole"
			}
			parts = append(parts, fmt.Sprintf("%s %s %s, usually %s to %s", name, metric.Format(p.Value), p.Unit, metric.Format(p.Low), metric.Format(p.High)))
		}
	}
	return strings.Join(parts, "; ")
}

func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

func space(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// headline says the night in one line.
func (r Report) headline() string {
	all, ran, stand, not := r.Sums()
	var parts []string
	for _, p := range []struct {
		n    int
		text string
	}{{ran, "ran"}, {stand, "unchanged"}, {not, "not run"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	text := fmt.Sprintf("%s, %s", plural(len(r.Lanes), "lane"), plural(all, "gate"))
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if r.Stopped != "" {
		again := "gpuci ci nightly --resume"
		if !r.Nightly {
			again = "gpuci ci run --resume=" + r.Night
		}
		text += "; stopped, " + again + " goes on"
	}
	return text
}
