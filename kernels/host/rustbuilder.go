package host

// builder reads a launch by builder: stream.launch_builder(&f).arg(&x).launch(cfg), in
// one chain or over several statements.
func (s *source) builder(i int, f span) {
	l := Launch{Form: Builder, ArgsKnown: true}
	end, launched := s.chain(i, &l)
	if launched {
		s.launch(i, f, l)
		return
	}
	if s.tok(end).is(";") {
		if n, b, ok := s.boundBy(i); ok {
			s.statements(i, f, n, b, l)
			return
		}
	}
	s.unread(i, "a launch builder whose arguments could not be followed")
	s.launch(i, f, Launch{Form: Builder})
}

// chain reads the calls that are chained after the call at i. It gives the token after
// the last, and whether that was a launch.
func (s *source) chain(i int, l *Launch) (end int, launched bool) {
	end = i + 1
	if s.tok(end).is("(") && s.pair[end] > end {
		end = s.pair[end] + 1
	}
	for s.tok(end).is(".") && s.tok(end+1).kind == name && s.step() {
		call := s.toks[end+1].text
		open := end + 2
		if !s.tok(open).is("(") || s.pair[open] < open {
			break
		}
		switch call {
		case "arg":
			l.Args = append(l.Args, s.rustArg(s.inside(open)))
		case "launch", "launch_cooperative":
			if args := s.split(s.inside(open)); len(args) > 0 {
				l.Block = s.blockOf(args[0], open)
			}
			return s.pair[open] + 1, true
		}
		end = s.pair[open] + 1
	}
	return end, false
}

// boundBy gives the variable that the statement of the token i binds.
func (s *source) boundBy(i int) (string, binding, bool) {
	for j := i; j > max(0, i-40); j-- {
		if s.toks[j].is(";") || s.toks[j].is("{") && s.pair[j] < 0 {
			break
		}
		if !s.toks[j].word("let") {
			continue
		}
		n := s.tok(j + 1)
		if n.word("mut") {
			n = s.tok(j + 2)
		}
		for _, b := range s.bound[n.text] {
			if b.value.from <= i && i < b.value.to && s.step() {
				return n.text, b, true
			}
		}
	}
	return "", binding{}, false
}

// looksBuilt says whether the variable that a .builder() is bound to is given arguments
// and launched.
func (s *source) looksBuilt(i int) bool {
	n, b, ok := s.boundBy(i)
	arg, launch := false, false
	for j := b.from; ok && j < b.to && s.step(); j++ {
		if s.toks[j].word(n) && s.tok(j+1).is(".") {
			arg = arg || s.tok(j+2).word("arg")
			launch = launch || s.tok(j+2).word("launch")
		}
	}
	return arg && launch
}

// statements reads what is done to a builder after it was bound, up to each launch.
func (s *source) statements(i int, f span, n string, b binding, l Launch) {
	home := s.blocks(b.from, b)
	launches := 0
	var given []int // where arguments are added
	for j := b.from; j < b.to && s.step(); j++ {
		t := s.toks[j]
		if !t.word(n) || s.tok(j-1).is(".") || s.tok(j-1).is("::") {
			continue
		}
		switch {
		case s.tok(j-1).word("let") || s.tok(j-1).word("mut") && s.tok(j-2).word("let"):
			j = b.to // hidden by another of its name
		case s.tok(j + 1).is("."):
			had := len(l.Args)
			one := l
			one.Args = append([]Arg(nil), l.Args...)
			_, launched := s.chain(j, &one)
			if len(one.Args) > had {
				given = append(given, j)
			}
			l.Args = one.Args
			if len(one.Args) > had && s.conditional(j) {
				l.ArgsKnown, one.ArgsKnown = false, false
				s.unread(j, "how many arguments %s has: one is there under a cfg only", n)
			}
			if launched {
				launches++
				one.ArgsKnown = one.ArgsKnown && s.straight(given, j, b, home)
				if l.ArgsKnown && !one.ArgsKnown {
					s.unread(j, "how many arguments %s has here: some are added in a branch or a loop", n)
				}
				s.launch(j, f, one)
			}
		case s.macroArgs(j, &l):
			given = append(given, j)
		default:
			if l.ArgsKnown {
				s.unread(j, "how many arguments %s has: it is handed on", n)
			}
			l.ArgsKnown = false
		}
	}
	if launches == 0 {
		s.unread(i, "a launch builder that is not launched where it is made")
		s.launch(i, f, Launch{Form: Builder})
	}
}

// conditional says whether the statement that begins at j has an attribute.
func (s *source) conditional(j int) bool {
	return s.tok(j-1).is("]") && s.pair[j-1] > 0 && s.tok(s.pair[j-1]-1).is("#")
}

// macroArgs reads barg!(builder, a, b), candle's, which adds its arguments in turn.
func (s *source) macroArgs(j int, l *Launch) bool {
	if !s.tok(j-1).is("(") || !s.tok(j-2).is("!") || !s.tok(j-3).word("barg") && !s.tok(j-3).word("builder_arg") {
		return false
	}
	for n, a := range s.split(s.inside(j - 1)) {
		if n > 0 {
			l.Args = append(l.Args, s.rustArg(a))
		}
	}
	return true
}

// block is one that stands around a token.
type block struct {
	open  int
	plain bool // it is run once, whenever what stands around it is
	loop  bool
}

// blocks are those between a binding's block and a token, the innermost first.
func (s *source) blocks(i int, b binding) []block {
	var list []block
	for j := i - 1; j >= b.from && s.step(); j-- {
		if q := s.pair[j]; q >= 0 && q < j {
			j = q
			continue
		}
		if s.toks[j].is("{") && s.pair[j] > i {
			list = append(list, block{open: j, plain: s.plainBlock(j), loop: s.loopBlock(j, b.from)})
		}
	}
	return list
}

// plainBlock says whether the block at j is only there for its unsafe, or its scope.
func (s *source) plainBlock(j int) bool {
	p := s.tok(j - 1)
	return p.word("unsafe") || p.is(";") || p.is("{") || p.is("}") || p.is("=") || p.is("(")
}

// loopBlock says whether the block at j is the body of a loop or a closure.
func (s *source) loopBlock(j, from int) bool {
	for k := j - 1; k >= from && k > j-40; k-- {
		switch t := s.toks[k]; {
		case t.is(";"), t.is("{"), t.is("}"):
			return false
		case t.word("for"), t.word("while"), t.word("loop"), t.is("|"), t.is("||"):
			return true
		}
	}
	return false
}

// straight says whether every argument that was added is there whenever the launch at j
// is come to, and once.
func (s *source) straight(given []int, j int, b binding, home []block) bool {
	around := s.blocks(j, b)
	for _, g := range given {
		for _, x := range s.blocks(g, b) {
			shared := false
			for _, a := range around {
				shared = shared || a.open == x.open
			}
			if x.loop || !shared && !x.plain {
				return false
			}
		}
	}
	return len(home) == 0
}
