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
	e, p   bool // .SHELLFLAGS
	ignore bool // .IGNORE without targets
}

// make looks through the recipes that a make command runs.
func (u *unit) make(words []string) {
	file, dir := "", u.dir
	var targets []string
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case (w == "-f" || w == "-C") && i+1 < len(words):
			if i++; w == "-f" {
				file = words[i]
			} else {
				dir = filepath.Join(dir, words[i])
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
	for _, line := range r.recipes {
		in := *u
		in.text, in.shift = line.text, line.at
		if line.dash || m.ignore {
			in.dashed(m.ignore && !line.dash)
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
	if call := s.firstCheck(s.file); call != nil {
		k := MakeDash
		if all {
			k = MakeIgnore
		}
		s.find(k, call, false)
	}
}

var (
	ruleLine  = regexp.MustCompile(`^([^\s#=:][^#=:]*?)\s*::?([^=]|$)(.*)`)
	flagsLine = regexp.MustCompile(`^\.SHELLFLAGS\s*:?=\s*(.*)`)
)

// parseMakefile reads rules and recipes.
func parseMakefile(text string) *makefile {
	m := &makefile{rules: make(map[string]*rule)}
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
	found := ruleLine.FindStringSubmatchIndex(line)
	if found == nil {
		return nil
	}
	targets := strings.Fields(line[found[2]:found[3]])
	rest := line[found[4]:]
	needs, inline, one := strings.Cut(rest, ";")
	if slices.Contains(targets, ".IGNORE") && strings.TrimSpace(needs) == "" {
		m.ignore = true
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

// logical is a line with those that a backslash joins to it.
// readRecipe makes a recipe a text that a shell's parser can read, and keeps every
// byte in its place: $$ becomes " $", $(MAKE) "make   ", any other variable a word.
// makeVariable is the end of $(x), ${x} or $x.
