package lint

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	pyTest    = regexp.MustCompile(`(?m)^([ \t]*)(?:async )?def (test\w*)\(`)
	pyAsserts = regexp.MustCompile(`\bassert\b|\.assert\w*\(|\braises\(|\bfail\(|\braise\b|\b(?:check|verify|compare)\w*\(`)
	pyLooks   = regexp.MustCompile(`environ|getenv|exists\(|is_file\(|is_available\(|which\(|find_spec|device_count`)
	pyMarks   = regexp.MustCompile(`(?m)^pytestmark\s*=.*$`)
	pySkip    = regexp.MustCompile(`@(?:pytest\.mark|unittest)\.skip\b(?:\((?:reason\s*=\s*)?["']?([^"')]*))?`)
)

// pythonTests looks through the tests that a command of pytest runs.
func (u *unit) pythonTests(all, words []string) {
	dir, ok := u.where(all)
	if !ok {
		return
	}
	c, err := u.pyWords(dir, words)
	var files map[string][]string
	if err == nil {
		files, err = c.files(dir, u.inside)
	}
	if err != nil {
		u.cannot("which tests `%s` runs: %v", shown(all), err)
		return
	}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		named := files[p]
		if in, ok := u.testFile(p, fmt.Sprint(c.names, "\x00", c.mark, named)); ok {
			in.pytest(func(t pyCase) bool { return c.runs(in.path, t, named) })
		}
	}
	u.none(all, len(files))
}

// pyCase is a test that is looked at.
type pyCase struct {
	class, name string
	marks       string // the text above it, and above its class
}

// runs says whether pytest runs a test of a file.
func (c pyChoice) runs(path string, t pyCase, named []string) bool {
	full := strings.Trim(t.class+"::"+t.name, ":")
	if len(named) > 0 && !slices.ContainsFunc(named, func(n string) bool { return n == full || strings.HasPrefix(full, n+"::") }) {
		return false
	}
	if slices.ContainsFunc(c.without, func(id string) bool { return strings.HasSuffix(id, filepath.Base(path)+"::"+full) }) {
		return false
	}
	marked := func(w string) bool { return strings.Contains(strings.ToLower(t.marks), "mark."+w) }
	words := strings.ToLower(path + " " + full)
	return pyMatches(c.mark, marked) && pyMatches(c.names, func(w string) bool { return strings.Contains(words, w) || marked(w) })
}

var pyClass = regexp.MustCompile(`(?m)^class (\w+)[ \t]*(\([^)]*\))?`)

// pytest looks through a file, by its lines and how far they are indented.
func (u *unit) pytest(runs func(pyCase) bool) {
	classes := pyClass.FindAllStringSubmatchIndex(u.text, -1)
	module := strings.Join(pyMarks.FindAllString(u.text, -1), " ")
	for _, m := range pyTest.FindAllStringSubmatchIndex(u.text, -1) {
		indent, test := m[3]-m[2], u.text[m[4]:m[5]]
		from := u.decorators(m[0])
		t := pyCase{name: test, marks: module + u.text[from:m[0]]}
		collected := true
		if indent > 0 {
			for _, c := range classes {
				if c[0] < m[0] {
					t.class, t.marks = u.text[c[2]:c[3]], module+u.text[from:m[0]]+u.text[u.decorators(c[0]):c[0]]
					collected = strings.HasPrefix(t.class, "Test") || c[4] >= 0 && strings.Contains(u.text[c[4]:c[5]], "Test")
				}
			}
		}
		if !collected || !runs(t) {
			continue
		}
		if skip := pySkip.FindStringSubmatchIndex(u.text[from:m[0]]); skip != nil {
			reason := ""
			if skip[2] >= 0 {
				reason = u.text[from+skip[2] : from+skip[3]]
			}
			u.ignored(from+skip[0], test, "let it run, or take it out", reason)
		}
		u.mayFail(from, m[0], test)
		if end := closing(u.text, m[5]); end > 0 {
			u.pyBody(end, indent, test)
		}
	}
}
