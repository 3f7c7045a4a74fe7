package lint

import (
	"regexp"
	"slices"
	"strings"
)

var (
	pyTry = regexp.MustCompile(`(?m)^([ \t]*)try:[ \t]*(?:#.*)?$`)
	// catching is an except clause that catches the failure of a program.
	catching    = regexp.MustCompile(`^except\b(?:[ \t]*:|.*\b(?:CalledProcessError|SubprocessError|Exception|BaseException)\b)`)
	catchingOwn = regexp.MustCompile(`^except\b(?:[ \t]*:|.*\b(?:AssertionError|Exception|BaseException)\b)`)
	// printing are statements after which nothing has changed.
	printing = regexp.MustCompile(`^(?:pass|\.\.\.|continue|print\(.*|(?:\w+\.)*(?:log|logger|logging|warnings|traceback|sys\.stderr|sys\.stdout)\.\w+\(.*|#.*|["'].*|[)\]}].*|sys\.exit\(0\)|exit\(0\))$`)
)

// caught finds programs whose failure is an exception that is caught and only printed.
func (u *unit) caught() {
	code := pyBlank(u.text)
	names := namesOf(code).check
	if names == "" {
		return
	}
	raising := regexp.MustCompile(`\b(` + names + `)\(`)
	for _, m := range pyTry.FindAllStringSubmatchIndex(code, -1) {
		depth := m[3] - m[2]
		from := strings.IndexByte(code[m[1]:]+"\n", '\n') + m[1] + 1
		if from > len(code) {
			continue
		}
		to := u.blockEnd(from, depth)
		if !u.swallows(to, depth, catching) {
			continue
		}
		for _, c := range raising.FindAllStringSubmatchIndex(code[from:to], -1) {
			at, open := from+c[2], from+c[3]
			end := closing(code, open)
			checks := strings.HasSuffix(code[at:open], "check_call") || strings.HasSuffix(code[at:open], "check_output") || end > 0 && strings.Contains(code[open:end], "check=True")
			if end < 0 || end > to || !checks || at > 0 && code[at-1] == '.' {
				continue
			}
			f := u.finding(Caught, at)
			f.Command = clip(oneLine(u.text[at:end]))
			e := u.edit(at, end, false)
			e.raise = true
			f.edits = []edit{e}
			u.report.add(f)
		}
	}
}

// blockEnd is where the lines end that are indented further than depth.
func (u *unit) blockEnd(from, depth int) int {
	for from < len(u.text) {
		line, _, _ := strings.Cut(u.text[from:], "\n")
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") && indentOf(line) <= depth {
			return from
		}
		from = min(from+len(line)+1, len(u.text))
	}
	return from
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// swallows says whether one of the except clauses at an offset catches a failure, and
// does nothing but say so.
func (u *unit) swallows(at, depth int, catches *regexp.Regexp) bool {
	for at < len(u.text) {
		line, _, _ := strings.Cut(u.text[at:], "\n")
		head := strings.TrimSpace(line)
		if indentOf(line) != depth || !strings.HasPrefix(head, "except") {
			return false
		}
		body := min(at+len(line)+1, len(u.text))
		end := u.blockEnd(body, depth)
		if catches.MatchString(head) {
			if _, one, ok := strings.Cut(head, ": "); ok && strings.TrimSpace(one) != "" && !strings.HasPrefix(strings.TrimSpace(one), "#") {
				return printing.MatchString(strings.TrimSpace(one))
			}
			lines := strings.Split(u.text[body:end], "\n")
			return !slices.ContainsFunc(lines, func(l string) bool {
				l = strings.TrimSpace(l)
				return l != "" && !printing.MatchString(l)
			})
		}
		at = end
	}
	return false
}
