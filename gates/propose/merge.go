package propose

import (
	"slices"
	"strings"
)

// alike is how many shapes that differ in one word are one shape with a label:
// two may be two things, seven gradients are one number each.
const alike = 3

// merge makes one shape of those that differ in one word only.
func (t *shapes) merge() {
	type group struct {
		at   int
		list []*shape
	}
	groups := make(map[string]*group)
	var order []string
	for _, s := range t.list {
		for at := range s.tokens {
			if !s.mayVary(at) {
				continue
			}
			k := s.without(at)
			if groups[k] == nil {
				groups[k] = &group{at: at}
				order = append(order, k)
			}
			groups[k].list = append(groups[k].list, s)
		}
	}
	gone := make(map[*shape]bool)
	for _, k := range order {
		g := groups[k]
		list := slices.DeleteFunc(g.list, func(s *shape) bool { return gone[s] })
		if len(list) < alike || slices.ContainsFunc(list, func(s *shape) bool { return s.isLabel(g.at) }) {
			continue
		}
		for _, s := range list[1:] {
			list[0].absorb(s)
			gone[s] = true
		}
		list[0].vary(g.at, list[1:])
	}
	t.list = slices.DeleteFunc(t.list, func(s *shape) bool { return gone[s] })
}

// mayVary says that a word can become a label: it is no key of a number, and
// not the only word that would name one.
func (s *shape) mayVary(at int) bool {
	if s.tokens[at].kind != word || s.isLabel(at) || unitOfWord(s.tokens[at].text) != "" {
		return false
	}
	if at+1 < len(s.tokens) && s.tokens[at+1].text == "=" {
		return false
	}
	for i, t := range s.tokens {
		if i != at && t.kind == word && !s.isLabel(i) && unitOfWord(t.text) == "" {
			return true
		}
	}
	return false
}

// without is the shape's key without one word.
func (s *shape) without(at int) string {
	tokens := slices.Clone(s.tokens)
	tokens[at] = token{sign, "\x03"}
	var b strings.Builder
	for i, t := range tokens {
		switch {
		case t.kind == number:
			b.WriteString("\x01")
		case t.kind == blank:
			b.WriteString(" ")
		case s.isLabel(i):
			b.WriteString("\x02")
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// absorb adds what is known of another shape with the same numbers.
func (s *shape) absorb(o *shape) {
	for i := range s.nums {
		a, b := &s.nums[i], &o.nums[i]
		if b.low < a.low {
			a.low, a.lowText = b.low, b.lowText
		}
		if b.high > a.high {
			a.high, a.highText = b.high, b.highText
		}
		a.whole, a.equal, a.many = a.whole && b.whole, a.equal && b.equal, a.many || b.many
		for _, v := range b.values {
			a.values, _ = keep(a.values, v)
		}
	}
	for i := range s.labels {
		for _, v := range o.labels[i].values {
			s.labels[i].values, _ = keep(s.labels[i].values, v)
		}
	}
	s.count += o.count
	if len(s.lines) < maxValues {
		s.lines = append(s.lines, o.lines[0])
	}
}

// vary makes a label of a word.
func (s *shape) vary(at int, others []*shape) {
	l := label{at: at, name: "what", values: []string{s.tokens[at].text}}
	for _, o := range others {
		l.values, _ = keep(l.values, o.tokens[at].text)
	}
	s.labels = append(s.labels, l)
	slices.SortFunc(s.labels, func(a, b label) int { return a.at - b.at })
}
