package lint

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// values is what is known of a script's variables before it runs: those that it assigns
// once, from what is known itself.
type values struct {
	known    map[string]string
	assigned map[string]int      // how often, in the whole text
	arrays   map[string][]string // likewise
	args     []string            // of the script, or of the function that is walked
	argsGone bool                // they are not known
}

// many is more often than once: whatever gives a variable a value of somebody else's.
const many = 2

// count finds out how often each variable is assigned.
func (v *values) count(file *syntax.File) {
	v.known, v.assigned, v.arrays = make(map[string]string), make(map[string]int), make(map[string][]string)
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
	if a.Name != nil && a.Array != nil && !a.Append && s.assigned[a.Name.Value] == 1 {
		var words []*syntax.Word
		for _, e := range a.Array.Elems {
			if e.Index != nil || e.Value == nil {
				return
			}
			words = append(words, e.Value)
		}
		if len(words) > 0 {
			s.arrays[a.Name.Value] = s.wordsOf(words)
		}
	}
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
		if list, ok := s.arrays[arrayOf(w)]; ok {
			words = append(words, list...)
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

// arrayOf is the name in "${name[@]}", "" for anything else.
func arrayOf(w *syntax.Word) string {
	part := w.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, ok := part.(*syntax.ParamExp)
	if !ok || len(w.Parts) != 1 || p.Param == nil || p.Index == nil || p.Exp != nil || p.Slice != nil || p.Length || p.Excl || p.Repl != nil {
		return ""
	}
	if at, ok := p.Index.(*syntax.Word); ok && (at.Lit() == "@" || at.Lit() == "*") {
		return p.Param.Value
	}
	return ""
}

// maxItems bounds how many turns of a loop are followed.
const maxItems = 50

// items are the words that a loop goes over, where they are known: written out, or files
// that are there.
func (s *shell) items(it *syntax.WordIter) (list []string) {
	for _, w := range it.Items {
		for _, word := range s.wordsOf([]*syntax.Word{w}) {
			if word == "" {
				return nil
			}
			if !strings.ContainsAny(word, "*?[") {
				list = append(list, word)
				continue
			}
			files, _ := filepath.Glob(filepath.Join(s.dir, word))
			for _, at := range files {
				if rel, err := filepath.Rel(s.dir, at); err == nil && !s.nowhere {
					list = append(list, "./"+rel)
				}
			}
		}
	}
	return list[:min(len(list), maxItems)]
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
