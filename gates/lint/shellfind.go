package lint

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
			s.apart(func() { s.follow(st) })
			if call, in := s.first(st, matters); call != nil && in == s.unit {
				s.find(k, call, false)
			}
		}
		return false
	})
}

// follow looks at what the commands in a node call, and not at what becomes of them.
func (s *shell) follow(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			switch words := s.wordsOf(call.Args); {
			case words[0] == "cd":
				s.goes(words)
			case words[0] == "set" || words[0] == "shopt":
				s.set(words[1:])
			case s.functions[words[0]] == nil && s.only == nil:
				s.at = int(call.Pos().Offset())
				s.command(words)
			}
		}
		return true
	})
}

// firstCheck is the first command in a node that matters, and the text it stands in.
func (s *shell) firstCheck(n syntax.Node) (*syntax.CallExpr, *unit) { return s.first(n, checks) }

func (s *shell) first(n syntax.Node, matters func([]string) bool) (found *syntax.CallExpr, in *unit) {
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
			words := s.wordsOf(call.Args)
			if f := s.functions[words[0]]; f != nil {
				if !seen[words[0]] {
					seen[words[0]] = true
					args := s.args
					s.args = words[1:]
					unit := s.unit
					s.unit = f.in
					walk(f.body)
					s.args, s.unit = args, unit
				}
				return true
			}
			if matters(words) {
				found, in = call, s.unit
			}
			return found == nil
		})
	}
	unit := s.unit
	walk(n)
	s.unit = unit
	return found, in
}

// find reports a command whose failure is lost.
func (s *shell) find(k Kind, call *syntax.CallExpr, succeed bool) { s.findAt(k, call, call, succeed) }

// findAt reports one at the place of another node.
func (s *shell) findAt(k Kind, call, at *syntax.CallExpr, succeed bool) {
	s.found(k, call, at, s.wordsOf(call.Args), succeed)
}

// found reports a node, of which words are the words where it is a simple command.
func (s *shell) found(k Kind, n, at syntax.Node, words []string, succeed bool) {
	s.span(k, s.beginning(n), int(n.End().Offset()), at, words, edit{succeed: succeed})
}

// beginning is where a command is written from: >log ./step begins with what stands before
// the command itself.
func (s *shell) beginning(n syntax.Node) int {
	from := int(n.Pos().Offset())
	for _, file := range s.files {
		syntax.Walk(file, func(at syntax.Node) bool {
			if st, ok := at.(*syntax.Stmt); ok && st.Cmd == n {
				for _, r := range st.Redirs {
					from = min(from, int(r.Pos().Offset()))
				}
			}
			return true
		})
	}
	return from
}

// span reports a piece of the text. plan says how a proof replaces it.
func (s *shell) span(k Kind, from, to int, at syntax.Node, words []string, plan edit) {
	if to > len(s.text) || from >= to || s.only != nil && !s.isOnly(words) {
		return
	}
	f := s.finding(k, int(at.Pos().Offset()))
	f.Command = clip(oneLine(s.text[from:to]))
	if s.own == nil { // as it is written: a recipe's text is made up
		f.Command = clip(oneLine(s.whole[s.shift+from : s.shift+to]))
	}
	f.Certain = words != nil && runner(words) && k != Negated && k != Subst && k != Tested && k != While
	e := s.edit(from, to, plan.succeed)
	e.once, e.program = k == Loop, plan.program
	f.edits = []edit{e}
	s.report.add(f)
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\\\n", " ")), " ")
}
