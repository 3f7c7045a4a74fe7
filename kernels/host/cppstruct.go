package host

import "strings"

// cppMacros keeps the macros that are numbers, and says what the others would launch.
func (s *source) cppMacros() {
	for i, t := range s.macros {
		at := func(n int) token {
			if i+n < len(s.macros) {
				return s.macros[i+n]
			}
			return token{}
		}
		switch {
		case t.word("define") && at(2).kind == number && at(2).line == t.line && (at(3).line != t.line || at(3).text == "define"):
			if v, ok := parseInteger(at(2).text); ok {
				s.defines[at(1).text] = v
			}
		case t.is("<") && at(1).is("<") && at(2).is("<") && at(2).at == t.at+2, t.word("cuLaunchKernel"), t.word("cudaLaunchKernel"), t.word("cuModuleGetFunction"):
			s.file.Unread = append(s.file.Unread, Unread{Line: t.line, Why: "a launch or a lookup in a macro: macros are not expanded", Marks: Marks{Off: t.flags&isOff != 0}})
		}
	}
}

// cppStruct keeps the struct whose word is at i.
func (s *source) cppStruct(i int) {
	j := i + 1
	for s.tok(j).kind == name && s.tok(j+1).is("(") { // __align__(16)
		j = s.after(j + 1)
	}
	n := s.tok(j)
	if n.kind != name || !s.tok(j+1).is("{") || s.pair[j+1] < j {
		return
	}
	st := structure{count: s.structs[n.text].count + 1, known: j == i+1}
	in := s.inside(j + 1)
	for k := in.from; k < in.to && s.step(); {
		stop := s.until(k, in.to, ";", "{")
		if !s.tok(stop).is(";") || stop >= in.to {
			st.known = false // functions may be virtual
			k = s.after(min(stop, len(s.toks)-1))
			continue
		}
		st.known = s.member(span{k, stop}, &st) && st.known
		k = stop + 1
	}
	s.structs[n.text] = st
}

// member reads a declaration of a struct: type a, *b.
func (s *source) member(x span, st *structure) bool {
	n := s.typeLength(x.from, x.to)
	if n == x.from || strings.Contains(notTypes, " "+s.tok(x.from).text+" ") || s.tok(x.from).word("static") || s.tok(x.from).word("constexpr") {
		return false
	}
	for _, d := range s.split(span{n, x.to}) {
		to := s.until(d.from, d.to, "=", "{", "[", ":", "(")
		p := param{name: s.tok(to - 1).text, typ: span{x.from, n}}
		if s.tok(d.from).is("*") {
			p.typ = span{d.from, d.from + 1}
		}
		if to < d.to && !s.tok(to).is("=") && !s.tok(to).is("{") || s.tok(to-1).kind != name {
			st.fields = append(st.fields, param{name: p.name}) // an array, a bit field
			return false
		}
		st.fields = append(st.fields, p)
		s.bindField(p)
	}
	return true
}
