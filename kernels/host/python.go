package host

import "strings"

// readPython reads a source in Python: the simple forms.
func (s *source) readPython() {
	if testPath(s.file.Path) {
		s.flag(span{0, len(s.toks)}, inTest)
	}
	s.pythonItems()
	s.pythonModules()
	s.pythonLookups()
	s.pythonLaunches()
}

// pythonItems finds what names stand for.
func (s *source) pythonItems() {
	start := 0
	for i := 0; i < len(s.toks) && s.step(); i++ {
		t := s.toks[i]
		switch {
		case t.kind == newline:
			start = i + 1
		case t.word("def") && s.tok(i+2).is("("):
			s.pythonFunction(i)
		case t.is("=") && i > start:
			s.pythonAssign(span{start, i}, i)
		}
	}
}

// lineEnd is where the statement of the token i ends.
func (s *source) lineEnd(i int) int {
	for i < len(s.toks) && s.toks[i].kind != newline {
		i = s.after(i)
	}
	return min(i, len(s.toks))
}

// pythonFunction hides what the names of its parameters stood for, in its body, which
// is told by its indentation.
func (s *source) pythonFunction(i int) {
	column := s.column(i)
	end := s.lineEnd(i) + 1
	for end < len(s.toks) && s.step() && (s.toks[end].kind == newline || s.column(end) > column) {
		end = s.lineEnd(end) + 1
	}
	for _, p := range s.split(s.inside(i + 2)) {
		s.bind(s.tok(p.from).text, binding{from: i, to: min(end, len(s.toks)), element: -1})
	}
}

// column is how far a token is indented, in bytes.
func (s *source) column(i int) int {
	at := s.toks[i].at
	return at - (strings.LastIndexByte(s.text[:at], '\n') + 1)
}

func (s *source) pythonAssign(target span, eq int) {
	value := span{eq + 1, s.lineEnd(eq)}
	if last := s.tok(target.to - 1); s.plainPath(target) && target.to-target.from > 1 && last.kind == name {
		s.fields[last.text] = append(s.fields[last.text], value)
		return
	}
	parts := s.split(target)
	for n, p := range parts {
		b := binding{from: value.to, to: len(s.toks), value: value, element: -1}
		if len(parts) > 1 && n != len(parts)-1 { // err, module = …: the last is what is asked for
			b.value = span{}
		}
		if p.to-p.from == 1 && s.tok(p.from).kind == name {
			s.bind(s.tok(p.from).text, b)
		}
	}
}

// pythonModules finds the calls that load device code.
func (s *source) pythonModules() {
	for i, t := range s.toks {
		if t.kind != name || !s.tok(i+1).is("(") || s.tok(i-1).word("def") {
			continue
		}
		args := s.split(s.inside(i + 1))
		switch t.text {
		case "module_from_file", "cuModuleLoad", "from_cubin", "from_ptx":
			if len(args) > 0 {
				s.pythonFile(i, args[0])
			}
		case "RawModule":
			if x, ok := s.keyword(args, "path"); ok {
				s.pythonFile(i, x)
			} else {
				s.module(i, Module{Base: RunTime})
			}
		case "SourceModule", "RawKernel":
			s.module(i, Module{Base: RunTime})
		case "module_from_buffer", "cuModuleLoadData":
			s.unread(i, "which device code %s loads is made at run time", t.text)
		}
	}
}

func (s *source) pythonFile(i int, x span) {
	list, why := s.strings(x, 0)
	if why == "" && len(list) == 1 {
		s.module(i, Module{File: list[0], Base: FromWorking})
		return
	}
	if file, ok := s.deviceFileIn(x, 0); ok {
		s.module(i, Module{File: file, Base: FromWorking})
		return
	}
	s.unread(i, "which file %s loads: %s could not be followed", s.toks[i].text, s.show(x))
}

// keyword gives the argument of that name.
func (s *source) keyword(args []span, n string) (span, bool) {
	for _, a := range args {
		if s.tok(a.from).word(n) && s.tok(a.from+1).is("=") {
			return span{a.from + 2, a.to}, true
		}
	}
	return span{}, false
}

// positional leaves the arguments that have a name out.
func (s *source) positional(args []span) []span {
	var list []span
	for _, a := range args {
		if !(s.tok(a.from).kind == name && s.tok(a.from+1).is("=") && a.to-a.from > 1) {
			list = append(list, a)
		}
	}
	return list
}

func (s *source) pythonLookups() {
	for i, t := range s.toks {
		if t.kind != name || !s.tok(i+1).is("(") || s.tok(i-1).word("def") {
			continue
		}
		args := s.split(s.inside(i + 1))
		switch {
		case (t.text == "get_function" || t.text == "get_kernel") && s.tok(i-1).is(".") && len(args) == 1:
			s.lookUp(i, args[0], s.follow(s.receiver(i-1), s.toModules, 0), "")
		case t.text == "cuModuleGetFunction" && len(args) == 2:
			s.lookUp(i, args[1], s.follow(args[0], s.toModules, 0), "")
		case t.text == "RawKernel" && len(args) >= 2:
			s.lookUp(i, args[1], []int{s.modules[i]}, "")
		}
	}
}
