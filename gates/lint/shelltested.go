package lint

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// tested reports the command of an if whose failure has no consequence. Which way a
// script goes on may well hang on a command; a failure is lost where one branch does
// nothing but say so, or where there is none for it.
func (s *shell) tested(cmd *syntax.IfClause) {
	if len(cmd.Cond) != 1 {
		return
	}
	st := cmd.Cond[0]
	call := s.condition(st)
	if call == nil {
		return
	}
	good, bad := cmd.Then, elseOf(cmd.Else)
	if st.Negated {
		good, bad = bad, good
	}
	words := s.wordsOf(call.Args)
	first, _ := s.first(call, own)
	mine := first != nil || s.only != nil
	switch {
	case words[0] == "wait" && killed.MatchString(s.text):
	case s.counts(good) || s.counts(bad) || goesOn(good):
	case !st.Negated && cmd.Else != nil && len(cmd.Else.Cond) > 0: // elif: the failure chooses
	case !s.onlySays(bad):
	case mine && len(bad) > 0, mine && len(bad) == 0 && s.onlySays(good), runner(words):
		s.find(Tested, call, false)
	case len(bad) > 0 && saysFailure.MatchString(s.written(bad)):
		s.find(Tested, call, false)
	}
}

var saysFailure = regexp.MustCompile(`(?i)\b(?:fail|error|differ|mismatch|broken|wrong|not ok)`)

// condition is the command whose status an if asks for, where it is one that matters.
func (s *shell) condition(st *syntax.Stmt) *syntax.CallExpr {
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		if first, _ := s.firstCheck(cmd); first != nil {
			return cmd
		}
	case *syntax.BinaryCmd:
		if cmd.Op != syntax.OrStmt {
			if call := s.condition(cmd.Y); call != nil {
				return call
			}
		}
		if cmd.Op == syntax.AndStmt {
			return s.condition(cmd.X)
		}
	}
	return nil
}

// elseOf are the statements of an else; those of an elif are its own.
func elseOf(cmd *syntax.IfClause) []*syntax.Stmt {
	if cmd == nil || len(cmd.Cond) > 0 {
		return nil
	}
	return cmd.Then
}

// counts says whether statements leave with a failure, or keep what came of it.
func (s *shell) counts(stmts []*syntax.Stmt) bool {
	return s.leaves(stmts) || s.writesDown(stmts)
}

// writesDown says whether statements write to a file that the script has elsewhere too.
func (s *shell) writesDown(stmts []*syntax.Stmt) bool {
	found := false
	for _, st := range stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			if r, ok := n.(*syntax.Redirect); ok && r.Word != nil && r.Hdoc == nil && r.Op != syntax.DplOut {
				name := wordOf(r.Word) // "" is put together: somebody may well read it
				found = found || !strings.HasPrefix(name, "/dev/") && (name == "" || strings.Count(s.text, name) > 1)
			}
			return !found
		})
	}
	return found
}

// goesOn says whether a success ends the script, the function or the loop here: what
// comes after it is for failures only.
func goesOn(stmts []*syntax.Stmt) bool {
	return len(stmts) > 0 && stmts[len(stmts)-1].Cmd != nil && steers(stmts[len(stmts)-1])
}

// onlySays says whether statements do nothing that matters: they print, and tidy.
func (s *shell) onlySays(stmts []*syntax.Stmt) bool {
	for _, st := range stmts {
		if first, _ := s.firstCheck(st); first != nil {
			return false
		}
	}
	return true
}

// written is the text of statements.
func (s *shell) written(stmts []*syntax.Stmt) string {
	return s.text[stmts[0].Pos().Offset():stmts[len(stmts)-1].End().Offset()]
}

// whileClause reports the command that a loop goes on by, where it is one of the
// workspace's: the loop's end is then its failure. What waits is for that, and until is,
// unless it gives up without a word: break, and no exit.
func (s *shell) whileClause(cmd *syntax.WhileClause) {
	if len(cmd.Cond) == 0 {
		return
	}
	last := cmd.Cond[len(cmd.Cond)-1]
	call := s.condition(last)
	if call == nil {
		return
	}
	first, _ := s.first(call, own)
	retries := cmd.Until != last.Negated
	switch {
	case first == nil:
	case retries && s.calls(cmd.Do, "break") && !s.calls(cmd.Do, "exit", "return"), !retries && !s.calls(cmd.Do, "sleep"):
		s.find(While, call, false)
	}
}

// calls says whether one of some commands is among statements.
func (s *shell) calls(stmts []*syntax.Stmt, names ...string) (found bool) {
	for _, st := range stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && slices.Contains(names, call.Args[0].Lit()) {
				found = true
			}
			return !found
		})
	}
	return found
}

// fallsBack recognises x=$(cmd) || x=other: the failure becomes a value.
func (s *shell) fallsBack(b *syntax.BinaryCmd) bool {
	x, isX := b.X.Cmd.(*syntax.CallExpr)
	y, isY := b.Y.Cmd.(*syntax.CallExpr)
	if !isX || !isY || len(x.Args)+len(y.Args) > 0 || len(x.Assigns) == 0 || len(y.Assigns) == 0 {
		return false
	}
	a, c := x.Assigns[0], y.Assigns[0]
	first, _ := s.first(x, own)
	return a.Name != nil && c.Name != nil && a.Name.Value == c.Name.Value && first != nil
}

// findExec reports the command of find -exec … \;, whose status find does not end with.
func (s *shell) findExec(cmd *syntax.CallExpr, words []string) {
	if base(words[0]) != "find" || len(words) != len(cmd.Args) {
		return
	}
	for i := 1; i < len(words); i++ {
		if words[i] != "-exec" && words[i] != "-execdir" {
			continue
		}
		end := i + 1
		for end < len(words) && words[end] != ";" && words[end] != "+" {
			end++
		}
		if end < len(words) && words[end] == ";" && end > i+1 && checks(words[i+1:end]) {
			from, to := int(cmd.Args[i+1].Pos().Offset()), int(cmd.Args[end-1].End().Offset())
			s.span(Exec, from, to, cmd, words[i+1:end], edit{program: true})
		}
		i = end
	}
}
