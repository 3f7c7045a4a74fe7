package lint

import (
	"context"
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

// Look reads the commands of gates and what they call. Cargo and shellcheck are asked,
// each within a time of its own; what had no answer is among what was not read.
func Look(ctx context.Context, o Options) (*Report, error) {
	r := &Report{}
	known := newSpaces(ctx)
	list := o.Gates
	if len(list) == 0 {
		list = o.Config.Gates
	}
	raw, err := os.ReadFile(filepath.Join(o.Config.Root, configFile))
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	for _, g := range list {
		said := len(r.Beyond) + len(r.Unread)
		for _, build := range []bool{true, false} {
			l := &look{report: r, root: o.Config.Root, gate: g, build: build, seen: make(map[string]bool), spaces: known}
			key, commands := "run", g.Run
			if build {
				key, commands = "build", g.Build
			}
			origin, _ := o.Config.Origin("gate." + g.Name + "." + key)
			for i, c := range commands {
				l.configured(c, i, string(raw), origin.Line)
			}
		}
		if len(r.Beyond)+len(r.Unread) == said && !r.cameBy(g.Name) && len(g.Run) > 0 {
			r.Beyond = append(r.Beyond, fmt.Sprintf("gate %s: nothing that its commands call is a file that is read here", g.Name))
		}
	}
	workflows(r, o.Config.Root, list)
	if o.Shellcheck != "" {
		runShellcheck(ctx, r, o.Config.Root, o.Shellcheck)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
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
			u.cannot("%v", err)
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
	if at := pythonC(plain); at > 0 {
		inner := *u
		inner.text, inner.own = plain[at], &edit{command: u.own.command, arg: len(words) - len(plain) + at}
		inner.pythonText()
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
