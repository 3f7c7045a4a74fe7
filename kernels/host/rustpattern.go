package host

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// names are those that a pattern binds.
func (s *source) names(x span) []string {
	var list []string
	for i := x.from; i < x.to && len(list) < 32 && s.step(); i++ {
		t, n := s.toks[i], s.tok(i+1)
		if t.word("if") {
			break
		}
		if t.kind != name || t.word("mut") || t.word("ref") || s.tok(i-1).is("::") || n.is("::") || n.is("(") || n.is("{") || n.is("!") || n.is(":") && i+1 < x.to {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(t.text); unicode.IsUpper(r) {
			continue
		}
		list = append(list, t.text)
	}
	return list
}

// pattern binds the names of a pattern: one name, a tuple of names, or the one in
// Some(…) or Ok(…), once each. What others bind is not known, but hides what was known before.
func (s *source) pattern(x span, b binding) {
	for s.tok(x.from).word("mut") || s.tok(x.from).word("ref") {
		x.from++
	}
	first := s.tok(x.from)
	switch {
	case x.to-x.from == 1 && first.kind == name:
		s.bind(first.text, b)
		return
	case first.is("(") && s.wraps(x) && b.element < 0:
		for n, e := range s.split(s.inside(x.from)) {
			each := b
			each.typ = span{}
			each.element = n
			s.pattern(e, each)
		}
		return
	case (first.word("Some") || first.word("Ok")) && s.tok(x.from+1).is("(") && s.pair[x.from+1] == x.to-1 && b.element < 0:
		b.typ = span{}
		if in := s.inside(x.from + 1); in.to-in.from <= 2 || s.tok(in.from).is("(") {
			s.pattern(in, b)
			return
		}
	}
	b.value, b.typ, b.element = span{}, span{}, -1
	for _, n := range s.names(x) {
		s.bind(n, b)
	}
}

func (s *source) forIn(i int) {
	in := i + 1
	for in < min(len(s.toks), i+64) && !s.toks[in].word("in") {
		if s.toks[in].is("{") || s.toks[in].is(";") || s.toks[in].is("<") {
			return // impl … for …, or for<'a>
		}
		in = s.after(in)
	}
	open := s.until(in, len(s.toks), "{")
	if body := s.inside(open); !body.empty() {
		s.pattern(span{i + 1, in}, binding{from: body.from, to: body.to, element: -1})
	}
}

// beginsClosure says whether the bar at i begins the parameters of a closure.
func (s *source) beginsClosure(i int) bool {
	p := s.tok(i - 1)
	if p.kind == name {
		return p.text == "move" || p.text == "return"
	}
	return p.kind == punct && strings.Contains(" ( , = { ; => && || ", " "+p.text+" ")
}

func (s *source) closure(i, end int) {
	after := s.closing(i, end)
	if after == i+1 {
		return
	}
	body := span{after, s.until(after, end, ",", ";")}
	if s.tok(after).is("{") {
		body = s.inside(after)
	}
	for _, p := range s.split(span{i + 1, after - 1}) {
		colon := s.until(p.from, p.to, ":")
		b := binding{from: body.from, to: body.to, element: -1}
		if s.tok(colon).is(":") && colon < p.to {
			b.typ = span{colon + 1, p.to}
		}
		s.pattern(span{p.from, colon}, b)
	}
}

// arm binds the names of a match arm's pattern, whose arrow is at i.
func (s *source) arm(i, end int) {
	from := i
	for from > max(0, i-64) {
		p := s.tok(from - 1)
		if p.is(",") || p.is("{") || p.is("}") && s.pair[from-1] < 0 {
			break
		}
		if q := s.pair[from-1]; q >= 0 && q < from-1 {
			if p.is("}") {
				break
			}
			from = q
			continue
		}
		from--
	}
	body := span{i + 1, s.until(i+1, end, ",")}
	if s.tok(i + 1).is("{") {
		body = s.inside(i + 1)
	}
	s.pattern(span{from, i}, binding{from: i, to: body.to, element: -1})
}
