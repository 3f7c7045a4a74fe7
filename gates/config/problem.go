package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Problem is one mistake in one file.
type Problem struct {
	File   string // the workspace's file by its base name, any other as in Sources
	Line   int    // from 1
	Column int    // from 1, in characters
	Width  int    // characters to underline, at least 1
	Source string // the line as it stands in the file
	Msg    string
	Hint   string // what to write instead; can be empty
}

// Problems are the mistakes of all files, in the order of their lines.
type Problems []Problem

// Error shows every problem as Problem.String does, without a newline at the end.
func (p Problems) Error() string {
	all := make([]string, len(p))
	for i := range p {
		all[i] = p[i].String()
	}
	return strings.Join(all, "\n")
}

func (p Problems) sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
}

// String shows the problem with its source line and a caret, as a compiler does.
func (p Problem) String() string {
	number := fmt.Sprintf("%4d", p.Line)
	shown, under := p.excerpt()
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s\n", plain(p.File), p.Line, p.Column, plain(p.Msg))
	fmt.Fprintln(&b, strings.TrimRight(number+" | "+shown, " \t"))
	fmt.Fprintf(&b, "%s | %s", strings.Repeat(" ", len(number)), under)
	if p.Hint != "" {
		fmt.Fprintf(&b, "\n  hint: %s", plain(p.Hint))
	}
	return b.String()
}

// The part of a long line that is shown: enough for any line a person wrote,
// and little enough that a generated one does not flood the terminal.
const (
	maxExcerpt = 120 // characters
	maxLead    = 60  // of them before the caret
)

// excerpt returns the source line, cut to what is shown, and the line that
// underlines it. Tabs stay tabs in both, so that the carets stand right
// whatever a terminal makes of a tab.
func (p Problem) excerpt() (shown, under string) {
	line := []rune(plain(p.Source))
	from := min(p.Column-1, len(line))
	to := min(from+p.Width, len(line))
	head, tail := "", ""
	if len(line) > maxExcerpt {
		start := max(from-maxLead, 0)
		end := min(start+maxExcerpt, len(line))
		if start > 0 {
			head = "…"
		}
		if end < len(line) {
			tail = "…"
		}
		line, from, to = line[start:end], from-start, min(to, end)-start
	}
	lead := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, head+string(line[:from]))
	return head + string(line) + tail, lead + strings.Repeat("^", max(to-from, 1))
}

// plain makes a text from a file safe to print on a terminal, character for character.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
