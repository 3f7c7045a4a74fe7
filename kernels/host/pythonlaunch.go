package host

// pythonLaunches finds calls of what was looked up: f(a, b, block=…) of pycuda, and
// f(grid, block, (a, b)) of cupy.
func (s *source) pythonLaunches() {
	for i, t := range s.toks {
		if t.kind != name || !s.tok(i+1).is("(") || s.pair[i+1] < i || s.tok(i-1).word("def") {
			continue
		}
		args := s.split(s.inside(i + 1))
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
