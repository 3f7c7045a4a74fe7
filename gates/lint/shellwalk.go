package lint

import (
	"mvdan.cc/sh/v3/syntax"
)

// list walks statements, of which the last gives the status.
func (s *shell) list(stmts []*syntax.Stmt, c fate) {
	if s.deep++; s.deep > maxDepth {
		s.deep--
		return
	}
	defer func() { s.deep-- }()
	for i, st := range stmts {
		in := c
		if i < len(stmts)-1 {
			in.used = s.looksAt(stmts[i+1])
			if c.used || c.why == "" {
				in.why = Unread
				if c.exempt && s.e {
					in.why = Condition
				}
			}
		}
		if st.Background {
			in = fate{used: s.waits(st), exempt: true, why: Background}
		}
		s.tries(st, stmts[i+1:])
		s.stmt(st, in, i < len(stmts)-1 && s.asks(stmts[i+1], "PIPESTATUS") && s.looksAt(stmts[i+1]))
	}
}

// lost says whether the failure of a command has no effect here.
func (s *shell) lost(c fate) bool { return !c.used && (!s.e || c.exempt) }

func (s *shell) stmt(st *syntax.Stmt, c fate, pipestatus bool) {
	if st == nil || st.Cmd == nil {
		return
	}
	if st.Negated {
		if call, in := s.firstCheck(st.Cmd); call != nil && in == s.unit && !c.used {
			s.find(Negated, call, true)
		}
		c = fate{used: true, exempt: true}
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(cmd, c)
	case *syntax.BinaryCmd:
		s.binary(cmd, c, pipestatus)
	case *syntax.Block:
		s.list(cmd.Stmts, c)
	case *syntax.Subshell:
		s.inShell(c, func() { s.list(cmd.Stmts, c) })
	case *syntax.IfClause:
		s.ifClause(cmd, c)
	case *syntax.WhileClause:
		s.whileClause(cmd)
		s.list(cmd.Cond, fate{used: true, exempt: true})
		s.branch(func() { s.loop(cmd.Do, c) })
	case *syntax.ForClause:
		if it, ok := cmd.Loop.(*syntax.WordIter); ok {
			for _, w := range it.Items {
				s.substitutions(w, Subst, own)
			}
		}
		s.turns(cmd)
		s.branch(func() { s.loop(cmd.Do, c) })
		if it, ok := cmd.Loop.(*syntax.WordIter); ok && it.Name != nil {
			delete(s.known, it.Name.Value)
		}
	case *syntax.CaseClause:
		s.substitutions(cmd.Word, Subst, own)
		for _, item := range cmd.Items {
			s.branch(func() { s.list(item.Stmts, c) })
		}
	case *syntax.TimeClause:
		s.stmt(cmd.Stmt, c, pipestatus)
	case *syntax.TestClause:
		s.unasked(cmd, c)
	case *syntax.DeclClause:
		for _, a := range cmd.Args {
			s.remember(a)
			s.substitutions(a, Declared, checks)
		}
	}
	for _, r := range st.Redirs {
		switch {
		case r.Hdoc != nil && !s.heredoc(st, r, c):
			s.substitutions(r.Hdoc, Subst, own)
		case r.Op == syntax.WordHdoc && s.hereString(st, r, c):
			continue
		}
		if r.Word != nil {
			s.substitutions(r.Word, Subst, own)
		}
	}
}

// apart walks what a shell of its own runs: it leaves nothing as it was not before.
func (s *shell) apart(walk func()) {
	e, p, off, dir, nowhere := s.e, s.p, s.off, s.dir, s.nowhere
	walk()
	s.e, s.p, s.off, s.dir, s.nowhere = e, p, off, dir, nowhere
}

// branch walks what may be run or not: where it goes elsewhere, nobody knows where it
// is afterwards.
func (s *shell) branch(walk func()) {
	dir, nowhere := s.dir, s.nowhere
	walk()
	if s.dir != dir || s.nowhere != nowhere {
		s.nowhere = true
	}
}

// turns follows what a loop calls in each turn, and leaves the variable at the first.
func (s *shell) turns(cmd *syntax.ForClause) {
	it, ok := cmd.Loop.(*syntax.WordIter)
	if !ok || it.Name == nil {
		return
	}
	list := s.items(it)
	for i := len(list) - 1; i >= 0; i-- {
		s.known[it.Name.Value] = list[i]
		for _, st := range cmd.Do {
			if i > 0 {
				s.apart(func() { s.follow(st) })
			}
		}
	}
}

func (s *shell) ifClause(cmd *syntax.IfClause, c fate) {
	for ; cmd != nil; cmd = cmd.Else {
		s.tested(cmd)
		s.list(cmd.Cond, fate{used: true, exempt: true})
		s.branch(func() { s.list(cmd.Then, c) })
	}
}

// loop walks the body of a loop: each turn's status is lost but for the last one's.
func (s *shell) loop(body []*syntax.Stmt, c fate) {
	if c.used || c.why == "" {
		c.why = Loop
	}
	c.used = false
	s.list(body, c)
}

func (s *shell) binary(b *syntax.BinaryCmd, c fate, pipestatus bool) {
	switch b.Op {
	case syntax.AndStmt:
		left := c
		if !c.exempt && s.e && !c.used {
			left.why = And
		}
		left.exempt = true
		left.steers = true
		if steers(b.Y) { // cmd && break: what if says in other words
			left.used = true
		}
		s.stmt(b.X, left, false)
		s.stmt(b.Y, c, false)
	case syntax.OrStmt:
		left := fate{used: true, exempt: true}
		if (s.succeeds(b.Y) || s.fallsBack(b)) && !shows(b) && !(c.used && c.exempt && asksToo(b.Y)) {
			left = fate{exempt: true, why: OrTrue}
		}
		s.stmt(b.X, left, false)
		s.stmt(b.Y, c, false)
	default: // a pipe
		left := c
		if !s.p && !pipestatus {
			left = fate{exempt: true, why: Pipe, told: s.greps(b.Y) && (c.used || c.steers || !s.lost(c))}
		}
		s.inShell(left, func() { s.stmt(b.X, left, pipestatus) })
		s.inShell(c, func() { s.stmt(b.Y, c, false) })
	}
}
