package host

import "strings"

// cppModules finds the calls that load device code.
func (s *source) cppModules() {
	for i, t := range s.toks {
		if t.kind != name || !s.tok(i+1).is("(") || s.pair[i+1] < i {
			continue
		}
		switch t.text {
		case "cuModuleLoad", "cuLibraryLoadFromFile", "cudaLibraryLoadFromFile":
			s.cppLoad(i, true)
		case "cuModuleLoadData", "cuModuleLoadDataEx", "cuModuleLoadFatBinary", "cuLibraryLoadData", "cudaLibraryLoadData":
			s.cppLoad(i, false)
		}
	}
}

// declares says whether the list of arguments is one of parameters: of a declaration,
// or a type of a function.
func (s *source) declares(args []span) bool {
	if len(args) == 0 {
		return true
	}
	x := args[0]
	last := s.tok(x.to - 1)
	return x.to-x.from == 1 && strings.HasPrefix(s.toks[x.from].text, "CU") ||
		x.to-x.from > 1 && (last.is("*") || last.kind == name && (s.tok(x.to-2).kind == name || s.tok(x.to-2).is("*") && s.tok(x.to-3).kind == name))
}

// cppLoad reads cuModuleLoad(&m, "x.cubin") and its kin: by a file's name, or from
// memory.
func (s *source) cppLoad(i int, named bool) {
	args := s.split(s.inside(i + 1))
	if len(args) < 2 || s.declares(args) {
		return
	}
	file, ok := "", false
	if named {
		list, why := s.strings(args[1], 0)
		if ok = why == "" && len(list) == 1; ok {
			file = list[0]
		}
	}
	if !ok {
		file, ok = s.deviceFileIn(args[1], 0)
	}
	switch {
	case ok:
		s.module(i, Module{File: file, Base: FromWorking})
	case !named && strings.Contains(s.text, "nvrtcCompileProgram"):
		s.module(i, Module{Base: RunTime})
	default:
		s.unread(i, "which device code %s loads: %s could not be followed", s.toks[i].text, s.show(args[1]))
		return
	}
	s.puts(i, args[0])
}

// deviceFileIn finds the one file of device code that an expression is made from.
func (s *source) deviceFileIn(x span, depth int) (string, bool) {
	found := ""
	for i := x.from; i < x.to && depth < 4 && s.step(); i++ {
		t := s.toks[i]
		switch {
		case t.kind == str && deviceFile(t.text):
			if found != "" && found != t.text {
				return "", false
			}
			found = t.text
		case t.kind == name:
			for _, b := range s.find(t.text, i) {
				if !b.value.empty() && !(b.value.from <= i && i < b.value.to) {
					if f, ok := s.deviceFileIn(b.value, depth+1); ok {
						found = f
					}
				}
			}
		}
	}
	return found, found != ""
}

// puts keeps that the call at i puts what it finds into a variable: &f, &this->f.
func (s *source) puts(i int, x span) {
	for j := x.to - 1; j >= x.from; j-- {
		n := s.toks[j]
		if n.kind != name {
			continue
		}
		result := span{i, i + 1}
		s.assigns[n.text] = append(s.assigns[n.text], result)
		s.fields[n.text] = append(s.fields[n.text], result)
		return
	}
}

// cppLookups finds the names that are looked up.
func (s *source) cppLookups() {
	for i, t := range s.toks {
		if t.kind != name || !s.tok(i+1).is("(") || s.pair[i+1] < i {
			continue
		}
		switch t.text {
		case "cuModuleGetFunction", "cuLibraryGetKernel", "cudaLibraryGetKernel":
			args := s.split(s.inside(i + 1))
			if len(args) != 3 || s.declares(args) {
				continue
			}
			s.lookUp(i, args[2], s.follow(args[1], s.toModules, 0), "")
			s.puts(i, args[0])
		}
	}
}
