package lint

import (
	"path/filepath"
	"regexp"
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

// makefile is what is read of one. Conditions are not followed.
type makefile struct {
	rules  map[string]*rule
	vars   map[string]string // as they are written
	others []string          // files that it includes, as they are written
	canned []string          // names of define
	parts  []part            // what was included
	whole  *unit             // the file that make was called with
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
		in := &unit{look: u.look, path: path, dir: dir, whole: text, language: makeCode}
		m.whole = in
		in.include(m, m, make(map[string]bool))
		if len(targets) == 0 {
			targets = []string{m.first}
		}
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
	if done[name] {
		return
	}
	done[name] = true
	for _, at := range append([]part{{u, m}}, m.parts...) {
		if r := at.rule(name); r != nil {
			at.unit.runsRule(m, r, name, done)
		}
	}
}

// runsRule looks through a rule of this file, of a make that began with m.
func (u *unit) runsRule(m *makefile, r *rule, name string, done map[string]bool) {
	for _, n := range r.needs {
		m.whole.target(m, n, done)
	}
	if !u.reads(u.path, "target "+name) {
		return
	}
	ignore := m.ignore || m.silent[name]
	for _, line := range r.lines(m.one) {
		in := *u
		in.text, in.shift = line.text, line.at
		m.leads(&in, &line)
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
