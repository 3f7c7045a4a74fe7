package lint

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// maxCalls bounds scripts that call each other.
const maxCalls = 20

// command follows what a command calls in the workspace.
func (u *unit) command(words []string) {
	words = unwrap(words)
	if len(words) == 0 || words[0] == "" || u.depth > maxCalls {
		return
	}
	u.depth++
	defer func() { u.depth-- }()
	u.lintWords(words)
	u.tests(words)
	name := base(words[0])
	switch {
	case isShell(words[0]):
		e, p, rest := shellOptions(words[1:])
		if rest > 0 && !slices.ContainsFunc(words[1:len(words)-rest], func(w string) bool { return strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") }) {
			u.script(words[len(words)-rest:], e, p, true)
		}
	case name == "make" || name == "gmake":
		u.make(words[1:])
	case launcher(words) && !slices.Contains(words, "--version"):
		u.beyond("gate %s: what `%s` runs is not read", u.gate.Name, shown(words))
	case strings.HasPrefix(name, "python"):
		for i, w := range words[1:] {
			if strings.HasPrefix(w, "-") {
				if w == "-m" && i+2 < len(words) {
					u.module(words[i+2])
				}
				if w == "-m" || w == "-c" {
					return
				}
				continue
			}
			u.python(w)
			return
		}
	case strings.Contains(words[0], "/"):
		u.script(words, false, false, false)
	}
}

// script looks through a file, where it is one of shell (or of Python, by its first
// line). given says that a shell was named for it; words are its name and arguments.
func (u *unit) script(words []string, e, p, given bool) {
	name := words[0]
	if name == "" {
		u.untold(words)
		return
	}
	path, text, ok := u.open(name, u.dir, filepath.Join(u.root, filepath.Dir(u.path)))
	if !ok {
		u.unopened(name, given)
		return
	}
	first, _, _ := strings.Cut(text, "\n")
	program := shebang(first)
	switch {
	case len(program) > 0 && strings.HasPrefix(base(program[0]), "python"):
		u.python(name)
		return
	case len(program) > 0 && isShell(program[0]) && !given:
		e, p, _ = shellOptions(program[1:])
	case !given && len(program) == 0 && !strings.HasSuffix(path, ".sh"):
		return
	case !given && len(program) > 0 && !isShell(program[0]):
		u.beyond("%s is a script of %s, and is not read", path, base(program[0]))
		return
	}
	if !u.reads(path, fmt.Sprintf("%v %v %q %s", e, p, words[1:], u.dir)) {
		return
	}
	s := &unit{look: u.look, path: path, dir: u.dir, nowhere: u.nowhere, text: text, whole: text}
	if err := s.walkShell(e, p, words[1:]...); err != nil {
		u.cannot("%v", err)
	}
}

// module looks through a module of the workspace; others are installed.
func (u *unit) module(name string) {
	at := strings.ReplaceAll(name, ".", "/")
	for _, file := range []string{at + ".py", at + "/__main__.py"} {
		if _, _, ok := u.open(file, u.dir); ok {
			u.python(file)
			return
		}
	}
	if name == "" || u.inside(filepath.Join(u.dir, at)) && exists(filepath.Join(u.dir, at)) {
		u.beyond("gate %s: what `python -m %s` runs is not read", u.gate.Name, or(name, "…"))
	}
}

// untold says that it is not known what a line runs.
func (u *unit) untold(words []string) {
	line, text := u.place(u.at)
	if text = strings.TrimSpace(text); text == "" {
		text = shown(words)
	}
	u.beyond("gate %s: %s:%d: what it runs is not known before it does, and is not read: %s", u.gate.Name, u.path, line, clip(text))
}

// unopened says of a program of the workspace that it was not read. What stands
// elsewhere is not asked about.
func (u *unit) unopened(name string, given bool) {
	at := name
	if !filepath.IsAbs(at) {
		at = filepath.Join(u.dir, name)
	}
	switch {
	case u.nowhere || !u.inside(at):
	case exists(at):
		u.beyond("gate %s: %s is a program, and is not read", u.gate.Name, clip(name))
	case given:
		u.cannot("%s is not there", clip(name))
	default:
		u.beyond("gate %s: %s is not there, and was not read (a build may make it)", u.gate.Name, clip(name))
	}
}

// launcher says whether a command runs what is written in files of its own,
// which are not read.
func launcher(words []string) bool {
	if len(words) < 2 {
		return slices.Contains([]string{"just", "ninja", "ctest", "tox", "nox"}, base(words[0]))
	}
	return slices.Contains([]string{
		"just", "npm", "yarn", "pnpm", "npx", "node", "deno", "bun", "perl", "ruby", "fish", "docker", "podman", "ssh", "srun", "mvn", "gradle",
		"bazel", "ninja", "ctest", "meson", "tox", "nox", "task", "rake", "invoke", "julia", "Rscript",
	}, base(words[0]))
}

// shebang is the program of a first line, without env.
func shebang(line string) []string {
	line, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return nil
	}
	return unwrap(strings.Fields(line))
}
