package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates/config"
)

// Options say what is looked through. Config is required.
type Options struct {
	Config *config.Config
	Gates  []config.Gate // of it; none means all
	// Shellcheck is the path of shellcheck, "" where it is not used.
	Shellcheck string
}

// Look reads the commands of gates and what they call.
func Look(o Options) (*Report, error) {
	r := &Report{}
	list := o.Gates
	if len(list) == 0 {
		list = o.Config.Gates
	}
	raw, err := os.ReadFile(filepath.Join(o.Config.Root, configFile))
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	for _, g := range list {
		for _, build := range []bool{true, false} {
			l := &look{report: r, root: o.Config.Root, gate: g, build: build, seen: make(map[string]bool)}
			key, commands := "run", g.Run
			if build {
				key, commands = "build", g.Build
			}
			origin, _ := o.Config.Origin("gate." + g.Name + "." + key)
			for i, c := range commands {
				l.configured(c, i, string(raw), origin.Line)
			}
			if !build {
				l.tests()
			}
		}
	}
	workflows(r, o.Config.Root, list)
	if o.Shellcheck != "" {
		runShellcheck(r, o.Config.Root, o.Shellcheck)
	}
	r.sort()
	return r, nil
}

// configured looks through one command of a gate. A string is run by bash with
// errexit and pipefail.
func (l *look) configured(c config.Command, i int, raw string, line int) {
	u := &unit{look: l, path: configFile, dir: filepath.Join(l.root, l.gate.Dir), whole: raw, line: line, own: &edit{command: i, arg: -1}}
	if c.Shell != "" {
		u.text = c.Shell
		if err := u.walkShell(true, true); err != nil {
			l.report.Unread = append(l.report.Unread, fmt.Sprintf("gate %s: %v", l.gate.Name, err))
		}
		return
	}
	u.argv(c.Argv)
}

// argv looks through a command that is run without a shell.
func (u *unit) argv(words []string) {
	plain := unwrap(words)
	if text, at, e, p, ok := dashC(plain); ok {
		inner := *u
		inner.text, inner.own = text, &edit{command: u.own.command, arg: len(words) - len(plain) + at}
		_ = inner.walkShell(e, p) // what bash cannot read it says itself
		return
	}
	u.text = strings.Join(words, " ")
	u.command(plain)
}

// dashC finds the script in bash -euo pipefail -c SCRIPT.
func dashC(words []string) (text string, at int, e, p, ok bool) {
	if len(words) < 3 || !isShell(words[0]) {
		return "", 0, false, false, false
	}
	e, p, rest := shellOptions(words[1:])
	for i := 1; i < len(words)-rest; i++ {
		if strings.HasPrefix(words[i], "-") && strings.Contains(words[i], "c") && !strings.HasPrefix(words[i], "--") && words[i-1] != "-o" {
			if n := len(words) - rest; n < len(words) {
				return words[n], n, e, p, true
			}
		}
	}
	return "", 0, false, false, false
}

func isShell(word string) bool {
	return slices.Contains([]string{"bash", "sh", "dash", "ksh", "zsh"}, base(word))
}

// shellOptions reads the options of a shell; rest is how many words come after them.
func shellOptions(words []string) (e, p bool, rest int) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			return e, p, len(words) - i - 1
		case strings.HasPrefix(w, "--"):
		case len(w) > 1 && (w[0] == '-' || w[0] == '+'):
			e = e || strings.Contains(w, "e")
			if strings.Contains(w, "o") && i+1 < len(words) {
				i++
				p = p || words[i] == "pipefail"
				e = e || words[i] == "errexit"
			}
		default:
			return e, p, len(words) - i
		}
	}
	return e, p, 0
}

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
	name := base(words[0])
	switch {
	case isShell(words[0]):
		e, p, rest := shellOptions(words[1:])
		if rest > 0 && !slices.ContainsFunc(words[1:len(words)-rest], func(w string) bool { return strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") }) {
			u.script(words[len(words)-rest], e, p, true)
		}
	case name == "." || name == "source":
		if len(words) > 1 {
			u.script(words[1], false, false, true)
		}
	case name == "make" || name == "gmake":
		u.make(words[1:])
	case strings.HasPrefix(name, "python"):
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "-") {
				if w == "-m" || w == "-c" {
					return
				}
				continue
			}
			u.python(w)
			return
		}
	case strings.Contains(words[0], "/"):
		u.script(words[0], false, false, false)
	}
}

// script looks through a file, where it is one of shell (or of Python, by its first
// line). given says that a shell was named for it.
func (u *unit) script(name string, e, p, given bool) {
	if name == "" {
		return
	}
	path, text, ok := u.open(name, u.dir, filepath.Join(u.root, filepath.Dir(u.path)))
	if !ok {
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
		return
	}
	if !u.reads(path, fmt.Sprint(e, p)) {
		return
	}
	s := &unit{look: u.look, path: path, dir: u.dir, text: text, whole: text}
	if err := s.walkShell(e, p); err != nil {
		u.report.Unread = append(u.report.Unread, err.Error())
	}
}

// shebang is the program of a first line, without env.
func shebang(line string) []string {
	line, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return nil
	}
	return unwrap(strings.Fields(line))
}
