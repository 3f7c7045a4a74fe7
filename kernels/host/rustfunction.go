package host

// rustFunction keeps the function whose fn is at i, and binds its parameters.
func (s *source) rustFunction(i int) {
	n := s.tok(i + 1)
	j := i + 2
	if n.kind != name {
		return
	}
	if s.tok(j).is("<") {
		j = s.generics(j, len(s.toks))
	}
	if !s.tok(j).is("(") || s.pair[j] < j {
		return
	}
	f := function{name: n.text, open: j}
	for _, p := range s.split(s.inside(j)) {
		for s.tok(p.from).is("#") && s.pair[p.from+1] > 0 {
			p.from = s.pair[p.from+1] + 1
		}
		colon := s.until(p.from, p.to, ":")
		if at := s.tok(colon - 1); colon == p.to && at.word("self") || s.tok(p.from).word("self") {
			f.method = true
			continue
		}
		f.params = append(f.params, param{typ: span{min(colon+1, p.to), p.to}})
		if at := s.tok(colon - 1); at.kind == name {
			f.params[len(f.params)-1].name = at.text
		}
	}
	open := s.until(s.pair[j]+1, len(s.toks), "{", ";")
	f.body = s.inside(open)
	s.funcs[f.name] = append(s.funcs[f.name], f)
	for n, p := range f.params {
		s.bind(p.name, binding{from: f.body.from, to: f.body.to, typ: p.typ, element: -1, param: &f, index: n})
	}
}

// rustStruct keeps the struct whose word is at i. Only repr(C) has a layout that can be
// told.
func (s *source) rustStruct(i int, repr span) {
	n := s.tok(i + 1).text
	st := structure{count: s.structs[n].count + 1}
	for j := repr.from; j < repr.to && s.step(); j++ {
		switch t := s.toks[j]; {
		case t.word("C"), t.word("transparent"):
			st.known = true
		case t.word("align"):
			st.align, _ = s.integer(s.inside(j+1), j, 0)
			st.known = st.known && st.align > 0
		case t.word("packed"):
			st.packed = true
			st.known = st.known && !s.tok(j+1).is("(") // packed(2) is rare
		}
	}
	open := i + 2
	if s.tok(open).is("<") {
		open = s.generics(open, len(s.toks))
		st.known = false
	}
	open = s.until(open, len(s.toks), "{", "(", ";")
	for _, f := range s.split(s.inside(open)) {
		f.from = s.skipVisibility(f.from, f.to)
		p := param{typ: f}
		if s.tok(open).is("{") {
			p = param{name: s.tok(f.from).text, typ: span{min(f.from+2, f.to), f.to}}
			s.bindField(p)
		}
		st.fields = append(st.fields, p)
	}
	s.structs[n] = st
}

// bindField keeps the type of a field under a name that no variable can have.
func (s *source) bindField(p param) {
	s.bind("."+p.name, binding{to: len(s.toks), typ: p.typ, element: -1, constant: true})
}

// skipVisibility skips attributes and pub.
func (s *source) skipVisibility(i, to int) int {
	for i < to && s.step() {
		switch {
		case s.tok(i).is("#") && s.tok(i+1).is("[") && s.pair[i+1] > i:
			i = s.pair[i+1] + 1
		case s.tok(i).word("pub") && s.tok(i+1).is("(") && s.pair[i+1] > i:
			i = s.pair[i+1] + 1
		case s.tok(i).word("pub"):
			i++
		default:
			return i
		}
	}
	return i
}

// rustCalls finds where functions of the file are called.
func (s *source) rustCalls() {
	for i, t := range s.toks {
		if t.kind != name || t.flags&inMacro != 0 || s.tok(i-1).word("fn") || len(s.funcs[t.text]) == 0 || s.funcs[t.text][0].open == i+1 {
			continue
		}
		open := i + 1
		if s.tok(open).is("::") && s.tok(open+1).is("<") {
			open = s.generics(open+1, min(len(s.toks), open+64))
		}
		if s.tok(open).is("(") && s.pair[open] > open {
			s.calls[t.text] = append(s.calls[t.text], open)
		}
	}
}

// maxCalls is how many calls of one function are followed for what its parameter is.
const maxCalls = 16

// argument gives what the calls of a function hand to its parameter; ok is false where
// it is called from nowhere here, from too many places, or where there are several of
// its name.
func (s *source) argument(b binding) (list []span, ok bool) {
	f := b.param
	calls := s.calls[f.name]
	if len(s.funcs[f.name]) != 1 || len(calls) == 0 || len(calls) > maxCalls {
		return nil, false
	}
	for _, open := range calls {
		args := s.split(s.inside(open))
		n := b.index
		if f.method && !s.tok(open-2).is(".") && s.tok(open-2).is("::") {
			n++ // Type::f(self, …)
		}
		if n >= len(args) {
			return nil, false
		}
		list = append(list, args[n])
	}
	return list, true
}
