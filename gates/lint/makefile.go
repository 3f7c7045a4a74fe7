package lint

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// recipe is one line of a rule: a shell command of its own.
type recipe struct {
	at   int    // in the Makefile, behind the tab and the prefixes
	text string // as long as there, with what make replaces made harmless to a parser
	dash bool   // its failure is ignored
}

// rule is a target of a Makefile.
type rule struct {
	needs   []string
	recipes []recipe
}

// makefile is what is read of one. Includes, patterns and conditions are not followed.
type makefile struct {
	rules  map[string]*rule
	first  string
	e, p   bool            // .SHELLFLAGS
	ignore bool            // .IGNORE without targets, or -i among MAKEFLAGS
	silent map[string]bool // targets whose failures .IGNORE ignores
	one    bool            // .ONESHELL: a recipe is one script
}

// make looks through the recipes that a make command runs.
func (u *unit) make(words []string) {
	file, dir := "", u.dir
	var targets []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value := makeOption(w)
		if name != "" && value == "" && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch {
		case name == "-f":
			file = value
		case name == "-C":
			if dir = filepath.Join(dir, value); value == "" {
				u.cannot("what `%s` does: it is not known in which directory", shown(append([]string{"make"}, words...)))
				return
			}
		case w == "-j" && i+1 < len(words) && strings.Trim(words[i+1], "0123456789") == "":
			i++
		case strings.HasPrefix(w, "-") || strings.Contains(w, "="):
		default:
			targets = append(targets, w)
		}
	}
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	if file != "" {
		names = []string{file}
	}
	for _, name := range names {
		path, text, ok := u.open(name, dir)
		if !ok {
			continue
		}
		m := parseMakefile(text)
		if len(targets) == 0 {
			targets = []string{m.first}
		}
		in := &unit{look: u.look, path: path, dir: dir, whole: text, language: makeCode}
		done := make(map[string]bool)
		for _, t := range targets {
			in.target(m, t, done)
		}
		return
	}
}

// makeOption recognises the options that say where make works: -C and -f, and their long
// names; value is what stands in the same word.
func makeOption(w string) (name, value string) {
	for _, o := range [][]string{{"-C", "--directory"}, {"-f", "--file", "--makefile"}} {
		for _, form := range o {
			switch {
			case w == form:
				return o[0], ""
			case len(form) > 2 && strings.HasPrefix(w, form+"="):
				return o[0], w[len(form)+1:]
			case len(form) == 2 && strings.HasPrefix(w, form):
				return o[0], w[2:]
			}
		}
	}
	return "", ""
}

// target looks through a target and what it needs.
func (u *unit) target(m *makefile, name string, done map[string]bool) {
	r := m.rules[name]
	if r == nil || done[name] {
		return
	}
	done[name] = true
	for _, n := range r.needs {
		u.target(m, n, done)
	}
	if !u.reads(u.path, "target "+name) {
		return
	}
	ignore := m.ignore || m.silent[name]
	for _, line := range r.lines(m.one) {
		in := *u
		in.text, in.shift = line.text, line.at
		if line.dash || ignore {
			in.dashed(ignore && !line.dash)
			continue
		}
		_ = in.walkShell(m.e, m.p) // what make's shell cannot read it says itself
	}
}

// dashed reports the command whose failure make ignores.
func (u *unit) dashed(all bool) {
	s, err := newShell(u)
	if err != nil {
		return
	}
	if call, in := s.firstCheck(s.file); call != nil && in == s.unit {
		k := MakeDash
		if all {
			k = MakeIgnore
		}
		s.find(k, call, false)
	}
}

var (
	ruleLine  = regexp.MustCompile(`^([^\s#=:][^#=:]*?)\s*::?([^=]|$)(.*)`)
	makeFlags = regexp.MustCompile(`^(?:export\s+)?MAKEFLAGS\s*[:+?]?=\s*(.*)`)
	flagsLine = regexp.MustCompile(`^\.SHELLFLAGS\s*:?=\s*(.*)`)
)

// parseMakefile reads rules and recipes.
func parseMakefile(text string) *makefile {
	m := &makefile{rules: make(map[string]*rule), silent: make(map[string]bool)}
	var open []*rule
	at := 0
	for at < len(text) {
		line, next := logical(text, at)
		switch {
		case strings.HasPrefix(line, "\t"):
			if r := readRecipe(line, at); r != nil {
				for _, o := range open {
					o.recipes = append(o.recipes, *r)
				}
			}
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
		default:
			open = m.line(line, at)
		}
		at = next
	}
	return m
}

// line reads a line that is no recipe.
func (m *makefile) line(line string, at int) (open []*rule) {
	if f := flagsLine.FindStringSubmatch(line); f != nil {
		m.e, m.p, _ = shellOptions(strings.Fields(strings.ReplaceAll(f[1], "-c", "")))
		return nil
	}
	if f := makeFlags.FindStringSubmatch(line); f != nil {
		for i, w := range strings.Fields(f[1]) {
			m.ignore = m.ignore || w == "--ignore-errors" || ignores(w) || i == 0 && !strings.HasPrefix(w, "-") && ignores("-"+w)
		}
		return nil
	}
	found := ruleLine.FindStringSubmatchIndex(line)
	if found == nil {
		return nil
	}
	targets := strings.Fields(line[found[2]:found[3]])
	rest := line[found[4]:]
	needs, inline, one := strings.Cut(rest, ";")
	switch {
	case slices.Contains(targets, ".ONESHELL"):
		m.one = true
	case slices.Contains(targets, ".IGNORE") && strings.TrimSpace(needs) == "":
		m.ignore = true
	case slices.Contains(targets, ".IGNORE"):
		for _, t := range strings.Fields(needs) {
			m.silent[t] = true
		}
	}
	for _, t := range targets {
		r := m.rules[t]
		if r == nil {
			r = &rule{}
			m.rules[t] = r
		}
		for _, n := range strings.Fields(needs) {
			if n != "|" {
				r.needs = append(r.needs, n)
			}
		}
		if one {
			if in := readRecipe(inline, at+len(line)-len(inline)); in != nil {
				r.recipes = append(r.recipes, *in)
			}
		}
		if m.first == "" && !strings.HasPrefix(t, ".") && !strings.Contains(t, "%") {
			m.first = t
		}
		open = append(open, r)
	}
	return open
}
