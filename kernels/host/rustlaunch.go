package host

import "strings"

// rustLaunches finds launches.
func (s *source) rustLaunches() {
	for i := range s.toks {
		t := s.toks[i]
		if t.kind != name || t.flags&inMacro != 0 || s.tok(i-1).word("fn") {
			continue
		}
		method := s.tok(i-1).is(".") && s.tok(i+1).is("(") && s.pair[i+1] > i
		switch {
		case t.text == "launch_builder" && method:
			s.builder(i, s.inside(i+1))
		case t.text == "builder" && method && s.inside(i+1).empty():
			if r := s.receiver(i - 1); s.follow(r, s.toLookups, 0) != nil || s.looksBuilt(i) {
				s.builder(i, r)
			}
		case strings.HasPrefix(t.text, "launch") && method:
			s.tuple(i)
		case t.text == "launch" && s.tok(i+1).is("!") && !s.inside(i+2).empty():
			s.launchMacro(i, s.inside(i+2))
		case (t.text == "launch_kernel" || t.text == "cuLaunchKernel") && s.tok(i+1).is("("):
			s.launchKernel(i)
		}
	}
}

// launch keeps a launch of the function that x comes to.
func (s *source) launch(i int, x span, l Launch) {
	l.Line, l.Marks = s.toks[i].line, s.marks(i)
	l.Lookups = s.follow(x, s.toLookups, 0)
	for _, n := range l.Lookups {
		l.Kernels = append(l.Kernels, s.file.Lookups[n].Name)
	}
	if len(l.Kernels) == 0 && !s.silent(x) {
		s.unread(i, "which kernel is launched: %s could not be followed to a lookup", s.show(x))
	}
	s.file.Launches = append(s.file.Launches, l)
}

// silent says whether it has been said already why a function is not known: where its
// lookup is seen, and its name is not.
func (s *source) silent(x span) bool {
	return s.follow(x, func(i int) []int {
		if s.dark[i] {
			return []int{0}
		}
		return nil
	}, 0) != nil
}

// tuple reads the older f.launch(cfg, (a, b)), and cust's stream.launch(&f, grid,
// block, shared, &[a, b]).
func (s *source) tuple(i int) {
	args := s.split(s.inside(i + 1))
	f, params, config := s.receiver(i-1), span{}, span{}
	switch n := len(args); {
	case s.toks[i].text == "launch" && n == 2, s.toks[i].text == "launch_cooperative" && n == 2:
		config, params = args[0], args[1]
	case s.toks[i].text == "launch_on_stream" && n == 3:
		config, params = args[1], args[2]
	case s.toks[i].text == "launch" && n == 5:
		f, params = args[0], args[4]
	default:
		return
	}
	l := Launch{Form: Tuple, Block: s.blockOf(config, i)}
	if l.Block == nil && len(args) == 5 {
		l.Block = s.dims(args[2], i)
	}
	list, ok := s.list(params, i)
	if !ok {
		if s.follow(f, s.toLookups, 0) == nil {
			return // something else that launches
		}
		s.unread(i, "the arguments of the launch: %s is no tuple or array that could be followed", s.show(params))
	}
	for _, a := range list {
		l.Args = append(l.Args, s.rustArg(a))
	}
	l.ArgsKnown = ok
	s.launch(i, f, l)
}

// list gives the elements of a tuple, an array or a vec!, or of the variable that is
// one.
func (s *source) list(x span, at int) ([]span, bool) {
	for depth := 0; depth < maxDepth; depth++ {
		for s.tok(x.from).is("&") || s.tok(x.from).word("mut") || s.tok(x.from).is("&&") {
			x.from++
		}
		for !x.empty() && s.tok(x.to-1).is(")") && s.tok(s.pair[x.to-1]-2).is(".") && s.pair[x.to-1]-2 > x.from {
			x.to = s.pair[x.to-1] - 2 // args.as_mut_ptr()
		}
		if s.tok(x.from).word("vec") && s.tok(x.from+1).is("!") {
			x.from += 2
		}
		if x.empty() {
			return nil, false
		}
		first := s.toks[x.from]
		if (first.is("(") || first.is("[")) && s.wraps(x) {
			in := s.inside(x.from)
			if first.is("[") && s.until(in.from, in.to, ";") < in.to {
				return nil, false // [x; n]
			}
			return s.split(in), true
		}
		if x.to-x.from != 1 || first.kind != name || len(s.assigns[first.text]) > 0 {
			return nil, false
		}
		found := s.find(first.text, at)
		if len(found) != 1 || found[0].value.empty() || found[0].element >= 0 || s.grows(first.text, found[0]) {
			return nil, false
		}
		x = found[0].value
	}
	return nil, false
}

// grows says whether something is pushed onto a list after it was bound.
func (s *source) grows(n string, b binding) bool {
	for i := b.from; i < b.to && s.step(); i++ {
		if s.toks[i].word(n) && s.tok(i+1).is(".") && s.tok(i+3).is("(") {
			switch s.tok(i + 2).text {
			case "push", "extend", "insert", "append", "push_back", "emplace_back", "truncate", "pop":
				return true
			}
		}
	}
	return false
}

// launchMacro reads launch!(module.f<<<grid, block, shared, stream>>>(a, b)).
func (s *source) launchMacro(i int, x span) {
	open := s.chevron(x.from, x.to, "<")
	if open < 0 {
		return
	}
	end := s.chevron(open+3, x.to, ">")
	if end < 0 || !s.tok(end+3).is("(") {
		s.unread(i, "a launch! that has no <<<…>>>(…)")
		return
	}
	l := Launch{Form: LaunchMacro, ArgsKnown: true}
	if config := s.split(span{open + 3, end}); len(config) > 1 {
		l.Block = s.dims(config[1], i)
	}
	for _, a := range s.split(s.inside(end + 3)) {
		l.Args = append(l.Args, s.rustArg(a))
	}
	f := span{x.from, open}
	if s.tok(open-2).is(".") && !s.isSelf(open-3) { // the macro looks it up
		s.lookup(open-1, Lookup{Name: s.toks[open-1].text, Modules: s.follow(span{x.from, open - 2}, s.toModules, 0)})
		f.from = open - 1
	}
	s.launch(i, f, l)
}

// maxConfig is how many tokens the grid, block and stream of a launch may take.
const maxConfig = 2000

// chevron finds three of an angle next to each other.
func (s *source) chevron(i, to int, angle string) int {
	for to = min(to, i+maxConfig); i < to; i = s.after(i) {
		if s.toks[i].is(angle) && s.tok(i+1).is(angle) && s.tok(i+2).is(angle) && s.toks[i+2].at == s.toks[i].at+2 {
			return i
		}
	}
	return -1
}
