package lint

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (s *shell) reads(n syntax.Node, name string) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == name {
			found = true
		}
		return !found
	})
	return found
}

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
		switch words := wordsOf(cmd.Args); words[0] {
		case "true", ":", "echo", "printf", "continue", "break", "cat", "logger", "date", "warn":
			return s.functions[words[0]] == nil
		case "exit", "return":
			return len(words) > 1 && words[1] == "0"
		}
	}
	return false
}

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

func (s *shell) leaves(stmts []*syntax.Stmt) bool {
	found := false
	for _, st := range stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			call, ok := n.(*syntax.CallExpr)
			switch {
			case !ok:
			case len(call.Args) == 0: // a status that is kept
				found = found || s.readLater(call)
			default:
				words := wordsOf(call.Args)
				found = found || (words[0] == "exit" || words[0] == "return" || words[0] == "false" || words[0] == "kill") && (len(words) < 2 || words[1] != "0")
			}
			return !found
		})
	}
	return found
}

func (s *shell) readLater(cmd *syntax.CallExpr) bool {
	for _, a := range cmd.Assigns {
		if a.Name == nil || s.reads(s.file, a.Name.Value) {
			return true
		}
		arithmetic := false
		syntax.Walk(s.file, func(n syntax.Node) bool { // $((fails)), ((fails > 0))
			if w, ok := n.(*syntax.Word); ok && w.Lit() == a.Name.Value {
				arithmetic = true
			}
			return !arithmetic
		})
		if arithmetic {
			return true
		}
	}
	return false
}

func (s *shell) waits() bool {
	found := false
	syntax.Walk(s.file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 1 && call.Args[0].Lit() == "wait" {
			found = true
		}
		return !found
	})
	return found
}

func wordsOf(args []*syntax.Word) []string {
	words := make([]string, len(args))
	for i, w := range args {
		words[i] = wordOf(w)
	}
	return words
}

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
	if text := b.String(); !bad && text != "." {
		return text
	}
	return ""
}

func base(word string) string { return path.Base(word) }
