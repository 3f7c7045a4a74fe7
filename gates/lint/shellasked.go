package lint

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// looksAt says whether a statement does something with the status of the one before it.
// That it prints it is nothing.
func (s *shell) looksAt(st *syntax.Stmt) bool {
	if !s.asks(st, "?") && !s.asks(st, "PIPESTATUS") {
		return false
	}
	if s.prints(st) || s.idle(st) {
		return s.heard(st)
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		return len(cmd.Args) > 0 || s.readLater(cmd)
	case *syntax.DeclClause:
		return slices.ContainsFunc(cmd.Args, s.askedFor)
	}
	return true
}

// prints says whether a statement only says something.
func (s *shell) prints(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || s.writes(st) {
		return false
	}
	name := call.Args[0].Lit()
	if f := s.functions[name]; f != nil {
		if says, known := s.says[name]; known {
			return says
		}
		s.says[name] = false // meanwhile: what it calls may ask for it
		body := []*syntax.Stmt{f.body}
		s.says[name] = !s.leaves(body) && s.onlySays(body) && !s.writesDown(body)
		return s.says[name]
	}
	switch name {
	case "echo", "printf", ":", "true", "logger", "log", "info", "note", "say", "warn", "warning", "debug":
		return true
	}
	return false
}

// writes says whether a statement's output goes to a file.
func (s *shell) writes(st *syntax.Stmt) bool {
	return slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool {
		if r.Word == nil || r.Hdoc != nil || r.Op == syntax.DplOut || r.Op == syntax.RdrIn {
			return false
		}
		return !strings.HasPrefix(r.Word.Lit(), "/dev/")
	})
}

// heard says whether what a statement prints is taken: it stands left of a pipe, in
// $(…), or in a function that is called so.
func (s *shell) heard(st *syntax.Stmt) bool {
	for _, file := range s.files {
		if !s.listened[file] {
			s.listened[file] = true
			s.listen(file)
		}
	}
	return s.taken[st]
}

// listen finds the statements of a text whose output is taken.
func (s *shell) listen(file *syntax.File) {
	all := func(n syntax.Node) {
		syntax.Walk(n, func(n syntax.Node) bool {
			if st, ok := n.(*syntax.Stmt); ok {
				s.taken[st] = true
			}
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				if f := s.functions[call.Args[0].Lit()]; f != nil && !s.taken[f.body] {
					s.taken[f.body] = true
					syntax.Walk(f.body, func(n syntax.Node) bool {
						if st, ok := n.(*syntax.Stmt); ok {
							s.taken[st] = true
						}
						return true
					})
				}
			}
			return true
		})
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				all(n.X)
			}
		case *syntax.CmdSubst:
			for _, st := range n.Stmts {
				all(st)
			}
		case *syntax.ProcSubst:
			for _, st := range n.Stmts {
				all(st)
			}
		}
		return true
	})
}

// askedFor says whether a variable that is assigned is asked for anywhere else, by
// somebody who does more than print it.
func (s *shell) askedFor(a *syntax.Assign) bool {
	if a.Name == nil {
		return true
	}
	name, found := a.Name.Value, false
	for _, file := range s.files {
		syntax.Walk(file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Stmt:
				if (s.prints(n) || s.idle(n)) && !s.heard(n) {
					return false
				}
			case *syntax.Assign:
				if n.Name != nil && n.Name.Value == name {
					found = found || n.Naked && n != a // export of it
					return false
				}
			case *syntax.ParamExp:
				found = found || n.Param != nil && n.Param.Value == name
			case *syntax.Word: // $((fails)), ((fails > 0))
				found = found || n.Lit() == name
			}
			return !found
		})
	}
	return found || hidden(s.text, name)
}

// hidden says whether a variable is asked for in single quotes, as a trap does it.
func hidden(text, name string) bool {
	if !strings.Contains(text, "trap '") && !strings.Contains(text, "eval") {
		return false
	}
	return regexp.MustCompile(`(?:trap|eval)\s+'[^'\n]*\$\{?` + regexp.QuoteMeta(name) + `\b`).MatchString(text)
}

var (
	jobs   = regexp.MustCompile(`\bwait\s+(?:-\w+\s+)*%|\bwait\s+-\w*n|jobs -p|\bkill\s+(?:-\w+\s+)*%`)
	killed = regexp.MustCompile(`\bkill\b`)
)

// waits says whether somebody asks a background command for its status, or ends it: its
// process is kept before another one is started. One that is kept and killed is a server.
func (s *shell) waits(st *syntax.Stmt) bool {
	if jobs.MatchString(s.text) {
		return true
	}
	next, kept := ^uint(0), ^uint(0)
	waits := false
	syntax.Walk(s.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if at := n.End().Offset(); n.Background && at > st.End().Offset() {
				next = min(next, at)
			}
		case *syntax.ParamExp:
			if at := n.Pos().Offset(); n.Param != nil && n.Param.Value == "!" && at >= st.End().Offset() {
				kept = min(kept, at)
			}
		case *syntax.CallExpr:
			waits = waits || len(n.Args) > 1 && n.Args[0].Lit() == "wait"
		}
		return true
	})
	return kept < next && (waits || killed.MatchString(s.text))
}
