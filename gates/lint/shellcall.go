package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command.
func (s *shell) call(cmd *syntax.CallExpr, c fate) {
	if len(cmd.Args) == 0 { // x=$(cmd): the status of the last command in it
		for _, a := range cmd.Assigns {
			s.assignment(a, c)
			s.remember(a)
		}
		return
	}
	words := s.wordsOf(cmd.Args)
	if !compares(words) {
		for _, a := range cmd.Args {
			s.substitutions(a, Subst, own)
		}
	} else if len(words) > 2 && (words[1] == "-n" || words[1] == "-z") { // any output will do
		s.substitutions(cmd.Args[2], Subst, own)
	}
	switch words[0] {
	case "set", "shopt":
		s.set(words[1:])
		return
	case "cd", "pushd", "popd":
		s.goes(words)
		return
	case ".", "source":
		s.source(words)
		return
	case "trap":
		if len(words) > 2 && s.trapsZero(cmd, words) {
			if first, in := s.firstCheck(s.file); first != nil && in == s.unit {
				s.findAt(Trap, first, cmd, false)
			}
		}
		return
	case "exit", "return":
		c = fate{used: true}
	case "exec":
		if c = s.ofShell(); len(words) == 1 { // it moves the output, and starts nothing
			return
		}
	}
	if f := s.functions[words[0]]; f != nil {
		s.function(words, f, c)
		if first, _ := s.firstCheck(cmd); s.lost(c) && first != nil && !s.exits(f) && !tidies.MatchString(words[0]) {
			s.find(s.kind(c), cmd, false)
		}
		return
	}
	if s.nested(cmd, words, c) {
		return
	}
	s.at = int(cmd.Pos().Offset())
	if words[0] == "" && s.only == nil {
		s.untold(words)
	}
	if s.only == nil {
		s.command(words)
	}
	s.findExec(cmd, words)
	switch {
	case words[0] == "wait":
		s.waitsFor(cmd, words, c)
	case !s.lost(c), c.told && !own(words):
	case checks(words):
		s.find(s.kind(c), cmd, false)
	case compares(words):
		s.unasked(cmd, c)
	}
}

// compares recognises commands whose status is all that comes of them.
func compares(words []string) bool {
	switch base(words[0]) {
	case "test", "[":
		return true
	case "grep", "egrep", "fgrep", "cmp", "diff":
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return w == "--quiet" || w == "--silent" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "q")
		})
	}
	return false
}

// unasked reports a comparison that stands alone, and whose status nobody looks at.
func (s *shell) unasked(n syntax.Command, c fate) {
	switch k := s.kind(c); {
	case !s.lost(c) || c.steers:
	case k == Unread || k == SetE || k == Condition || k == Loop:
		s.found(k, n, n, nil, false)
	}
}

// kind is what loses a status here.
func (s *shell) kind(c fate) Kind {
	if s.off && (c.why == Unread || c.why == Loop || c.why == "") {
		return SetE
	}
	if c.why == "" {
		return Unread
	}
	return c.why
}

// set follows set -e, set +e, set -o pipefail and their kin.
func (s *shell) set(words []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if len(w) < 2 || w[0] != '-' && w[0] != '+' || w == "--" {
			return
		}
		on := w[0] == '-'
		for _, r := range w[1:] {
			switch r {
			case 'e':
				s.e, s.off = on, !on && (s.e || s.off)
			case 'o':
				if i++; i < len(words) {
					s.option(words[i], on)
				}
			}
		}
	}
}

func (s *shell) option(name string, on bool) {
	switch name {
	case "errexit":
		s.e, s.off = on, !on && (s.e || s.off)
	case "pipefail":
		s.p = on
	}
}

// assignment walks x=$(cmd), which has the status of the command. What stands before
// the last command in it is not under set -e.
func (s *shell) assignment(a *syntax.Assign, c fate) {
	if a.Value == nil {
		return
	}
	for _, p := range a.Value.Parts {
		cs, ok := p.(*syntax.CmdSubst)
		if q, quoted := p.(*syntax.DblQuoted); quoted && len(q.Parts) == 1 {
			cs, ok = q.Parts[0].(*syntax.CmdSubst)
		}
		if ok {
			used, why := !s.lost(c), s.kind(c)
			s.apart(func() {
				s.e = false
				s.list(cs.Stmts, fate{used: used, exempt: true, why: why})
			})
		}
	}
}
