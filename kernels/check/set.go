package check

import (
	"path"
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

// set is the modules that are checked, with their kernels by name.
type set struct {
	modules  []entry.Module
	byName   map[string][]place // as the driver looks them up
	bySource map[string][]place // as their source calls them
	sources  map[string]string  // by the file of device code
	fresh    []Fresh
}

// place is a kernel of a module, by their indices.
type place struct{ module, kernel int }

func newSet(modules []entry.Module) *set {
	s := &set{modules: modules, byName: make(map[string][]place), bySource: make(map[string][]place)}
	for m := range modules {
		for k, kernel := range modules[m].Kernels {
			p := place{m, k}
			s.byName[kernel.Name] = append(s.byName[kernel.Name], p)
			b := sourceName(kernel)
			s.bySource[b] = append(s.bySource[b], p)
		}
	}
	return s
}

func (s *set) kernel(p place) *entry.Kernel { return &s.modules[p.module].Kernels[p.kernel] }

// shown is how a kernel is called in a finding.
func shown(k *entry.Kernel) string {
	if k.Readable != "" {
		return k.Readable
	}
	return k.Name
}

// sourceName is a kernel's name without its namespaces, template arguments and
// parameters: step of "void ns::step<float>(float*)".
func sourceName(k entry.Kernel) string {
	n := k.Readable
	if n == "" {
		return k.Name
	}
	return unqualified(n)
}

// unqualified takes everything off a demangled name but the name itself.
func unqualified(n string) string {
	n = strings.ReplaceAll(n, "(anonymous namespace)", "anonymous")
	var b strings.Builder
	depth := 0
	for _, r := range n {
		switch {
		case r == '<':
			depth++
		case r == '>':
			depth--
		case r == '(' && depth == 0:
			return lastWord(b.String())
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return lastWord(b.String())
}

func lastWord(n string) string {
	return n[strings.LastIndexAny(n, ": *&")+1:]
}

// label names a module, with its architecture.
func label(m entry.Module) string {
	if m.Arch == "" {
		return m.File
	}
	return m.File + " (" + m.Arch + ")"
}

// find gives the kernels of a pattern, in the modules whose file fits the other.
func (s *set) find(pattern, file string) []place {
	var list []place
	for m := range s.modules {
		if !fits(file, s.modules[m].File) {
			continue
		}
		for k := range s.modules[m].Kernels {
			if Matches(pattern, &s.modules[m].Kernels[k]) {
				list = append(list, place{m, k})
			}
		}
	}
	return list
}

// fits says whether a file is meant by a pattern: by all of it, by its end, or by its
// name.
func fits(pattern, file string) bool {
	if pattern == "" || pattern == file || strings.HasSuffix(file, "/"+pattern) {
		return true
	}
	for _, f := range []string{file, path.Base(file)} {
		if ok, err := path.Match(pattern, f); ok && err == nil {
			return true
		}
	}
	return false
}

// names are the kernels of modules, sorted, each once.
func (s *set) names(modules []int) []string {
	var list []string
	for _, m := range modules {
		for _, k := range s.modules[m].Kernels {
			list = append(list, k.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (s *set) all() []int {
	list := make([]int, len(s.modules))
	for i := range list {
		list[i] = i
	}
	return list
}

// perhaps is the advice that another name is meant, as the driver looks it up.
func (s *set) perhaps(name string, modules []int, otherwise string) string {
	return advice(near(name, s.names(modules), 3), otherwise)
}

// meant is the advice that another kernel is meant, in the words of its source.
func (s *set) meant(name string, otherwise string) string {
	return advice(Near(name, s.modules), otherwise)
}

// Near gives at most three names that are like one or like a pattern, in the words of
// the kernels' sources, the nearest first.
func Near(name string, modules []entry.Module) []string {
	var among []string
	for _, m := range modules {
		for i := range m.Kernels {
			all := names(&m.Kernels[i])
			if len(all) > 1 {
				all = all[1:] // nobody types a mangled name
			}
			among = append(among, all...)
		}
	}
	slices.Sort(among)
	if list := called(name, modules); list != nil {
		return list[:min(3, len(list))]
	}
	return near(strings.Trim(name, "*"), slices.Compact(among), 3)
}

func advice(near []string, otherwise string) string {
	if near != nil {
		return "is " + strings.Join(near, " or ") + " meant?"
	}
	return otherwise
}
