package host

// launchKernel reads the driver's own call, in cudarc's and in NVIDIA's form.
func (s *source) launchKernel(i int) {
	args := s.split(s.inside(i + 1))
	l := Launch{Form: LaunchKernel}
	params := span{}
	switch {
	case s.toks[i].text == "launch_kernel" && len(args) == 6:
		l.Block, params = s.dims(args[2], i), args[5]
	case len(args) == 11:
		l.Block, params = s.threeOf(args[4:7], i), args[9]
	default:
		return
	}
	list, ok := s.list(params, i)
	if l.ArgsKnown = ok; !ok {
		s.unread(i, "the arguments of the launch: %s is no array that could be followed", s.show(params))
	}
	for _, a := range list {
		l.Args = append(l.Args, Arg{Text: s.show(a)}) // addresses: what they point to is cast away
	}
	s.launch(i, args[0], l)
}

// dims reads a block: a number, or a tuple of up to three.
func (s *source) dims(x span, at int) []int {
	for _, y := range []span{x, s.bare(x)} {
		if s.tok(y.from).is("(") && s.wraps(y) && !y.empty() {
			return s.threeOf(s.split(s.inside(y.from)), at)
		}
	}
	return s.threeOf([]span{x}, at)
}

func (s *source) threeOf(list []span, at int) []int {
	block := []int{1, 1, 1}
	if len(list) == 0 || len(list) > 3 {
		return nil
	}
	for n, x := range list {
		v, ok := s.integer(x, at, 0)
		if !ok || v <= 0 {
			return nil
		}
		block[n] = v
	}
	return block
}

// blockOf reads the block of cudarc's LaunchConfig. for_num_elems takes 1,024 threads,
// as its documentation says.
func (s *source) blockOf(x span, at int) []int {
	for depth := 0; depth < maxDepth; depth++ {
		x = s.bare(x)
		if x.to-x.from == 1 && s.toks[x.from].kind == name && len(s.assigns[s.toks[x.from].text]) == 0 {
			found := s.find(s.toks[x.from].text, at)
			if len(found) != 1 || found[0].element >= 0 {
				return nil
			}
			x = found[0].value
			continue
		}
		break
	}
	for i := x.from; i < x.to && s.step(); i++ {
		switch t := s.toks[i]; {
		case t.word("if"), t.word("match"), t.is(".."):
			return nil
		case t.word("for_num_elems") && s.tok(i-2).word("LaunchConfig"):
			return []int{1024, 1, 1}
		case t.word("block_dim") && s.tok(i+1).is(":"):
			return s.dims(span{i + 2, s.until(i+2, x.to, ",")}, i)
		}
	}
	return nil
}
