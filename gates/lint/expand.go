package lint

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// values is what is known of a script's variables before it runs: those that it assigns
// once, from what is known itself.
type values struct {
	known    map[string]string
	assigned map[string]int // how often, in the whole text
	args     []string       // of the script, or of the function that is walked
	argsGone bool           // they are not known
}

// many is more often than once: whatever gives a variable a value of somebody else's.
const many = 2

// count finds out how often each variable is assigned.
func (v *values) count(file *syntax.File) {
	v.known, v.assigned = make(map[string]string), make(map[string]int)
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && !n.Naked {
				v.assigned[n.Name.Value]++
			}
		case *syntax.ForClause:
			if it, ok := n.Loop.(*syntax.WordIter); ok && it.Name != nil {
				v.assigned[it.Name.Value] += many
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return true
			}
			switch n.Args[0].Lit() {
			case "read", "mapfile", "readarray", "getopts", "unset":
				for _, w := range n.Args[1:] {
					v.assigned[w.Lit()] += many
				}
			case "shift", "set":
				v.argsGone = v.argsGone || n.Args[0].Lit() == "shift" || len(n.Args) > 1 && n.Args[1].Lit() == "--"
			}
		}
		return true
	})
}

// remember keeps what a variable is.
func (s *shell) remember(a *syntax.Assign) {
	if a.Name == nil || a.Naked || a.Append || a.Index != nil || a.Array != nil || s.assigned[a.Name.Value] != 1 {
		return
	}
	if a.Value == nil {
		s.known[a.Name.Value] = ""
		return
	}
	if text, ok := s.textOf(a.Value.Parts); ok {
		s.known[a.Name.Value] = text
	}
}

// wordsOf are the words of a command; one that is put together from what is not known
// is "", unless only its directory is.
func (s *shell) wordsOf(args []*syntax.Word) []string {
	words := make([]string, 0, len(args))
	for _, w := range args {
		if s.isArgs(w) {
			if s.argsGone {
				words = append(words, "")
			}
			words = append(words, s.args...)
			continue
		}
		text, ok := s.textOf(w.Parts)
		if _, bare := w.Parts[0].(*syntax.ParamExp); bare && ok && len(w.Parts) == 1 { // it is split
			words = append(words, strings.Fields(text)...)
			continue
		}
		if !ok {
			text = wordOf(w)
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		words = append(words, "")
	}
	return words
}

// isArgs recognises "$@" and its kin.
func (s *shell) isArgs(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	part := w.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, ok := part.(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Param.Value == "@" || p.Param.Value == "*") && p.Exp == nil && p.Slice == nil && !p.Length
}
