package lint

import (
	"path/filepath"
	"regexp"
	"strings"
)

// started is a statement of Python that starts a program and does nothing with what
// came of it: it begins a line, and nothing takes its value.
var started = regexp.MustCompile(`(?m)^[ \t]*((?:subprocess\.)?(?:run|call)|os\.system)\(`)

// python looks through a script for programs whose status nobody looks at. It is
// searched, not parsed: strings that go on over lines can hide or show too much.
func (u *unit) python(name string) {
	path, text, ok := u.open(name, u.dir, filepath.Join(u.root, filepath.Dir(u.path)))
	if !ok || !u.reads(path, "python") {
		return
	}
	in := &unit{look: u.look, path: path, dir: u.dir, text: text, whole: text, language: pythonCode}
	in.programs()
}

// programs finds the statements that start one.
func (u *unit) programs() {
	text := u.text
	bare := strings.Contains(text, "from subprocess import")
	for _, m := range started.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		if (name == "run" || name == "call") && !bare {
			continue
		}
		end := closing(text, m[3])
		if end < 0 || strings.Contains(text[m[3]:end], "check=True") {
			continue
		}
		if rest := strings.TrimLeft(text[end:], " \t"); strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "or ") {
			continue // .check_returncode(), and whatever else is done with it
		}
		f := u.finding(Unread, m[2])
		f.Why, f.Instead = "nobody looks at the status of the program that it starts", "subprocess.run(…, check=True)"
		f.Command = oneLine(text[m[2]:end])
		f.edits = []edit{u.edit(m[2], end, false)}
		u.report.add(f)
	}
}

// closing is the offset behind the parenthesis that closes the one at from, -1 for none.
func closing(text string, from int) int {
	depth, quote := 0, byte(0)
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
