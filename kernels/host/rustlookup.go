package host

// rustLookups finds the names that are looked up in modules.
func (s *source) rustLookups() {
	for i := range s.toks {
		if s.toks[i].kind != name || !s.tok(i+1).is("(") || s.tok(i-1).word("fn") || s.toks[i].flags&inMacro != 0 {
			continue
		}
		args := s.split(s.inside(i + 1))
		method := s.tok(i - 1).is(".")
		switch s.toks[i].text {
		case "load_function", "get_function":
			switch {
			case len(args) == 1 && method:
				s.lookUp(i, args[0], s.follow(s.receiver(i-1), s.toModules, 0), "")
			case len(args) == 2 && !method: // the driver's own: get_function(module, name)
				s.lookUp(i, args[1], s.follow(args[0], s.toModules, 0), "")
			}
		case "get_func":
			if len(args) == 2 && method {
				s.byKey(i, args[1], args[0])
			}
		case "get_or_load_func":
			if len(args) == 2 {
				s.lookUp(i, args[0], s.follow(args[1], s.toModules, 0), s.lastName(args[1]))
			}
		case "get_or_load_custom_func":
			if len(args) == 3 {
				s.lookUp(i, args[0], s.follow(args[2], s.toModules, 0), "")
			}
		}
	}
}

// lookUp keeps the lookups of all that the name x may come to.
func (s *source) lookUp(i int, x span, modules []int, key string) {
	list, why := s.strings(x, 0)
	if why != "" {
		s.unread(i, "the name that %s looks up: %s", s.toks[i].text, why)
		s.dark[i] = true
		return
	}
	if len(modules) > 0 {
		key = ""
	}
	for _, n := range list {
		s.lookup(i, Lookup{Name: n, Modules: modules, Key: key})
	}
}

// byKey reads the older dev.get_func("module", "name").
func (s *source) byKey(i int, x, key span) {
	keys, why := s.strings(key, 0)
	if why != "" || len(keys) != 1 {
		s.lookUp(i, x, nil, "")
		return
	}
	var modules []int
	for n, m := range s.file.Modules {
		if m.Key == keys[0] {
			modules = append(modules, n)
		}
	}
	s.lookUp(i, x, modules, keys[0])
	for _, n := range s.looked[i] {
		s.file.Lookups[n].Key = keys[0]
	}
}

// lastName is what a path ends with, if it is one.
func (s *source) lastName(x span) string {
	if x = s.bare(x); !x.empty() && s.plainPath(x) && isConstant(s.tok(x.to-1).text) {
		return s.tok(x.to - 1).text
	}
	return ""
}

// receiver is the expression whose method is called, dot being before the method.
func (s *source) receiver(dot int) span {
	i := dot - 1
	for i >= 0 && s.step() {
		t := s.toks[i]
		switch {
		case (t.is(")") || t.is("]")) && s.pair[i] >= 0:
			i = s.pair[i] - 1
			if s.tok(i).is(">") { // a turbofish
				for i >= 0 && s.step() && !s.toks[i].is("::") {
					i--
				}
				i--
			}
			if p := s.tok(i); p.kind == name || p.is(")") || p.is("]") || p.is("!") || p.is("?") {
				continue
			}
			return span{i + 1, dot}
		case t.is("?"), t.is("!"):
			i--
			continue
		case t.kind == name, t.kind == number:
			if p := s.tok(i - 1); (p.is(".") || p.is("::") || p.is("->")) && i > 1 {
				i -= 2
				continue
			}
			return span{i, dot}
		}
		return span{i + 1, dot}
	}
	return span{0, dot}
}
