package host

import "slices"

// pythonLaunches finds calls of what was looked up: f(a, b, block=…) of pycuda, and
// f(grid, block, (a, b)) of cupy.
func (s *source) pythonLaunches() {
	card := s.importsCard()
	for i, t := range s.toks {
		if t.kind == name && s.tok(i+1).is("[") && s.pair[i+1] > i && s.tok(s.pair[i+1]+1).is("(") {
			s.pythonElement(i, card)
			continue
		}
		if t.kind != name || !s.tok(i+1).is("(") || s.pair[i+1] < i || s.tok(i-1).word("def") {
			continue
		}
		args := s.split(s.inside(i + 1))
		if close := s.pair[i+1]; (len(s.looked[i]) > 0 || s.dark[i]) && s.tok(close+1).is("(") && s.pair[close+1] > close {
			s.pythonLaunch(i, span{i, i + 1}, s.split(s.inside(close+1)), false) // m.get_function("f")(…)
			continue
		}
		if t.text == "cuLaunchKernel" && len(args) == 11 {
			l := Launch{Form: LaunchKernel, Block: s.threeOf(args[4:7], i)}
			s.unread(i, "the arguments of the launch: %s is put together at run time", s.show(args[9]))
			s.launch(i, args[0], l)
			continue
		}
		f := span{i, i + 1}
		prepared := t.text == "prepared_call" && s.tok(i-1).is(".")
		if prepared {
			f = s.receiver(i - 1)
		} else if len(s.looked[i]) > 0 || len(s.bound[t.text]) == 0 && !s.tok(i-1).is(".") || s.tok(i-1).is(".") && len(s.fields[t.text]) == 0 {
			continue
		}
		if s.follow(s.variable(f), s.toLookups, 0) != nil {
			s.pythonLaunch(i, s.variable(f), args, prepared)
		}
	}
}

// pythonElement reads fns["f"](…), where fns is a dictionary or a list of what was
// looked up.
func (s *source) pythonElement(i int, card bool) {
	close := s.pair[i+1]
	if s.pair[close+1] < close {
		return
	}
	f := s.variable(span{i, i + 1})
	if s.follow(f, s.toLookups, 0) == nil && !s.silent(f) {
		if args := s.split(s.inside(close + 1)); s.find(s.toks[i].text, i) == nil && s.tok(i-1).text != "." && (card || s.mayLaunch(args)) {
			s.unread(i, "a call of %s, which is not known here", s.show(span{i, close + 1}))
		}
		return
	}
	if x, ok := s.entryOf(i, s.inside(i+1)); ok {
		f = x
	}
	s.pythonLaunch(i, f, s.split(s.inside(close+1)), false)
}

// mayLaunch says whether a call of what is not known can be a launch: by its arguments,
// a grid and a block among them.
func (s *source) mayLaunch(args []span) bool {
	_, block := s.keyword(args, "block")
	_, grid := s.keyword(args, "grid")
	return block || grid || len(args) == 3 && s.tok(args[0].from).is("(") && s.tok(args[1].from).is("(")
}

// importsCard says whether a file has to do with a card.
func (s *source) importsCard() bool {
	for i, t := range s.toks {
		if (t.word("import") || t.word("from")) && slices.Contains([]string{"cupy", "pycuda", "cuda"}, s.tok(i+1).text) {
			return true
		}
	}
	return false
}

// entryOf finds the value of a key in the dictionary that a name is bound to, where
// both are spelt out.
func (s *source) entryOf(i int, key span) (span, bool) {
	found := s.find(s.toks[i].text, i)
	if len(found) != 1 || key.to-key.from != 1 || !s.wraps(found[0].value) || !s.tok(found[0].value.from).is("{") {
		return span{}, false
	}
	for _, e := range s.split(s.inside(found[0].value.from)) {
		if k := s.tok(e.from); k.kind == s.tok(key.from).kind && k.text == s.tok(key.from).text && s.tok(e.from+1).is(":") {
			return span{e.from + 2, e.to}, true
		}
	}
	return span{}, false
}

// variable is the name that is called, without its call.
func (s *source) variable(f span) span {
	if s.tok(f.to).is("(") && s.tok(f.from-1).is(".") {
		return span{f.from - 2, f.to}
	}
	return f
}

func (s *source) pythonLaunch(i int, f span, args []span, prepared bool) {
	l := Launch{Form: Python}
	plain := s.positional(args)
	block, hasBlock := s.keyword(args, "block")
	switch {
	case prepared && len(plain) >= 2:
		block, plain, l.ArgsKnown = plain[1], plain[2:], true
	case hasBlock:
		l.ArgsKnown = true
	case len(plain) == 3:
		if list, ok := s.list(plain[2], i); ok {
			block, plain, l.ArgsKnown = plain[1], list, true
		}
	}
	if !block.empty() {
		l.Block = s.dims(block, i)
	}
	for _, a := range plain {
		if s.tok(a.from).is("*") {
			l.ArgsKnown = false
		}
		l.Args = append(l.Args, s.pythonArg(a))
	}
	if !l.ArgsKnown {
		l.Args = nil
		s.unread(i, "the arguments of the launch could not be followed")
	}
	s.launch(i, f, l)
}

// pythonArg reads np.int32(n) and its kin; an array is a device pointer, and so is
// whatever else, as far as can be seen here.
func (s *source) pythonArg(x span) Arg {
	a := Arg{Text: s.show(x)}
	open := s.pair[max(x.to-1, 0)]
	if open <= x.from || !s.tok(x.to-1).is(")") || !s.plainPath(span{x.from, open}) {
		return a
	}
	sizes := map[string]int{"int8": 1, "uint8": 1, "bool_": 1, "int16": 2, "uint16": 2, "float16": 2, "int32": 4, "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "intp": 8}
	if n := s.tok(open - 1).text; sizes[n] > 0 {
		a.Type, a.Size = n, sizes[n]
	}
	return a
}
