package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// page is the drawing so far.
type page struct{ bytes.Buffer }

// printf writes an element on a line of its own. Texts in it must be escaped.
func (p *page) printf(format string, args ...any) {
	fmt.Fprintf(&p.Buffer, format+"\n", args...)
}

// words is a text at a place. It is at its left end, or at "mid" or "end" of it.
type words struct {
	class, at string
	x         float64
	y         int
	text      string
}

func (p *page) text(w words) {
	class := w.class
	if w.at != "" {
		class += " " + w.at
	}
	p.printf(`<text class="%s" x="%s" y="%d">%s</text>`, class, num(w.x), w.y, escape(w.text))
}

// num writes a number of pixels, to a tenth.
func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// escape makes a text safe between tags and in attributes.
func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(clean(s))) // a strings.Builder has no errors
	return b.String()
}

// longestText is what a label may have, in characters: a command line can have
// a megabyte.
const longestText = 300

// clean replaces what cannot be seen. Such characters could hide a part of the
// text or turn it around.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, s)
	return fit(s, longestText)
}

// fit cuts a text to so many cells of a fixed-width font, with an ellipsis. A
// character beyond the first few alphabets is counted as two, as wide as it can
// be.
func fit(s string, cells int) string {
	used, end := 0, 0 // end is where the text would be cut
	for i, r := range s {
		if used < cells {
			end = i
		}
		used++
		if r >= 0x1100 {
			used++
		}
		if used > cells {
			return s[:end] + "…"
		}
	}
	return s
}
