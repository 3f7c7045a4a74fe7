package lint

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	includeLine  = regexp.MustCompile(`^\s*[-s]?include\s+([^#]+)`)
	defineLine   = regexp.MustCompile(`^\s*define\s+(\w+)`)
	variableLine = regexp.MustCompile(`^(?:export\s+|override\s+)*([A-Za-z_][\w.]*)\s*(?:::?|[?])?=([^#]*)`)
	wildcard     = regexp.MustCompile(`\$[({]wildcard\s+([^$(){}]*)[)}]`)
	leading      = regexp.MustCompile(`^\$[({]?(\w+)[)}]?`)
)

// part is a file that makes up what make reads.
type part struct {
	unit *unit
	file *makefile
}

// rule is the one for a target, by its name or by a pattern.
func (p part) rule(name string) *rule {
	if r := p.file.rules[name]; r != nil {
		return r
	}
	for pattern, r := range p.file.rules {
		before, after, ok := strings.Cut(pattern, "%")
		if ok && len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) && len(r.recipes) > 0 {
			return r
		}
	}
	return nil
}

// include reads the files that one of make's includes, and says which it cannot.
func (u *unit) include(whole, m *makefile, seen map[string]bool) {
	for _, names := range m.others {
		plain := wildcard.ReplaceAllString(names, "$1")
		if strings.Contains(plain, "$") {
			u.beyond("gate %s: %s includes %s, which is not read", u.gate.Name, u.path, clip(names))
			continue
		}
		for _, name := range strings.Fields(plain) {
			files := []string{filepath.Join(u.dir, name)}
			if strings.ContainsAny(name, "*?[") {
				files, _ = filepath.Glob(files[0])
			}
			for _, at := range files {
				path, text, ok := u.open(at)
				if !ok {
					u.beyond("gate %s: %s includes %s, which is not there, and was not read (make may make it)", u.gate.Name, u.path, clip(name))
				}
				if !ok || seen[path] {
					continue
				}
				seen[path] = true
				in := &unit{look: u.look, path: path, dir: u.dir, whole: text, language: makeCode}
				more := parseMakefile(text)
				whole.parts = append(whole.parts, part{in, more})
				whole.e, whole.p, whole.ignore = whole.e || more.e, whole.p || more.p, whole.ignore || more.ignore
				for name, value := range more.vars {
					if _, ok := whole.vars[name]; !ok {
						whole.vars[name] = value
					}
				}
				whole.canned = append(whole.canned, more.canned...)
				whole.first = or(whole.first, more.first)
				in.include(whole, more, seen)
			}
		}
	}
}

// leads reads the variable that a recipe begins with: one of prefixes alone, as RUN = -,
// is as good as they are, and what a define has is said not to be read.
func (m *makefile) leads(in *unit, line *recipe) {
	found := leading.FindStringSubmatch(in.whole[line.at:])
	if found == nil {
		return
	}
	name := found[1]
	if name == "call" {
		name = strings.Fields(strings.NewReplacer(",", " ", ")", " ", "}", " ").Replace(in.whole[line.at+len("$(call"):]) + " x")[0]
	}
	value, known := m.vars[name]
	switch {
	case slices.Contains(m.canned, name):
		number, _ := lineAt(in.whole, line.at)
		in.beyond("gate %s: %s:%d: what `define %s` has is not read", in.gate.Name, in.path, number, name)
	case known && value != "" && strings.Trim(value, "@+-") == "":
		line.dash = line.dash || strings.Contains(value, "-")
		in.text = strings.Repeat(" ", len(found[0])) + in.text[len(found[0]):]
	}
}
