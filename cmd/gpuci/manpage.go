package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage is the page of a command in man(7), made from what its help says.
func manPage(cmd *cobra.Command, date time.Time) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"%s\" \"1\" \"%s\" \"gpuci\" \"gpuci\"\n", strings.ToUpper(manName(cmd)), date.UTC().Format(time.DateOnly))
	b.WriteString(".nh\n.ad l\n") // nothing is hyphenated or stretched: names and flags are to be searched for
	b.WriteString(".SH NAME\n" + roffText(manName(cmd)) + " \\- " + roffText(cmd.Short) + "\n")
	b.WriteString(".SH SYNOPSIS\n.nf\n" + roffLine(cmd.UseLine()) + "\n.fi\n")
	b.WriteString(".SH DESCRIPTION\n")
	roffBody(&b, cmp.Or(cmd.Long, cmd.Short))
	var subs []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			subs = append(subs, sub)
		}
	}
	if len(subs) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range subs {
			b.WriteString(".TP\n\\fB" + roffText(sub.Name()) + "\\fR\n" + roffLine(sub.Short) + "\n")
		}
	}
	roffFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	roffFlags(&b, "OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	var also []string
	for _, other := range append([]*cobra.Command{cmd.Parent()}, subs...) {
		if other != nil {
			also = append(also, "\\fB"+roffText(manName(other))+"\\fR(1)")
		}
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(also, ",\n") + "\n")
	}
	return []byte(b.String())
}

// roffBody writes a text: paragraphs are filled, and what is indented in it (an
// example, a table) stays as it is, line by line.
func roffBody(b *strings.Builder, text string) {
	asIs, blank := false, true
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if line == "" {
			blank = true
			continue
		}
		if indented := strings.HasPrefix(line, " "); indented != asIs || blank && !indented {
			if asIs {
				b.WriteString(".fi\n.RE\n")
			}
			if indented {
				b.WriteString(".PP\n.RS 2\n.nf\n")
			} else {
				b.WriteString(".PP\n")
			}
			asIs = indented
		} else if blank {
			b.WriteString("\n")
		}
		blank = false
		if asIs {
			line = strings.TrimPrefix(line, "  ")
		}
		b.WriteString(roffLine(line) + "\n")
	}
	if asIs {
		b.WriteString(".fi\n.RE\n")
	}
}

// roffFlags writes a section with flags.
func roffFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "\\fB" + roffText("--"+f.Name) + "\\fR"
		if f.Shorthand != "" {
			name = "\\fB" + roffText("-"+f.Shorthand) + "\\fR, " + name
		}
		if value != "" {
			name += " \\fI" + roffText(value) + "\\fR"
		}
		b.WriteString(".TP\n" + name + "\n" + roffLine(usage) + "\n")
	})
}

// roffLine is a line of text: one that begins with a dot or a quote would be a
// request.
func roffLine(s string) string {
	s = roffText(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

// roffText is text as it is to be seen: a plain - or ' or ` would become a
// typographical one, and could not be copied to a shell. It is all ASCII, for
// troff reads nothing else by itself.
func roffText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch escape := roffEscape(r); {
		case escape != "":
			b.WriteString(escape)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// roffEscape is how troff writes a character that means something else to it, ""
// where that is the character itself (groff_char(7)).
func roffEscape(r rune) string {
	switch r {
	case '\\':
		return `\e`
	case '-':
		return `\-`
	case '\'':
		return `\(aq`
	case '`':
		return `\(ga`
	case '^':
		return `\(ha`
	case '~':
		return `\(ti`
	}
	return ""
}
