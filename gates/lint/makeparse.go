package lint

import (
	"slices"
	"strings"
)

// parseMakefile reads rules and recipes.
func parseMakefile(text string) *makefile {
	m := &makefile{rules: make(map[string]*rule), silent: make(map[string]bool), vars: make(map[string]string)}
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
	if f := includeLine.FindStringSubmatch(line); f != nil {
		m.others = append(m.others, strings.TrimSpace(f[1]))
		return nil
	}
	if f := defineLine.FindStringSubmatch(line); f != nil {
		m.canned = append(m.canned, f[1])
		return nil
	}
	if f := variableLine.FindStringSubmatch(line); f != nil {
		m.vars[f[1]] = strings.TrimSpace(f[2])
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
