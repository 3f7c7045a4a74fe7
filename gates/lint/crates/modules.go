package crates

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Source is a file of a target.
type Source struct {
	Path   string // absolute
	Module string // a::b, "" for the root
}

// maxSources bounds the files of a target.
const maxSources = 5000

var (
	modItem = regexp.MustCompile(`\bmod\s+(?:r#)?(\w+)\s*([;{])`)
	modPath = regexp.MustCompile(`#\[\s*path\s*=\s*"([^"]+)"\s*\]`)
	// modFeature is a condition on one feature, and on nothing else.
	modFeature = regexp.MustCompile(`#\[\s*cfg\s*\(\s*(not\s*\(\s*)?feature\s*=\s*"([^"]+)"\s*\)?\s*\)\s*\]`)
	include    = regexp.MustCompile(`\binclude!\s*[({\[]\s*"([^"]+)"\s*[)}\]]`)
)

// Sources are the files of a target: its root, and the modules that are named in it and
// each other. read gives the text of a file, and says whether it is there; has says
// whether a feature is on, and nil that it is not known: then all modules are taken.
func (t Target) Sources(read func(path string) (text string, ok bool), has func(feature string) bool) (out []Source) {
	seen := make(map[string]bool)
	var take func(path, below, module string)
	take = func(path, below, module string) {
		if seen[path] || len(out) == maxSources {
			return
		}
		seen[path] = true
		text, ok := read(path)
		if !ok {
			return
		}
		out = append(out, Source{path, module})
		for _, m := range named(text, filepath.Dir(path), below) {
			i := slices.IndexFunc(m.places, isFile)
			if i < 0 || has != nil && m.feature != "" && has(m.feature) == m.without {
				continue // compiled out, or made by the build
			}
			at := m.places[i]
			inner := join(module, m.name)
			if m.name == "" { // it is included
				take(at, below, module)
				continue
			}
			// Modules of dir/mod.rs stand beside it, those of dir/name.rs in dir/name.
			under := strings.TrimSuffix(at, ".rs")
			if m.placed || filepath.Base(at) == "mod.rs" {
				under = filepath.Dir(at)
			}
			take(at, under, inner)
		}
	}
	take(t.Source, filepath.Dir(t.Source), "")
	return out
}

// module is one that a text names.
type module struct {
	name   string // a::b where it stands in modules of the text; "" for a text that is included
	places []string
	placed bool // by #[path]

	feature string // it is compiled with that alone, or, by without, without that alone
	without bool
}

// named are the modules that a text has in files of their own. dir is where it stands,
// below where its modules do.
func named(text, dir, below string) (out []module) {
	code := Blank(text)
	nest := Nest(code)
	for _, m := range modItem.FindAllStringSubmatchIndex(code, -1) {
		if code[m[4]] == '{' {
			continue
		}
		in := nest.At(m[0])
		name := code[m[2]:m[3]]
		at := filepath.Join(below, filepath.Join(strings.Split(in, "::")...))
		mod := module{name: join(in, name), places: []string{filepath.Join(at, name+".rs"), filepath.Join(at, name, "mod.rs")}}
		above := strings.LastIndexAny(code[:m[0]], ";{}") + 1
		if p := modPath.FindStringSubmatchIndex(text[above:m[0]]); p != nil && code[above+p[0]] == '#' {
			from := dir
			if in != "" {
				from = at
			}
			mod.places, mod.placed = []string{filepath.Join(from, text[above+p[2]:above+p[3]])}, true
		}
		if f := modFeature.FindStringSubmatchIndex(text[above:m[0]]); f != nil && code[above+f[0]] == '#' {
			mod.feature, mod.without = text[above+f[4]:above+f[5]], f[2] >= 0
		}
		out = append(out, mod)
	}
	for _, m := range include.FindAllStringSubmatchIndex(text, -1) {
		if code[m[0]] == 'i' {
			out = append(out, module{places: []string{filepath.Join(dir, text[m[2]:m[3]])}})
		}
	}
	return out
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "::" + b
}

// Nesting is where the modules of a text begin and end that stand in it.
type Nesting []span

type span struct {
	from, to int
	module   string // a::b
}

// Nest finds them in a text without comments and strings.
func Nest(code string) (out Nesting) {
	begins := make(map[int]string) // by the offset of the brace
	for _, m := range modItem.FindAllStringSubmatchIndex(code, -1) {
		if code[m[4]] == '{' {
			begins[m[4]] = code[m[2]:m[3]]
		}
	}
	if len(begins) == 0 {
		return nil
	}
	var open []int // indices of out; -1 for a brace of something else
	path := ""
	for i := range len(code) {
		switch code[i] {
		case '{':
			if name := begins[i]; name != "" {
				path = join(path, name)
				open, out = append(open, len(out)), append(out, span{i, len(code), path})
			} else {
				open = append(open, -1)
			}
		case '}':
			if len(open) == 0 {
				continue
			}
			if n := open[len(open)-1]; n >= 0 {
				out[n].to = i
				path = strings.TrimSuffix(path[:max(strings.LastIndex(path, "::"), 0)], "::")
			}
			open = open[:len(open)-1]
		}
	}
	return out
}

// At is the path of the module that an offset stands in, "" for the file's own.
func (n Nesting) At(at int) (module string) {
	for _, s := range n {
		if s.from < at && at < s.to {
			module = s.module // the inner ones come later
		}
	}
	return module
}
