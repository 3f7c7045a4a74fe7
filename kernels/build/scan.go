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
	Asks     bool   // it defines a macro that asks with __has_include for what it is given
	Blind    string // where it asks for a file in a way that cannot be followed: "line 12: …", or ""
	Asm      assembler
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
		if d, ok := macroOf(line); ok && strings.Contains(d.body, "__has_") {
			s.Asks = s.Asks || d.asks(nil)
		}
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
	s.Asm = assembles(text)
	s.Mentions = encode(all)
	return s
}

// directives yields each preprocessor line behind its #, with its number, joined
// where it ends in a backslash or in the middle of a comment.
func directives(text []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for no := 1; len(text) > 0; no++ {
			line, rest, _ := bytes.Cut(text, []byte("\n"))
			start := no
			// Most lines are no directive, and need no look at their end.
			if begins(line) || continued(line) {
				var more int
				joined := []byte(nil)
				joined, rest, more = join(bytes.Clone(line), rest)
				no += more
				d, ok := directive(string(joined))
				for ok && open(d) {
					end := bytes.Index(rest, []byte("*/"))
					if end < 0 {
						break
					}
					no += 1 + bytes.Count(rest[:end], []byte("\n"))
					tail, after, _ := bytes.Cut(rest[end:], []byte("\n"))
					tail, rest, more = join(bytes.Clone(tail), after)
					no += more
					joined = append(append(joined, ' '), tail...)
					d, ok = directive(string(joined))
				}
				if ok && !yield(start, plain(d)) {
					return
				}
			}
			text = rest
		}
	}
}

// begins is whether a line can begin a directive: with a #, or what C++ takes for one.
func begins(line []byte) bool {
	return bytes.IndexByte(line, '#') >= 0 || bytes.Contains(line, []byte("%:")) || bytes.Contains(line, []byte("??="))
}

// join adds the lines that a line goes on in, and says how many those were.
func join(line, rest []byte) (joined, left []byte, lines int) {
	for continued(line) && len(rest) > 0 {
		line = bytes.TrimSuffix(bytes.TrimRight(line, " \t\r"), []byte(`\`))
		line = bytes.TrimSuffix(line, []byte("??/"))
		var next []byte
		next, rest, _ = bytes.Cut(rest, []byte("\n"))
		line = append(line, next...)
		lines++
	}
	return line, rest, lines
}

// continued is whether the line goes on: GCC lets blanks stand behind the backslash.
func continued(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r")
	return bytes.HasSuffix(line, []byte(`\`)) || bytes.HasSuffix(line, []byte("??/"))
}

// hashes are what begins a directive: a #, its digraph, its trigraph.
var hashes = []string{"#", "%:", "??="}

// directive is what stands behind the # that begins a line, comments before it
// aside.
func directive(line string) (string, bool) {
	line = strings.TrimSpace(line)
	for _, hash := range hashes {
		if d, ok := strings.CutPrefix(line, hash); ok {
			return strings.TrimSpace(d), true
		}
	}
	if _, after, ok := strings.Cut(line, "*/"); ok {
		return directive(after)
	}
	return "", false
}

// open is whether a comment begins in a directive that does not end in it.
func open(directive string) bool {
	_, open := uncommented(directive)
	return open
}

// plain is a directive without its comments.
func plain(directive string) string {
	text, _ := uncommented(directive)
	return strings.TrimSpace(text)
}

// uncommented takes the comments out of a directive, but for those that look so within
// quotes, and says whether one of them has no end. What is behind // stays: it is often
// part of a name, and else does no harm.
func uncommented(text string) (plain string, open bool) {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "//"):
			return b.String() + rest, false
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return b.String(), true
			}
			b.WriteByte(' ')
			i += end + 4
		case rest[0] == '"' && strings.IndexByte(rest[1:], '"') >= 0:
			n := strings.IndexByte(rest[1:], '"') + 2
			b.WriteString(rest[:n])
			i += n
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String(), false
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
