package check

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// Entries are the names that modules are to have.
type Entries struct {
	Module string // a file or a pattern; "": all
	Names  []string
	Place
}

func (s *set) entries(list []Entries) []Finding {
	var all []Finding
	for _, e := range list {
		there := s.find("", e.Module)
		var wanted []place
		for _, n := range e.Names {
			found := s.find(n, e.Module)
			wanted = append(wanted, found...)
			if len(found) == 0 {
				all = append(all, s.missing(e, n))
			}
		}
		for _, p := range there {
			if !slices.Contains(wanted, p) {
				all = append(all, s.unasked(e, p))
			}
		}
	}
	return all
}

// unasked is the note about an entry that no list has.
func (s *set) unasked(e Entries, p place) Finding {
	return Finding{
		Rule: "entry-new", Kernel: shown(s.kernel(p)), Module: label(s.modules[p.module]), File: e.File, Line: e.Line, Note: true,
		Expected: "an entry that is listed", Found: "one that is not",
		Harm: "none: it is there, and nothing asks for it", Next: "add it to the list, or take it out of the source",
	}
}

const mostNew = 20 // entries that are named

func (s *set) missing(e Entries, name string) Finding {
	where := e.Module
	if where == "" {
		where = "any module"
	}
	next := s.meant(name, "see whether its source is built, and whether it is extern \"C\"")
	if found := s.find(name, ""); len(found) > 0 {
		next = "it is in " + s.modules[found[0].module].File + ": is that module meant?"
	}
	return Finding{
		Rule: "entry-missing", Kernel: name, Module: e.Module, File: e.File, Line: e.Line,
		Expected: "an entry in " + where, Found: "none",
		Harm: "a host that looks it up gets CUDA_ERROR_NOT_FOUND; one that swallows that goes on without the kernel", Next: next,
	}
}

// twice finds entries that are in files of two sources. A source that is compiled for
// several architectures, or to PTX or a fat binary as well, has them in several by
// right, and so has one that is committed beside what is built of it.
func (s *set) twice() []Finding {
	type key struct{ name, kind, arch string }
	files := make(map[key]map[string]string) // by what they are made of
	for _, m := range s.modules {
		for _, k := range m.Kernels {
			at := key{k.Name, m.Kind, m.Arch}
			if files[at] == nil {
				files[at] = make(map[string]string)
			}
			of := cmp.Or(s.sources[m.File], m.File)
			if was, ok := files[at][of]; !ok || m.File < was {
				files[at][of] = m.File
			}
		}
	}
	var all []Finding
	for at, by := range files {
		if len(by) < 2 {
			continue
		}
		list := slices.Sorted(maps.Values(by))
		k := s.kernel(s.byName[at.name][0])
		all = append(all, Finding{
			Rule: "entry-twice", Kernel: shown(k), Module: list[0],
			Expected: "in one module for " + at.arch, Found: "in " + strings.Join(list, " and "),
			Harm: "which of them runs is decided by the module that the host loads it from: an edit of the other changes nothing",
			Next: "take it out of " + path.Base(list[1]) + ", or give the two names of their own",
		})
	}
	return all
}
