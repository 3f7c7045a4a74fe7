package propose

import (
	"slices"
	"strconv"
	"strings"
)

// Bounds of what is kept of an output.
const (
	maxShapes  = 4000 // different kinds of lines; a program has some dozens
	maxNumbers = 16   // in one line: more is a matrix
	maxTokens  = 80
	maxKept    = 16 // lines kept of a shape, as they were printed
	maxValues  = 32 // different texts kept of a number or a word
)

// shape is a kind of line: what stays when its numbers and its labels change.
type shape struct {
	tokens []token // of the first line
	nums   []num   // its numbers, in order
	labels []label // its words that change, in order
	lines  []string
	count  int
	order  int // of the first line among all
}

// num is one number of a shape, over all its lines.
type num struct {
	at        int // its token
	low, high float64
	lowText   string
	highText  string
	whole     bool     // always a whole number, without a point
	values    []string // different texts, up to maxValues
	many      bool     // there were more
	equal     bool     // always equal to the number that follows it
}

// label is a word that names what a number belongs to.
type label struct {
	at     int
	name   string
	values []string
}

// labelling are words behind which a name stands.
var labelling = []string{"on", "at", "for", "in", "case", "term", "layer", "tensor", "param", "name", "kernel", "shape", "dtype", "device"}

// key is what two lines of one shape have in common, and where its labels are.
func key(tokens []token) (text string, labels []label) {
	var b strings.Builder
	for i, t := range tokens {
		name := labelName(tokens, i)
		switch {
		case t.kind == number:
			b.WriteString("\x01")
		case t.kind == blank:
			b.WriteString(" ")
		case name != "":
			labels = append(labels, label{at: i, name: name})
			b.WriteString("\x02")
		default:
			b.WriteString(t.text)
		}
	}
	return b.String(), labels
}

// labelName is the name of the label that a token is, "" when it is none: a
// word behind "on", or behind "name=".
func labelName(tokens []token, i int) string {
	if i < 2 || tokens[i].kind != word || tokens[i-2].kind != word {
		return ""
	}
	before := tokens[i-2].text
	switch {
	case tokens[i-1].text == "=" && isGroup(before):
		return before
	case tokens[i-1].kind == blank && slices.Contains(labelling, before) && unitOfWord(tokens[i].text) == "" && !namesNumber(tokens[i+1:]):
		return before
	}
	return ""
}

// namesNumber says that what follows a word is the number that it names.
func namesNumber(rest []token) bool {
	for _, t := range rest {
		switch {
		case t.kind == number:
			return true
		case t.kind != blank && t.text != ":" && t.text != "=":
			return false
		}
	}
	return false
}

// isGroup says whether a word can name a group of a pattern.
func isGroup(s string) bool {
	for i, r := range s {
		switch {
		case r == '_', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		case i > 0 && '0' <= r && r <= '9':
		default:
			return false
		}
	}
	return s != ""
}

// shapes is a bounded table of the kinds of lines.
type shapes struct {
	list []*shape
	by   map[string]*shape // nil for noise
	full bool
}

// add takes a line up; noise says, of the first of its kind, that the kind is
// nobody's. The result is false for noise.
func (t *shapes) add(line string, noise func() bool) bool {
	tokens := cut(line)
	numbers := 0
	for _, tok := range tokens {
		if tok.kind == number {
			numbers++
		}
	}
	text, labels := key(tokens)
	s, known := t.by[text]
	switch {
	case known && s == nil:
		return false
	case numbers == 0 || numbers > maxNumbers || len(tokens) > maxTokens:
		return true
	case !known && len(t.by) == maxShapes:
		t.full = true
		return false
	case !known && noise():
		t.by[text] = nil
		return false
	case !known:
		s = newShape(tokens, labels, len(t.list))
		t.by[text], t.list = s, append(t.list, s)
	}
	s.take(tokens, line)
	return true
}

func newShape(tokens []token, labels []label, order int) *shape {
	s := &shape{tokens: tokens, labels: labels, order: order}
	for i, t := range tokens {
		if t.kind == number {
			s.nums = append(s.nums, num{at: i, whole: true, equal: true})
		}
	}
	return s
}

// take adds one line to what is known of its shape.
func (s *shape) take(tokens []token, line string) {
	for i := range s.nums {
		n := &s.nums[i]
		n.add(tokens[n.at].text, s.count == 0)
		if i+1 < len(s.nums) {
			n.equal = n.equal && tokens[n.at].text == tokens[s.nums[i+1].at].text
		}
	}
	for i := range s.labels {
		s.labels[i].values, _ = keep(s.labels[i].values, tokens[s.labels[i].at].text)
	}
	if s.count++; len(s.lines) < maxKept {
		s.lines = append(s.lines, line)
	}
}

func (n *num) add(text string, first bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return // beyond a float64: no bar can hold it
	}
	if first || v < n.low {
		n.low, n.lowText = v, text
	}
	if first || v > n.high {
		n.high, n.highText = v, text
	}
	n.whole = n.whole && !strings.ContainsAny(text, ".eE")
	var more bool
	if n.values, more = keep(n.values, text); more {
		n.many = true
	}
}

// keep adds a text that is not there yet, up to maxValues.
func keep(list []string, text string) (out []string, more bool) {
	switch {
	case slices.Contains(list, text):
		return list, false
	case len(list) == maxValues:
		return list, true
	}
	return append(list, text), false
}
