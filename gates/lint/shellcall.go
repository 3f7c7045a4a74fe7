package lint

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command.
func (s *shell) call(cmd *syntax.CallExpr, c fate) {
	if len(cmd.Args) == 0 { // x=$(cmd): the status of the last command in it
		for _, a := range cmd.Assigns {
			s.assigned(a, c)
		}
		return
	}
	words := wordsOf(cmd.Args)
	for _, a := range cmd.Args {
		s.substitutions(a, Subst, runner)
	}
	if words[0] == "set" || words[0] == "shopt" {
		s.set(words[1:])
		return
	}
	if words[0] == "trap" && len(words) > 2 && trapsZero(words) {
		if first := s.firstCheck(s.file); first != nil {
			s.findAt(Trap, first, cmd, false)
		}
		return
	}
	if words[0] == "exec" || words[0] == "exit" || words[0] == "return" {
		c = fate{used: true}
	}
	if body := s.functions[words[0]]; body != nil {
		s.function(words[0], body, c)
		if s.lost(c) && s.firstCheck(body) != nil {
			s.find(s.kind(c), cmd, false)
		}
		return
	}
	s.command(words)
	if s.lost(c) && checks(words) {
		s.find(s.kind(c), cmd, false)
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

// trapsZero recognises trap '…; exit 0' EXIT.
func trapsZero(words []string) bool {
	onExit := false
	for _, w := range words[2:] {
		onExit = onExit || w == "EXIT" || w == "0" || w == "ERR"
	}
	return onExit && strings.HasSuffix(strings.TrimRight(strings.TrimSpace(words[1]), ";} "), "exit 0")
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

// function walks the body of a function that is called, once for each way in which it
// is: its commands are under set -e only where its own status is not tested.
func (s *shell) function(name string, body *syntax.Stmt, c fate) {
	key := fmt.Sprint(name, c, s.e, s.p)
	if s.walked[key] {
		return
	}
	s.walked[key] = true
	if !c.used && (c.exempt || !s.e) {
		return // the call itself is what is lost
	}
	s.stmt(body, fate{used: true, exempt: c.exempt}, false)
}

// assigned walks x=$(cmd), which has the status of the command. What stands before
// the last command in it is not under set -e.
func (s *shell) assigned(a *syntax.Assign, c fate) {
	if a.Value == nil {
		return
	}
	for _, p := range a.Value.Parts {
		cs, ok := p.(*syntax.CmdSubst)
		if q, quoted := p.(*syntax.DblQuoted); quoted && len(q.Parts) == 1 {
			cs, ok = q.Parts[0].(*syntax.CmdSubst)
		}
		if ok {
			e, p, off := s.e, s.p, s.off
			used := !s.lost(c)
			s.e = false
			s.list(cs.Stmts, fate{used: used, exempt: true, why: s.kind(c)})
			s.e, s.p, s.off = e, p, off
		}
	}
}

// substitutions finds commands that matter within arguments.
func (s *shell) substitutions(n syntax.Node, k Kind, matters func([]string) bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		var stmts []*syntax.Stmt
		switch n := n.(type) {
		case *syntax.CmdSubst:
			stmts = n.Stmts
		case *syntax.ProcSubst:
			stmts = n.Stmts
		default:
			return true
		}
		for _, st := range stmts {
			if call := s.first(st, matters); call != nil {
				s.find(k, call, false)
			}
		}
		return false
	})
}

// firstCheck is the first command in a node that matters.
func (s *shell) firstCheck(n syntax.Node) *syntax.CallExpr { return s.first(n, checks) }

func (s *shell) first(n syntax.Node, matters func([]string) bool) (found *syntax.CallExpr) {
	seen := make(map[string]bool)
	var walk func(n syntax.Node)
	walk = func(n syntax.Node) {
		syntax.Walk(n, func(n syntax.Node) bool {
			if _, ok := n.(*syntax.FuncDecl); ok || found != nil {
				return false
			}
			call, ok := n.(*syntax.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			words := wordsOf(call.Args)
			if body := s.functions[words[0]]; body != nil {
				if !seen[words[0]] {
					seen[words[0]] = true
					walk(body)
				}
				return true
			}
			if matters(words) {
				found = call
			}
			return found == nil
		})
	}
	walk(n)
	return found
}

// find reports a command whose failure is lost.
func (s *shell) find(k Kind, call *syntax.CallExpr, succeed bool) { s.findAt(k, call, call, succeed) }

// findAt reports one at the place of another node.
func (s *shell) findAt(k Kind, call, at *syntax.CallExpr, succeed bool) {
	from, to := int(call.Pos().Offset()), int(call.End().Offset())
	if to > len(s.text) || from >= to {
		return
	}
	words := wordsOf(call.Args)
	f := s.finding(k, int(at.Pos().Offset()))
	f.Command = oneLine(s.text[from:to])
	if s.own == nil { // as it is written: a recipe's text is made up
		f.Command = oneLine(s.whole[s.shift+from : s.shift+to])
	}
	f.Certain = runner(words) && k != Negated && k != Subst
	e := s.edit(from, to, succeed)
	e.once = k == Loop
	f.edits = []edit{e}
	s.report.add(f)
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\\\n", " ")), " ")
}
