package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	pyTest    = regexp.MustCompile(`(?m)^([ \t]*)(?:async )?def (test\w*)\(`)
	pyAsserts = regexp.MustCompile(`\bassert\b|\.assert\w*\(|\braises\(|\bfail\(|\braise\b|\b(?:check|verify|compare)\w*\(`)
	pyLooks   = regexp.MustCompile(`environ|getenv|exists\(|is_file\(|is_available\(|which\(|find_spec|device_count`)
	pySkip    = regexp.MustCompile(`@(?:pytest\.mark|unittest)\.skip(?:\((?:reason\s*=\s*)?["']?([^"')]*))?`)
)

// pythonTests looks through the Python tests of a gate.
func (l *look) pythonTests(words []string) {
	is := func(name string) bool {
		return strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test") || strings.HasSuffix(name, "_test.py"))
	}
	var paths []string
	for _, w := range words[1:] {
		at, _, _ := strings.Cut(w, "::")
		if info, err := os.Stat(filepath.Join(l.root, l.gate.Dir, at)); err != nil || strings.HasPrefix(w, "-") || at == "" {
			continue
		} else if info.IsDir() {
			paths = append(paths, l.files(filepath.Join(l.gate.Dir, at), is)...)
		} else {
			paths = append(paths, filepath.Join(l.gate.Dir, at))
		}
	}
	if paths == nil {
		paths = l.files(l.gate.Dir, is)
	}
	for _, p := range paths {
		if u, ok := l.readTests(p); ok {
			u.pytest()
		}
	}
}

// pytest looks through a file, by its lines and how far they are indented.
func (u *unit) pytest() {
	for _, m := range pyTest.FindAllStringSubmatchIndex(u.text, -1) {
		indent, test := m[3]-m[2], u.text[m[4]:m[5]]
		from := max(strings.LastIndex(u.text[:m[0]], "\n\n"), 0)
		if skip := pySkip.FindStringSubmatchIndex(u.text[from:m[0]]); skip != nil {
			reason := ""
			if skip[2] >= 0 {
				reason = u.text[from+skip[2] : from+skip[3]]
			}
			u.ignored(from+skip[0], test, reason)
		}
		if end := closing(u.text, m[5]); end > 0 {
			u.pyBody(end, indent, test)
		}
	}
}

// pyBody looks at the lines of a test until the first that can fail it.
func (u *unit) pyBody(at, indent int, test string) {
	_, rest, _ := strings.Cut(u.text[at:], "\n")
	at = len(u.text) - len(rest)
	body, condition := -1, ""
	for at < len(u.text) {
		line, _, _ := strings.Cut(u.text[at:], "\n")
		code, _, _ := strings.Cut(line, "#")
		trimmed := strings.TrimSpace(code)
		in := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case trimmed == "":
		case in <= indent || pyAsserts.MatchString(code):
			return
		case body < 0:
			body = in
			fallthrough
		default:
			if strings.HasPrefix(trimmed, "if ") {
				condition = trimmed
			}
			plain := trimmed == "return" || trimmed == "return None"
			switch one, after, ok := strings.Cut(trimmed, ": "); {
			case plain && in == body:
				u.early(at, test, "", true)
				return
			case plain && pyLooks.MatchString(condition):
				u.early(at, test, " where "+strings.TrimSuffix(condition, ":"), false)
				return
			case ok && strings.TrimSpace(after) == "return" && pyLooks.MatchString(one):
				u.early(at, test, " where "+one, false)
				return
			}
		}
		at += len(line) + 1
	}
}
