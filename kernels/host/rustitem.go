package host

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// rustItems finds what names stand for.
func (s *source) rustItems() {
	var ends []int // of the blocks that stand open
	repr := span{}
	for i := 0; i < len(s.toks) && s.step(); i++ {
		for len(ends) > 0 && i >= ends[len(ends)-1] {
			ends = ends[:len(ends)-1]
		}
		end := len(s.toks)
		if len(ends) > 0 {
			end = ends[len(ends)-1]
		}
		t := s.toks[i]
		if t.flags&inMacro != 0 {
			continue
		}
		switch {
		case t.is("{"):
			if s.pair[i] > i {
				ends = append(ends, s.pair[i])
			}
			s.literal(i)
		case t.is("#") && s.tok(i+1).is("[") && s.tok(i+2).word("repr"):
			repr = s.inside(i + 3)
		case t.word("fn"):
			s.rustFunction(i)
		case t.word("let"):
			s.let(i, end)
		case t.word("for"):
			s.forIn(i)
		case t.word("const") || t.word("static"):
			s.constant(i)
		case t.word("struct"):
			s.rustStruct(i, repr)
			repr = span{}
		case t.word("type") && s.tok(i+2).is("="):
			to := s.until(i+3, len(s.toks), ";")
			s.structs["type "+s.tok(i+1).text] = structure{fields: []param{{typ: span{i + 3, to}}}, count: 1}
		case t.is("|") && s.beginsClosure(i):
			s.closure(i, end)
		case t.is("=>"):
			s.arm(i, end)
		case t.is("="):
			s.assign(i, end)
		}
	}
}

// until gives the first of the given tokens from i on that stands in no bracket of its
// own, and to where there is none.
func (s *source) until(i, to int, any ...string) int {
	for ; i < to; i = s.after(i) {
		t := s.toks[i]
		if t.kind != punct {
			continue
		}
		for _, a := range any {
			if t.text == a {
				return i
			}
		}
		if t.is("}") || t.is(")") || t.is("]") {
			return i
		}
	}
	return min(i, to)
}

// let binds what a let does: to the end of the block, or of the block it is a condition of.
func (s *source) let(i, end int) {
	eq := s.until(i+1, end, "=", ":", ";")
	pattern, typ := span{i + 1, eq}, span{}
	if s.tok(eq).is(":") {
		colon := eq
		eq = s.typeEnd(colon+1, end)
		typ = span{colon + 1, eq}
	}
	value := span{}
	conditional := s.tok(i-1).word("if") || s.tok(i-1).word("while") || s.tok(i-1).is("&&")
	from, to := eq, end
	if s.tok(eq).is("=") {
		stops := []string{";"}
		if conditional {
			stops = []string{"{", "&&"}
		}
		value = span{eq + 1, s.until(eq+1, end, stops...)}
		from = value.to
	}
	if conditional {
		open := s.until(from, end, "{")
		if to = s.inside(open).to; to == 0 {
			return
		}
	}
	s.pattern(pattern, binding{from: from, to: to, value: value, typ: typ, element: -1})
}

// typeEnd is where the type that begins at i ends: at = or ;, but not at that of
// Iterator<Item = T>.
func (s *source) typeEnd(i, to int) int {
	depth := 0
	for ; i < to; i = s.after(i) {
		switch t := s.toks[i]; {
		case t.is("<"):
			depth++
		case t.is(">"):
			depth--
		case t.is(";"), t.is("=") && depth <= 0, t.is("}"):
			return i
		}
	}
	return min(i, to)
}

func (s *source) constant(i int) {
	if s.tok(i + 1).word("mut") {
		i++
	}
	if s.tok(i+1).kind != name || !s.tok(i+2).is(":") {
		return
	}
	eq := s.typeEnd(i+3, len(s.toks))
	b := binding{from: 0, to: len(s.toks), typ: span{i + 3, eq}, element: -1, constant: true}
	if s.tok(eq).is("=") {
		b.value = span{eq + 1, s.until(eq+1, len(s.toks), ";")}
	}
	s.bind(s.toks[i+1].text, b)
}

// assign keeps what is put into a field, or into a variable after it was bound.
func (s *source) assign(i, end int) {
	n := s.tok(i - 1)
	if n.kind != name {
		return
	}
	value := span{i + 1, s.until(i+1, end, ";")}
	switch p := s.tok(i - 2); {
	case p.is(".") || p.is("->"):
		s.fields[n.text] = append(s.fields[n.text], value)
	case p.is(";") || p.is("{") || p.is("}"):
		s.assigns[n.text] = append(s.assigns[n.text], value)
	}
}

// literal keeps what a struct literal puts into its fields.
func (s *source) literal(i int) {
	p := s.tok(i - 1)
	if p.kind != name && !p.is(">") || strings.Contains(" struct enum union trait impl mod for else unsafe ", " "+s.tok(i-2).text+" ") || strings.Contains(" else unsafe loop move ", " "+p.text+" ") {
		return
	}
	if r, _ := utf8.DecodeRuneInString(p.text); p.kind == name && !unicode.IsUpper(r) {
		return
	}
	for _, f := range s.split(s.inside(i)) {
		n := s.tok(f.from)
		switch {
		case n.kind != name:
		case f.to-f.from == 1:
			s.fields[n.text] = append(s.fields[n.text], f)
		case s.tok(f.from + 1).is(":"):
			s.fields[n.text] = append(s.fields[n.text], span{f.from + 2, f.to})
		}
	}
}
