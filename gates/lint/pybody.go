package lint

import (
	"regexp"
	"strings"
)

var pyMayFail = regexp.MustCompile(`@(?:pytest\.mark\.xfail|unittest\.expectedFailure)\b(?:\(([^)]*)\))?`)

// mayFail reports a test that is marked as one that fails, unless a success would be a
// failure then, as unittest has it, and pytest with strict.
func (u *unit) mayFail(from, to int, test string) {
	m := pyMayFail.FindStringSubmatchIndex(u.text[from:to])
	if m == nil || strings.Contains(u.text[from+m[0]:from+m[1]], "unittest") {
		return
	}
	words := ""
	if m[2] >= 0 {
		words = u.text[from+m[2] : from+m[3]]
	}
	if strings.Contains(strings.ReplaceAll(words, " ", ""), "strict=True") {
		return
	}
	reason := ""
	if _, after, ok := strings.Cut(words, "reason"); ok {
		reason = strings.Trim(after, " =\"'")
	}
	n := len(u.report.Findings)
	u.ignored(from+m[0], test, "xfail(strict=True), so that it is said when it passes; or expect = \"red\" in gpuci.toml", reason)
	if len(u.report.Findings) > n {
		u.report.Findings[n].Why = "test " + test + " may fail, and pytest ends with 0"
	}
}

// decorators is where those of a definition begin: the lines above it as far as they
// belong to one.
func (u *unit) decorators(at int) int {
	from := at
	for from > 0 {
		line := u.text[strings.LastIndexByte(u.text[:from-1], '\n')+1 : from]
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "def ") || strings.HasPrefix(text, "class ") || at-from > 4000 {
			return from
		}
		from -= len(line)
	}
	return from
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
		case in <= indent:
			return
		case trimmed == "try:" && u.keepsOwn(at+len(line)+1, in):
			u.hollow(at, test, "catches its own assertion", false)
			return
		case pyAsserts.MatchString(code):
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

// keepsOwn says whether a try catches the assertion that it makes, and does nothing about
// it.
func (u *unit) keepsOwn(from, depth int) bool {
	from = min(from, len(u.text))
	to := u.blockEnd(from, depth)
	return pyAsserts.MatchString(u.text[from:to]) && u.swallows(to, depth, catchingOwn)
}
