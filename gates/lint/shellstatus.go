package lint

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gpuci/gates/lint/crates"
)

// asks says whether a node asks for a variable.
func (s *shell) asks(n syntax.Node, name string) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == name {
			found = true
		}
		return !found
	})
	return found
}

// succeeds says whether what stands right of || makes a success of any failure.
func (s *shell) succeeds(st *syntax.Stmt) bool {
	if st == nil || st.Cmd == nil || st.Negated {
		return false
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.Block:
		return len(cmd.Stmts) > 0 && !s.leaves(cmd.Stmts) && s.succeeds(cmd.Stmts[len(cmd.Stmts)-1])
	case *syntax.Subshell:
		return len(cmd.Stmts) > 0 && s.succeeds(cmd.Stmts[len(cmd.Stmts)-1])
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 { // an assignment: somebody reads it later, or not
			return !s.readLater(cmd)
		}
		words := s.wordsOf(cmd.Args)
		if f := s.functions[words[0]]; f != nil {
			body := []*syntax.Stmt{f.body}
			return !s.leaves(body) && s.onlySays(body)
		}
		switch words[0] {
		case "true", ":", "echo", "printf", "continue", "break", "cat", "logger", "date", "warn", "warning", "log", "info", "note", "say", "debug",
			"tail", "head", "sed", "grep", "mv", "cp", "touch", "rm", "sleep", "ls", "wc", "tee", "less", "more", "mkdir", "sync":
			return true
		case "exit", "return":
			return len(words) > 1 && words[1] == "0"
		}
	}
	return false
}

// greps says whether a command looks for something in what it reads.
func (s *shell) greps(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch base(call.Args[0].Lit()) {
	case "grep", "egrep", "fgrep":
		return true
	}
	return false
}

// steers says whether a command only says where the script goes on.
func steers(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch call.Args[0].Lit() {
	case "break", "continue", "return", "exit":
		return true
	}
	return false
}

// leaves says whether statements end the script, or the function, with a failure, or
// keep the failure for somebody who looks at it.
func (s *shell) leaves(stmts []*syntax.Stmt) bool {
	found := false
	for _, st := range stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.ArithmCmd, *syntax.LetClause: // ((fails++))
				found = true
			case *syntax.DeclClause:
				found = found || slices.ContainsFunc(n.Args, s.askedFor)
			case *syntax.CallExpr:
				if len(n.Args) == 0 { // a status that is kept
					found = found || s.readLater(n)
				} else {
					found = found || s.leaving(s.wordsOf(n.Args))
				}
			}
			return !found
		})
	}
	return found
}

// leaving recognises what ends a script with a failure, by itself or in a function; one
// of another file by its name.
func (s *shell) leaving(words []string) bool {
	switch words[0] {
	case "exit", "return", "false", "kill", "exec":
		return len(words) < 2 || words[1] != "0"
	}
	if f := s.functions[words[0]]; f != nil {
		if does, known := s.ends[words[0]]; known {
			return does
		}
		s.ends[words[0]] = false // meanwhile: it may call itself
		s.ends[words[0]] = s.leaves([]*syntax.Stmt{f.body})
		return s.ends[words[0]]
	}
	return failing.MatchString(words[0])
}

var failing = regexp.MustCompile(`^_*(?:die|fail|fatal|abort|bail|usage|panic|croak|error|err|exit)\w*$|_(?:die|fail|exit|abort|fatal)$`)

// readLater says whether what an assignment keeps is asked for.
func (s *shell) readLater(cmd *syntax.CallExpr) bool {
	return slices.ContainsFunc(cmd.Assigns, s.askedFor)
}

// wordOf is a word without the shell; one that is put together is "", unless only its
// directory is: "$(dirname "$0")/check.sh" is ./check.sh.
func wordOf(w *syntax.Word) string {
	var b strings.Builder
	var known func(parts []syntax.WordPart)
	bad := false
	known = func(parts []syntax.WordPart) {
		for i, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(strings.ReplaceAll(p.Value, "\\\n", ""))
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				known(p.Parts)
			default:
				bad = bad || i > 0 || b.Len() > 0
				b.WriteString(".")
			}
		}
	}
	known(w.Parts)
	text := b.String()
	if name, _, ok := strings.Cut(text, "="); bad && ok && strings.HasPrefix(name, "-") && startsPlain(w, len(name)) {
		return name + "=" + crates.Hole
	}
	if !bad && (text != "." || w.Lit() == ".") {
		return text
	}
	return ""
}

// startsPlain says whether the first n bytes of a word are written out.
func startsPlain(w *syntax.Word, n int) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && len(lit.Value) > n
}

// base is the name of a program without its directory.
func base(word string) string { return path.Base(word) }
