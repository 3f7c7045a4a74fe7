package check

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/kernels/host"
)

// hostSide is what hosts load, put together over their files.
type hostSide struct {
	*set
	byKey map[string][]loaded // what goes by a name in all of them
}

// loaded is a module that a host loads: the modules here that it may be; none where it
// is not among them.
type loaded struct {
	file    string // as it is named there
	runTime bool
	modules []int
}

func (s *set) hosts(files []host.File) []Finding {
	h := &hostSide{set: s, byKey: make(map[string][]loaded)}
	for _, f := range files {
		for _, m := range f.Modules {
			if m.Key != "" {
				h.byKey[m.Key] = append(h.byKey[m.Key], h.load(f, m))
			}
		}
	}
	var all []Finding
	for _, f := range files {
		for _, m := range f.Modules {
			all = append(all, h.module(f, m)...)
		}
		for _, l := range f.Lookups {
			all = append(all, h.lookup(f, l)...)
		}
		for _, l := range f.Launches {
			all = append(all, h.launch(f, l)...)
		}
	}
	return all
}

// load finds which modules a host means by a file: that very path, else those that end
// alike, else those of that name, else those of that name with another extension, made
// of the same source.
func (s *set) load(f host.File, m host.Module) loaded {
	l := loaded{file: m.File, runTime: m.Base == host.RunTime}
	if l.runTime {
		return l
	}
	named := path.Clean(filepath.ToSlash(m.File))
	whole := named
	if m.Base == host.FromSource && !path.IsAbs(named) {
		whole = path.Join(path.Dir(filepath.ToSlash(f.Path)), named)
	}
	tail := strings.TrimLeft(named, "./")
	for _, same := range []func(string) bool{
		func(file string) bool { return path.Clean(file) == whole },
		func(file string) bool { return strings.HasSuffix(file, "/"+tail) },
		func(file string) bool { return path.Base(file) == path.Base(named) },
		func(file string) bool { return stem(file) == stem(named) },
	} {
		for i, have := range s.modules {
			if same(filepath.ToSlash(have.File)) {
				l.modules = append(l.modules, i)
			}
		}
		if l.modules != nil {
			break
		}
	}
	return l
}

// stem is a file's name up to its first dot: adjoint of adjoint.sm_90.cubin.
func stem(file string) string {
	n, _, _ := strings.Cut(path.Base(file), ".")
	return n
}

func (h *hostSide) module(f host.File, m host.Module) []Finding {
	l := h.load(f, m)
	if m.Off || l.runTime || l.modules != nil || len(h.modules) == 0 {
		return nil
	}
	return []Finding{{
		Rule: "module-unknown", Module: m.File, File: f.Path, Line: m.Line, Note: true,
		Expected: "device code that was looked into", Found: "it is not among the " + count(len(h.modules), "module"),
		Harm: "what is looked up in it is not checked", Next: "add it to a set, or to the prebuilt files",
	}}
}

// sources are the modules that a lookup may be in. It is not known where one of them is
// not among those here.
func (h *hostSide) sources(f host.File, l host.Lookup) (modules []int, files []string, known bool) {
	var list []loaded
	for _, n := range l.Modules {
		list = append(list, h.load(f, f.Modules[n]))
	}
	if len(list) == 0 && l.Key != "" {
		list = h.byKey[l.Key]
	}
	known = len(list) > 0
	for _, m := range list {
		modules = append(modules, m.modules...)
		known = known && len(m.modules) > 0
		if m.file != "" {
			files = append(files, m.file)
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules), files, known
}

func (h *hostSide) lookup(f host.File, l host.Lookup) []Finding {
	if l.Off || len(h.modules) == 0 {
		return nil
	}
	modules, files, known := h.sources(f, l)
	for _, p := range h.byName[l.Name] {
		if !known && len(modules) == 0 || slices.Contains(modules, p.module) {
			return h.unlisted(f, l)
		}
	}
	out := Finding{Rule: "lookup-missing", Kernel: l.Name, File: f.Path, Line: l.Line, Module: strings.Join(files, " or ")}
	out.Harm = "the lookup fails with CUDA_ERROR_NOT_FOUND; where the error is swallowed, what needs the kernel is silently off"
	if !known {
		if runTimeOnly(f, l) {
			return nil
		}
		out.Rule, out.Note = "lookup-unknown", true
		out.Expected, out.Found = "an entry of the module it is looked up in", "that module could not be read, and none of those here has it"
		out.Next = h.perhaps(l.Name, h.all(), "add its module to a set, or to the prebuilt files")
		return []Finding{out}
	}
	out.Expected, out.Found = "an entry of "+out.Module, "it has none of that name"
	out.Next = h.elsewhere(l.Name, modules)
	return []Finding{out}
}

// runTimeOnly says whether a lookup is in what is compiled while the host runs.
func runTimeOnly(f host.File, l host.Lookup) bool {
	for _, n := range l.Modules {
		if f.Modules[n].Base == host.RunTime {
			return true
		}
	}
	return false
}

// elsewhere says where a name is, or what is like it.
func (h *hostSide) elsewhere(name string, modules []int) string {
	for _, p := range h.byName[name] {
		return "it is in " + h.modules[p.module].File + ": look it up there"
	}
	for _, p := range h.bySource[name] {
		if k := h.kernel(p); k.Name != name {
			return "it is there as " + k.Name + ": look that up, or declare it extern \"C\""
		}
	}
	return h.perhaps(name, modules, h.perhaps(name, h.all(), "look up a name that is there, or build its source into the module"))
}

// unlisted holds a lookup of the older get_func against the names that load_ptx gave
// the module: it finds no others.
func (h *hostSide) unlisted(f host.File, l host.Lookup) []Finding {
	if l.Key == "" || len(l.Modules) == 0 {
		return nil
	}
	var listed []string
	for _, o := range f.Lookups {
		if o.Key == l.Key && o.Listed {
			listed = append(listed, o.Name)
		}
	}
	if len(listed) == 0 || slices.Contains(listed, l.Name) {
		return nil
	}
	return []Finding{{
		Rule: "lookup-unlisted", Kernel: l.Name, Module: l.Key, File: f.Path, Line: l.Line,
		Expected: "one of the names that load_ptx was given", Found: "it was given " + strings.Join(listed, ", "),
		Harm: "get_func answers None, though the module has it", Next: "add it to the list of load_ptx",
	}}
}

func shownAll(s *set, places []place) string {
	var names []string
	for _, p := range places {
		names = append(names, shown(s.kernel(p)))
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " or ")
}
