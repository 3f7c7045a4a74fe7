package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// tidies are names of functions that clear away.
var tidies = regexp.MustCompile(`(?i)^_*(?:clean|tear_?down|tidy)`)

// exits says whether a function ends the script with a failure itself.
func (s *shell) exits(f *function) bool {
	found := false
	syntax.Walk(f.body, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			name := call.Args[0].Lit()
			found = found || name == "exit" && (len(call.Args) < 2 || call.Args[1].Lit() != "0") || failing.MatchString(name) && name != "exit"
		}
		return !found
	})
	return found
}

// trapsZero recognises trap '…; exit 0' EXIT, and trap f EXIT of an f that ends so.
func (s *shell) trapsZero(cmd *syntax.CallExpr, words []string) bool {
	if !slices.ContainsFunc(words[2:], func(w string) bool { return w == "EXIT" || w == "0" || w == "ERR" }) {
		return false
	}
	text := s.text[cmd.Args[1].Pos().Offset():cmd.Args[1].End().Offset()]
	file, err := parseShell(strings.Trim(text, `"'`))
	return err == nil && s.endsZero(file.Stmts, 0)
}

// endsZero says whether the last of statements is exit 0.
func (s *shell) endsZero(stmts []*syntax.Stmt, depth int) bool {
	if len(stmts) == 0 || depth > maxDepth {
		return false
	}
	switch cmd := stmts[len(stmts)-1].Cmd.(type) {
	case *syntax.Block:
		return s.endsZero(cmd.Stmts, depth+1)
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 {
			return false
		}
		name := cmd.Args[0].Lit()
		if f := s.functions[name]; f != nil {
			return s.endsZero([]*syntax.Stmt{f.body}, depth+1)
		}
		return name == "exit" && len(cmd.Args) > 1 && cmd.Args[1].Lit() == "0"
	}
	return false
}

// function walks the body of a function that is called, once for each way in which it
// is: its commands are under set -e only where its own status is not tested.
func (s *shell) function(words []string, f *function, c fate) {
	key := fmt.Sprintf("%q %v %v %v %s", words, c, s.e, s.p, s.dir)
	if s.walked[key] || len(s.walked) > maxWalked {
		return
	}
	s.walked[key] = true
	if s.lost(c) && s.exits(f) { // it sees to its own
		s.within(f, words, func() { s.stmt(f.body, fate{exempt: c.exempt, why: s.kind(c)}, false) })
		return
	}
	if s.lost(c) {
		s.within(f, words, func() { s.follow(f.body) })
		return // the call itself is what is lost
	}
	s.within(f, words, func() { s.stmt(f.body, fate{used: true, exempt: c.exempt}, false) })
}

// within walks what stands in a function, with the words it is called by.
func (s *shell) within(f *function, words []string, walk func()) {
	u, args, gone := s.unit, s.args, s.argsGone
	in := *f.in
	in.dir, in.nowhere = u.dir, u.nowhere
	s.unit, s.args, s.argsGone = &in, words[1:], false
	walk()
	u.dir, u.nowhere = in.dir, in.nowhere
	s.unit, s.args, s.argsGone = u, args, gone
}
