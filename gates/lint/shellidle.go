package lint

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// idle says whether a statement compares something and then, whatever comes of it, only
// prints: if [ $rc -ne 0 ]; then echo failed; fi.
func (s *shell) idle(st *syntax.Stmt) bool {
	if st.Negated || s.writes(st) {
		return false
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.IfClause:
		for at := cmd; at != nil; at = at.Else {
			if !s.allCompare(at.Cond) || !s.allPrint(at.Then) {
				return false
			}
		}
		return true
	case *syntax.BinaryCmd: // [ … ] || echo; without || its status is that of the comparison
		return cmd.Op == syntax.OrStmt && s.sayOne(cmd.X) && s.sayOne(cmd.Y)
	}
	return false
}

// sayOne says whether a part of a list compares or prints.
func (s *shell) sayOne(st *syntax.Stmt) bool {
	if b, ok := st.Cmd.(*syntax.BinaryCmd); ok {
		return b.Op == syntax.AndStmt && s.sayOne(b.X) && s.sayOne(b.Y)
	}
	one := []*syntax.Stmt{st}
	return s.allCompare(one) || s.allPrint(one)
}

func (s *shell) allCompare(stmts []*syntax.Stmt) bool {
	return !slices.ContainsFunc(stmts, func(st *syntax.Stmt) bool {
		switch cmd := st.Cmd.(type) {
		case *syntax.TestClause, *syntax.ArithmCmd:
			return false
		case *syntax.CallExpr:
			return len(cmd.Args) == 0 || !compares(s.wordsOf(cmd.Args))
		}
		return true
	})
}

func (s *shell) allPrint(stmts []*syntax.Stmt) bool {
	return !slices.ContainsFunc(stmts, func(st *syntax.Stmt) bool {
		if block, ok := st.Cmd.(*syntax.Block); ok && !s.writes(st) {
			return !s.allPrint(block.Stmts)
		}
		return !s.prints(st)
	})
}

// waitsFor reports a wait whose status is lost, and one for several processes, which ends
// with the status of the last. Where something is killed, what is waited for may be that.
func (s *shell) waitsFor(cmd *syntax.CallExpr, words []string, c fate) {
	switch {
	case len(words) < 2 || killed.MatchString(s.text):
	case s.lost(c):
		s.find(s.kind(c), cmd, false)
	case len(words) > 2 && len(words[1]) > 0 && words[1][0] == '-':
	case len(words) > 2 && !c.exempt:
		f := s.finding(Background, int(cmd.Pos().Offset()))
		f.Command = clip(oneLine(s.text[cmd.Pos().Offset():cmd.End().Offset()]))
		f.Why, f.Instead = "it ends with the status of the last process, and those of the others are lost", "a wait for each, under set -e"
		s.report.add(f)
	}
}

// tries reports a command that a loop tries until it succeeds, where giving up is no
// failure: nothing but words come after the loop.
func (s *shell) tries(st *syntax.Stmt, rest []*syntax.Stmt) {
	var body []*syntax.Stmt
	switch cmd := st.Cmd.(type) {
	case *syntax.ForClause:
		body = cmd.Do
	case *syntax.WhileClause:
		body = cmd.Do
	}
	if len(rest) == 0 || !s.allPrint(rest) {
		return
	}
	for _, in := range body {
		b, ok := in.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt || !endsWell(b.Y) {
			continue
		}
		if call, ok := b.X.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && checks(s.wordsOf(call.Args)) {
			s.find(Tries, call, false)
		}
	}
}

// endsWell says whether a statement ends the function or the script with success.
func endsWell(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	name := call.Args[0].Lit()
	return (name == "return" || name == "exit") && (len(call.Args) == 1 || call.Args[1].Lit() == "0")
}

// inShell walks what runs in a shell of its own: exec ends that one, and no more.
func (s *shell) inShell(c fate, walk func()) {
	outer, in := s.subshell, s.asOne(c)
	s.subshell = &in
	s.apart(walk)
	s.subshell = outer
}

// ofShell is the fate of the shell in which the walk is.
func (s *shell) ofShell() fate {
	if s.subshell != nil {
		return *s.subshell
	}
	return fate{used: true}
}

// asksToo recognises what may well fail itself: in a condition it is the other answer.
func asksToo(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && slices.Contains([]string{"grep", "ls", "mkdir", "cp", "mv"}, call.Args[0].Lit())
}

// shows recognises diff a b || true: the differences are what is wanted, and not whether
// there are some. A failure that is said is something else.
func shows(b *syntax.BinaryCmd) bool {
	x, isX := b.X.Cmd.(*syntax.CallExpr)
	y, isY := b.Y.Cmd.(*syntax.CallExpr)
	if !isX || !isY || len(x.Args) == 0 || len(y.Args) == 0 {
		return false
	}
	switch name := base(x.Args[0].Lit()); {
	case name != "diff" && name != "cmp" && name != "colordiff":
		return false
	}
	return slices.Contains([]string{"true", ":", "cp", "mv", "touch"}, y.Args[0].Lit())
}
