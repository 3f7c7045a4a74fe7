package host

import (
	"path"
	"strconv"
	"strings"
)

// deviceFile says whether a file is device code that a driver loads, by its name.
func deviceFile(file string) bool {
	switch path.Ext(file) {
	case ".ptx", ".cubin", ".fatbin":
		return true
	}
	return false
}

// module keeps a module that the token i stands for.
func (s *source) module(i int, m Module) int {
	m.Line, m.Marks = s.toks[i].line, s.marks(i)
	s.file.Modules = append(s.file.Modules, m)
	s.modules[i] = len(s.file.Modules) - 1
	return s.modules[i]
}

// rustModules finds the device code that is named, and then the older load_ptx, that
// gives it a name.
func (s *source) rustModules() {
	for i := range s.toks {
		t := s.toks[i]
		includes := t.kind == name && s.tok(i+1).is("!") && s.tok(i+2).is("(")
		if t.kind != name || t.flags&inMacro != 0 {
			continue
		}
		switch t.text {
		case "include_bytes", "include_str":
			if includes {
				s.included(i, s.inside(i+2))
			}
		case "include":
			if includes && deviceWords(s.show(s.inside(i+2))) {
				s.unread(i, "what include!(%s) brings is not read: it is made when the crate is built", s.show(s.inside(i+2)))
			}
		case "from_file", "read", "read_to_string", "cuModuleLoad":
			if s.tok(i+1).is("(") && !s.tok(i-1).word("fn") && (t.text != "from_file" || s.tok(i-1).is("::")) {
				s.fromFile(i, s.inside(i+1), t.text)
			}
		case "compile_ptx", "compile_ptx_with_opts":
			if s.tok(i+1).is("(") && !s.tok(i-1).word("fn") {
				s.module(i, Module{Base: RunTime})
			}
		}
	}
	s.builtByScript()
	for n, list := range s.bound {
		for _, b := range list {
			if b.constant && !strings.HasPrefix(n, ".") {
				s.nameModule(n, b.value)
			}
		}
	}
	for i := range s.toks {
		if s.isCall(i, "load_ptx") {
			s.loadPtx(i)
		}
	}
}

// builtByScript says, once, that device code out of a build script is not what is built
// here: it is only called alike.
func (s *source) builtByScript() {
	count, first := 0, 0
	for i := range s.toks {
		if n, ok := s.modules[i]; ok && s.file.Modules[n].Base == FromOutDir {
			if count++; count == 1 {
				first = i
			}
		}
	}
	if count == 0 {
		return
	}
	what := s.file.Modules[s.modules[first]].File
	if count > 1 {
		what += " and " + strconv.Itoa(count-1) + " more"
	}
	s.unread(first, "a build script makes %s, and what it makes was not followed: what the set has under that name is taken for it", what)
}

// isCall says whether the token i is a method that is called here.
func (s *source) isCall(i int, method string) bool {
	return s.toks[i].word(method) && s.tok(i+1).is("(") && s.pair[i+1] > i && s.toks[i].flags&inMacro == 0 && !s.tok(i-1).word("fn")
}

// nameModule gives a module that is the value of a constant the constant's name.
func (s *source) nameModule(n string, x span) {
	for i := x.from; i < x.to && s.step(); i++ {
		if m, ok := s.modules[i]; ok {
			s.file.Modules[m].Key = n
		}
	}
}

// included reads include_bytes!("x.cubin") and its kin.
func (s *source) included(i int, x span) {
	file, base, ok := s.fileOf(x)
	switch {
	case ok && deviceFile(file):
		if base == "" {
			base = FromSource
		}
		s.module(i, Module{File: file, Base: base})
	case !ok && deviceWords(s.show(x)):
		s.unread(i, "which file %s!(%s) takes is said when it is compiled", s.toks[i].text, s.show(x))
	}
}

// fromFile reads Ptx::from_file("x.ptx") and its kin.
func (s *source) fromFile(i int, x span, call string) {
	file, base, ok := s.fileOf(x)
	loads := s.tok(i-2).word("Ptx") || s.tok(i-2).word("Module") || call == "cuModuleLoad"
	switch {
	case ok && deviceFile(file) || ok && loads:
		if base == "" {
			base = FromWorking
		}
		s.module(i, Module{File: file, Base: base})
	case loads:
		s.unread(i, "which file %s(%s) loads could not be followed", call, s.show(x))
	}
}

// fileOf reads the name of a file: a string, concat!(env!("OUT_DIR"), "/x.ptx"), or a
// path that such a name is joined to.
func (s *source) fileOf(x span) (file string, base Base, ok bool) {
	parts := s.split(x)
	if len(parts) == 0 {
		return "", "", false
	}
	if list, why := s.strings(parts[0], 0); why == "" {
		return list[0], "", len(list) == 1
	}
	var b strings.Builder
	for i := x.from; i < x.to && s.step(); i++ {
		t := s.toks[i]
		switch {
		case t.kind == str && t.text == string(FromOutDir):
			base = FromOutDir
		case t.kind == str && t.text == string(FromManifest):
			base = FromManifest
		case t.kind == str && (s.tok(i-3).word("env") || s.tok(i-4).word("env")): // another variable
			return "", "", false
		case t.kind == str:
			b.WriteString("/" + strings.TrimPrefix(t.text, "/"))
		case t.word("format"):
			return "", "", false
		}
	}
	file = path.Clean(strings.TrimPrefix(b.String(), "/"))
	return file, base, deviceFile(file)
}

// loadPtx reads dev.load_ptx(ptx, "module", &["a", "b"]), which gives a module a name
// and looks its functions up.
func (s *source) loadPtx(i int) {
	args := s.split(s.inside(i + 1))
	if len(args) < 3 {
		return
	}
	keys, why := s.strings(args[1], 0)
	if why == "" && len(keys) != 1 {
		why = "it may be any of " + strings.Join(keys[:min(len(keys), 4)], ", ")
	}
	if why != "" {
		s.unread(i, "the name that load_ptx gives to a module: %s", why)
		return
	}
	modules := s.follow(args[0], s.toModules, 0)
	if modules == nil {
		modules = []int{s.module(i, Module{Base: RunTime})}
		s.unread(i, "the device code of %q: %s could not be followed", keys[0], s.show(args[0]))
	}
	for n, m := range modules {
		if at := s.file.Modules[m]; at.Key != "" && at.Key != keys[0] {
			at.Key = keys[0]
			modules[n] = s.module(i, at)
		}
		s.file.Modules[modules[n]].Key = keys[0]
	}
	names := s.bare(args[2])
	if !s.tok(names.from).is("[") {
		if s.plainPath(names) && !names.empty() {
			if found := s.find(s.tok(names.to-1).text, i); len(found) == 1 && !found[0].value.empty() {
				names = s.bare(found[0].value)
			}
		}
	}
	if !s.tok(names.from).is("[") {
		s.unread(i, "the functions that load_ptx looks up: %s could not be followed", s.show(args[2]))
		return
	}
	for _, e := range s.split(s.inside(names.from)) {
		list, why := s.strings(e, 0)
		if why != "" {
			s.unread(e.from, "a function that load_ptx looks up: %s", why)
		}
		for _, n := range list {
			s.lookup(e.from, Lookup{Name: n, Modules: modules, Key: keys[0], Listed: true})
		}
	}
}

// lookup keeps a lookup that the token i stands for.
func (s *source) lookup(i int, l Lookup) {
	l.Line, l.Marks = s.toks[i].line, s.marks(i)
	s.file.Lookups = append(s.file.Lookups, l)
	s.looked[i] = append(s.looked[i], len(s.file.Lookups)-1)
}
