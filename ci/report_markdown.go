package ci

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes a report in the Markdown of GitHub.
func (r Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Night of %s\n\n%s\n", day(r.Began), markdown(r.headline()))
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "\n### %s\n\n", strings.ToUpper(s.title[:1])+s.title[1:])
		for _, i := range s.items {
			name := strings.TrimSpace(i.lane + " " + i.gate)
			switch {
			case name == "":
				fmt.Fprintf(&b, "- %s\n", markdown(i.text))
			default:
				fmt.Fprintf(&b, "- **%s**: %s\n", markdown(name), markdown(i.text))
			}
			if i.next != "" {
				fmt.Fprintf(&b, "  - %s\n", markdown(i.next))
			}
		}
	}
	r.markdownTable(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) markdownTable(b *strings.Builder) {
	columns := r.Gates()
	if len(columns) == 0 {
		return
	}
	b.WriteString("\n| lane |")
	for _, name := range columns {
		fmt.Fprintf(b, " %s |", markdown(name))
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(columns)+1) + "\n")
	for _, l := range r.Lanes {
		fmt.Fprintf(b, "| %s |", markdown(l.Lane))
		for _, name := range columns {
			fmt.Fprintf(b, " %s |", markdownCell(l, name))
		}
		b.WriteString("\n")
	}
}

// markdownCell sets off what people look for: reds stand out, what stands from
// before is in italics.
func markdownCell(l Lane, gate string) string {
	c, ok := l.cell(gate)
	text := markdown(c.word())
	switch {
	case !ok:
		return "–"
	case c.State != NotRun && leaning(c.Outcome) < 0:
		return "**" + text + "**"
	case c.State == Stands:
		return "*" + text + "*"
	}
	return text
}

// markdown makes a text safe in a line or a cell: nothing in it is a mark, a link,
// a tag or a mention.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@': // it would call somebody
			b.WriteString("@<!-- -->")
		case strings.ContainsRune("\\`*_{}[]()#+!|>~$", r):
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
