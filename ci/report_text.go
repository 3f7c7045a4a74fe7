package ci

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// WriteText writes a report for people: what changed, what is owed, and the table.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "night %s: %s\n", r.Night, r.headline())
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "\n%s\n", s.title)
		for _, i := range s.items {
			fmt.Fprintf(&b, "  %s\n", oneLine(i.String()))
			if i.next != "" {
				fmt.Fprintf(&b, "    next: %s\n", oneLine(i.next))
			}
		}
	}
	if columns := r.Gates(); len(columns) > 0 {
		b.WriteString("\n")
		if err := r.table(&b, columns); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String is an item as a line of text.
func (i item) String() string {
	name := strings.TrimSpace(i.lane + " " + i.gate)
	switch {
	case name == "":
		return i.text
	case i.text == "":
		return name
	}
	return name + ": " + i.text
}

// table writes lane by gate. An outcome that stands from before has a sign behind
// it, which a line below explains.
func (r Report) table(out io.Writer, columns []string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(append([]string{"lane"}, columns...), "\t"))
	stands := false
	for _, l := range r.Lanes {
		cells := []string{oneLine(l.Lane)}
		for _, name := range columns {
			c, ok := l.cell(name)
			text := "-"
			if ok {
				text = c.word()
			}
			if ok && c.State == Stands {
				text, stands = text+" =", true
			}
			cells = append(cells, text)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if stands {
		fmt.Fprintln(out, "= nothing it depends on has changed since, so it was not run again")
	}
	return nil
}

// oneLine is a text as it can stand in a line of a terminal: names of lanes and
// output of tests may hold anything.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if !strings.ContainsFunc(s, unsafeRune) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafeRune(r) {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unsafeRune(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
