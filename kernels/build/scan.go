package build

import (
	"bytes"
	"fmt"
	"strings"
)

// mention is a header's name in a source, wherever it stands: in a branch that is
// not taken, or in __has_include, as well. Where it would be found decides what is
// compiled.
type mention struct {
	name   string
	quoted bool // the mentioner's own directory comes first
	next   bool // of include_next
}

// scanned is what a source says of other files.
type scanned struct {
	Mentions string // encoded by encode
	Makes    bool   // it includes a name that a macro makes
	Blind    string // where it asks for a file in a way that cannot be followed: "line 12: …", or ""
}

// scan reads the directives of a source. It takes too many for one (in comments,
// in raw strings), which costs a needless compile at the worst, and never too few:
// a name that a macro makes is found by what was included (see [tree.derive]).
func scan(text []byte) scanned {
	var all []mention
	var s scanned
	seen := map[mention]bool{}
	for no, line := range directives(text) {
		found, blind, makes := mentions(line)
		s.Makes = s.Makes || makes
		if blind && s.Blind == "" {
			s.Blind = fmt.Sprintf("line %d: __has_include of a name that a macro makes", no)
		}
		for _, m := range found {
			if !seen[m] && m.name != "" && !strings.ContainsAny(m.name, "\x00\n") {
				seen[m] = true
				all = append(all, m)
			}
		}
	}
	if at := bytes.Index(text, []byte(".incbin")); at >= 0 && s.Blind == "" {
		s.Blind = fmt.Sprintf("line %d: a file that the assembler includes", 1+bytes.Count(text[:at], []byte("\n")))
	}
	s.Mentions = encode(all)
	return s
}

// directives yields each preprocessor line behind its #, with its number, joined
// where it ends in a backslash.
func directives(text []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for no := 1; len(text) > 0; no++ {
			line, rest, _ := bytes.Cut(text, []byte("\n"))
			start := no
			// Most lines are no directive, and need no look at their end.
			if hash := bytes.IndexByte(line, '#'); hash >= 0 || continued(line) {
				joined := bytes.Clone(line)
				for continued(joined) && len(rest) > 0 {
					joined = joined[:bytes.LastIndexByte(joined, '\\')]
					line, rest, _ = bytes.Cut(rest, []byte("\n"))
					joined = append(joined, line...)
					no++
				}
				if d, ok := directive(string(joined)); ok && !yield(start, d) {
					return
				}
			}
			text = rest
		}
	}
}

// continued is whether the line goes on: GCC lets blanks stand behind the backslash.
func continued(line []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte(`\`))
}

// directive is what stands behind the # that begins a line, comments before it
// aside.
func directive(line string) (string, bool) {
	if _, after, ok := strings.Cut(line, "*/"); ok && !strings.HasPrefix(strings.TrimSpace(line), "#") {
		line = after
		if d, ok := directive(line); ok {
			return d, true
		}
	}
	d, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
	return strings.TrimSpace(d), ok
}

// encode and decode turn mentions to text and back: a sign that says how the name
// is looked up, and the name.
func encode(all []mention) string {
	var b strings.Builder
	for i, m := range all {
		if i > 0 {
			b.WriteByte(0)
		}
		sign := "<"
		switch {
		case m.next && m.quoted:
			sign = "N"
		case m.next:
			sign = "n"
		case m.quoted:
			sign = `"`
		}
		b.WriteString(sign + m.name)
	}
	return b.String()
}

func decode(text string) func(yield func(mention) bool) {
	return func(yield func(mention) bool) {
		for text != "" {
			one, rest, _ := strings.Cut(text, "\x00")
			text = rest
			if one == "" {
				continue
			}
			m := mention{name: one[1:], quoted: one[0] == '"' || one[0] == 'N', next: one[0] == 'n' || one[0] == 'N'}
			if !yield(m) {
				return
			}
		}
	}
}
