package lint

import (
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fate is what becomes of the status of a command.
type fate struct {
	used   bool // somebody looks at it
	exempt bool // set -e does not act on it
	why    Kind // what loses it, where it is not used
}

// shell walks one script.
type shell struct {
	*unit
	file      *syntax.File
	e, p      bool // set -e and pipefail, as far as it has come
	off       bool // set +e took it back
	functions map[string]*syntax.Stmt
	walked    map[string]bool // functions, by how they were called
	depth     int
}

// maxDepth bounds functions that call each other, and what stands in each other.
const maxDepth = 60

// walkShell looks through a text of shell. e and p are set -e and pipefail from its
// beginning. A text that cannot be parsed is the shell's to complain about.
func (u *unit) walkShell(e, p bool) error {
	s, err := newShell(u)
	if err != nil {
		return err
	}
	s.e, s.p = e, p
	s.list(s.file.Stmts, fate{used: true})
	return nil
}

// arrayKey is a word in the place of an index.
var arrayKey = regexp.MustCompile(`\[[A-Za-z][A-Za-z0-9_.+-]*\]=`)

// newShell parses the text of a unit.
func newShell(u *unit) (*shell, error) {
	parse := func(text string) (*syntax.File, error) {
		return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	}
	file, err := parse(u.text)
	if err != nil { // the parser takes the words of [ld.lld]=x in an array for arithmetic
		file, err = parse(arrayKey.ReplaceAllStringFunc(u.text, func(key string) string { return "[" + strings.Repeat("k", len(key)-3) + "]=" }))
	}
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", u.path, err)
	}
	s := &shell{unit: u, file: file, functions: make(map[string]*syntax.Stmt), walked: make(map[string]bool)}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			s.functions[f.Name.Value] = f.Body
		}
		return true
	})
	return s, nil
}

// list walks statements, of which the last gives the status.
func (s *shell) list(stmts []*syntax.Stmt, c fate) {
	if s.depth++; s.depth > maxDepth {
		s.depth--
		return
	}
	defer func() { s.depth-- }()
	for i, st := range stmts {
		in := c
		if i < len(stmts)-1 {
			in.used = s.reads(stmts[i+1], "?") || s.reads(stmts[i+1], "PIPESTATUS")
			if c.used || c.why == "" {
				in.why = Unread
				if c.exempt && s.e {
					in.why = Condition
				}
			}
		}
		s.stmt(st, in, i < len(stmts)-1 && s.reads(stmts[i+1], "PIPESTATUS"))
	}
}

// reads says whether a node asks for a variable.
// lost says whether the failure of a command has no effect here.
func (s *shell) lost(c fate) bool { return !c.used && (!s.e || c.exempt) }

func (s *shell) stmt(st *syntax.Stmt, c fate, pipestatus bool) {
	if st == nil || st.Cmd == nil {
		return
	}
	if st.Background {
		c = fate{used: s.waits(), exempt: true, why: Background}
	}
	if st.Negated {
		if call := s.firstCheck(st.Cmd); call != nil && !c.used {
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
		e, p, off := s.e, s.p, s.off
		s.list(cmd.Stmts, c)
		s.e, s.p, s.off = e, p, off
	case *syntax.IfClause:
		s.ifClause(cmd, c)
	case *syntax.WhileClause:
		s.list(cmd.Cond, fate{used: true, exempt: true})
		s.loop(cmd.Do, c)
	case *syntax.ForClause:
		s.loop(cmd.Do, c)
	case *syntax.CaseClause:
		for _, item := range cmd.Items {
			s.list(item.Stmts, c)
		}
	case *syntax.TimeClause:
		s.stmt(cmd.Stmt, c, pipestatus)
	case *syntax.DeclClause:
		for _, a := range cmd.Args {
			s.substitutions(a, Declared, checks)
		}
	}
	for _, r := range st.Redirs {
		if r.Word != nil {
			s.substitutions(r.Word, Subst, runner)
		}
	}
}

func (s *shell) ifClause(cmd *syntax.IfClause, c fate) {
	for ; cmd != nil; cmd = cmd.Else {
		s.list(cmd.Cond, fate{used: true, exempt: true})
		s.list(cmd.Then, c)
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
		if steers(b.Y) { // cmd && break: what if says in other words
			left.used = true
		}
		s.stmt(b.X, left, false)
		s.stmt(b.Y, c, false)
	case syntax.OrStmt:
		left := fate{used: true, exempt: true}
		if s.succeeds(b.Y) {
			left = fate{exempt: true, why: OrTrue}
		}
		s.stmt(b.X, left, false)
		s.stmt(b.Y, c, false)
	default: // a pipe
		left := c
		if !s.p && !pipestatus {
			left = fate{exempt: true, why: Pipe}
		}
		s.stmt(b.X, left, pipestatus)
		s.stmt(b.Y, c, false)
	}
}

// succeeds says whether what stands right of || makes a success of any failure.
// steers says whether a command only says where the script goes on.
// leaves says whether statements end the script, or the function, with a failure.
// readLater says whether a variable that is assigned is asked for anywhere.
// waits says whether the script asks a background command for its status.
// wordsOf are the words of a command; one that is put together is "", unless only its
// directory is: "$(dirname "$0")/check.sh" is /check.sh with a dot before it.
// base is the name of a program without its directory.
