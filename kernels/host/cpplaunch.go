package host

// cppLaunches finds launches.
func (s *source) cppLaunches() {
	for i, t := range s.toks {
		switch {
		case t.is("<") && s.tok(i+1).is("<") && s.tok(i+2).is("<") && s.toks[i+2].at == t.at+2 && !s.tok(i-1).is("<"):
			s.chevrons(i)
		case t.kind == name && s.tok(i+1).is("(") && s.pair[i+1] > i:
			s.launchCall(i, s.split(s.inside(i+1)))
		}
	}
}

// chevrons reads f<<<grid, block>>>(a, b), whose arguments the compiler has seen to.
func (s *source) chevrons(i int) {
	end := s.chevron(i+3, len(s.toks), ">")
	if end < 0 || !s.tok(end+3).is("(") {
		s.unread(i, "a launch that has no <<<…>>>(…)")
		return
	}
	l := Launch{Form: Chevrons, ArgsKnown: true}
	if config := s.split(span{i + 3, end}); len(config) > 1 {
		l.Block = s.dim3(config[1], i)
	}
	for _, a := range s.split(s.inside(end + 3)) {
		l.Args = append(l.Args, Arg{Text: s.show(a)})
		if s.tok(a.to - 1).is(".") { // args...
			l.ArgsKnown = false
		}
	}
	if s.forked(s.inside(end + 3)) {
		l.ArgsKnown = false
		s.unread(i, "the arguments of the launch: an #if stands among them")
	}
	s.bySource(i, s.kernelBefore(i), l)
}

// kernelBefore gives the token of the kernel's name, before its list of template
// arguments, and -1.
func (s *source) kernelBefore(i int) int {
	j, depth := i-1, 0
	if !s.tok(j).is(">") {
		return j
	}
	for ; j > 0 && s.step(); j-- {
		switch t := s.toks[j]; {
		case (t.is(")") || t.is("]")) && s.pair[j] >= 0:
			j = s.pair[j]
		case t.is(">"):
			depth++
		case t.is("<"):
			if depth--; depth == 0 {
				return j - 1
			}
		case t.is(";"), t.is("{"), t.is("}"):
			return -1
		}
	}
	return -1
}

// bySource keeps a launch of the kernel that the token k names in the source. Where
// that is a variable, it is followed to what it was bound to.
func (s *source) bySource(i, k int, l Launch) {
	l.Line, l.Marks = s.toks[i].line, s.marks(i)
	for depth := 0; depth < 4 && s.tok(k).kind == name; depth++ {
		found := s.find(s.toks[k].text, k)
		if len(found) == 0 {
			if len(s.assigns[s.toks[k].text]) == 0 {
				l.Kernels = []string{s.toks[k].text}
			}
			break
		}
		x := s.bare(found[0].value)
		if len(found) != 1 || x.empty() || len(s.assigns[s.toks[k].text]) > 0 {
			break
		}
		k = x.to - 1
		if s.toks[k].is(">") {
			k = s.kernelBefore(x.to)
		}
		if k < x.from {
			break
		}
	}
	if len(l.Kernels) == 0 {
		s.unread(i, "which kernel is launched: it is a variable that could not be followed")
	}
	s.file.Launches = append(s.file.Launches, l)
}

// launchCall reads the calls of the driver and of the runtime that launch.
func (s *source) launchCall(i int, args []span) {
	l := Launch{}
	f, params := span{}, span{}
	switch n := len(args); {
	case s.toks[i].text == "cuLaunchKernel" && n == 11, s.toks[i].text == "cuLaunchCooperativeKernel" && n == 10:
		l.Form, l.Block, f, params = LaunchKernel, s.threeOf(args[4:7], i), args[0], args[9]
	case s.toks[i].text == "cuLaunchKernelEx" && n == 4:
		l.Form, f, params = LaunchKernel, args[1], args[2]
	case (s.toks[i].text == "cudaLaunchKernel" || s.toks[i].text == "cudaLaunchCooperativeKernel") && n >= 4 && n <= 6:
		l.Form, l.Block, f, params = Runtime, s.dim3(args[2], i), args[0], args[3]
	case s.toks[i].text == "cudaLaunchKernelExC" && n == 3:
		l.Form, f, params = Runtime, args[1], args[2]
	case s.toks[i].text == "cudaLaunchKernelEx" && n >= 2:
		l.Form, f, l.ArgsKnown = LaunchEx, args[1], true
		for _, a := range args[2:] {
			l.Args = append(l.Args, Arg{Text: s.show(a)})
		}
	default:
		return
	}
	if s.declares(args) {
		return
	}
	if l.Form.Typed() && s.forked(s.inside(i+1)) {
		l.ArgsKnown = false
		s.unread(i, "the arguments of the launch: an #if stands among them")
	}
	if !l.Form.Typed() {
		s.pointed(i, params, &l)
	}
	if !l.Form.BySource() {
		s.launch(i, f, l)
		return
	}
	k := f.to - 1
	for s.tok(k).is(")") && k > f.from {
		k--
	}
	if s.tok(k).is(">") {
		k = s.kernelBefore(k + 1)
	}
	s.bySource(i, k, l)
}
