package lint

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// text1 is what parts of a word are, where that is known.
func (s *shell) textOf(parts []syntax.WordPart) (text string, ok bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			in, ok := s.textOf(p.Parts)
			if !ok {
				return "", false
			}
			b.WriteString(in)
		case *syntax.ParamExp:
			in, ok := s.param(p)
			if !ok {
				return "", false
			}
			b.WriteString(in)
		case *syntax.CmdSubst:
			in, ok := s.output(p)
			if !ok {
				return "", false
			}
			b.WriteString(in)
		default:
			return "", false
		}
	}
	return b.String(), true
}

func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// param is what a variable is, or an argument, or the script's own path.
func (s *shell) param(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil || p.Length || p.Excl || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return "", false
	}
	name := p.Param.Value
	value, known := s.known[name]
	switch {
	case p.Index != nil && name != "BASH_SOURCE":
		return "", false
	case name == "BASH_SOURCE":
		value, known = filepath.Join(s.root, s.path), s.own == nil
	case name == "0":
		value, known = s.program, s.program != ""
	case name == "PWD":
		value, known = s.dir, !s.nowhere
	case len(name) == 1 && name[0] >= '1' && name[0] <= '9':
		if i := int(name[0] - '1'); !s.argsGone && i < len(s.args) {
			value, known = s.args[i], s.args[i] != ""
		} else {
			value, known = "", !s.argsGone
		}
	}
	if p.Exp == nil {
		return value, known
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		switch {
		case known && value != "":
			return value, true
		case !known && s.assigned[name] > 0: // by something that is not known
			return "", false
		case p.Exp.Word == nil:
			return "", true
		}
		return s.textOf(p.Exp.Word.Parts)
	case syntax.RemSmallSuffix:
		if p.Exp.Word != nil && p.Exp.Word.Lit() == "/*" && known && strings.Contains(value, "/") {
			return filepath.Dir(value), true
		}
	}
	return "", false
}

// output is what a command prints, of those that say where something is.
func (s *shell) output(cs *syntax.CmdSubst) (string, bool) {
	if len(cs.Stmts) == 0 || s.deep > maxDepth {
		return "", len(cs.Stmts) == 0
	}
	s.deep++
	defer func() { s.deep-- }()
	if b, ok := cs.Stmts[0].Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.AndStmt && len(cs.Stmts) == 1 { // cd X && pwd
		x, isX := b.X.Cmd.(*syntax.CallExpr)
		y, isY := b.Y.Cmd.(*syntax.CallExpr)
		if !isX || !isY || len(x.Args) == 0 || len(y.Args) == 0 || y.Args[0].Lit() != "pwd" {
			return "", false
		}
		words := s.wordsOf(x.Args)
		if words[0] != "cd" || len(words) < 2 || words[len(words)-1] == "" {
			return "", false
		}
		return s.from(words[len(words)-1])
	}
	call, ok := cs.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(cs.Stmts) != 1 || len(call.Args) == 0 || s.functions[call.Args[0].Lit()] != nil {
		return "", false
	}
	words := s.wordsOf(call.Args)
	last := words[len(words)-1]
	switch {
	case words[0] == "pwd":
		return s.dir, !s.nowhere
	case words[0] == "git" && strings.Join(words[1:], " ") == "rev-parse --show-toplevel":
		return topOf(s.dir), !s.nowhere
	case len(words) < 2 || last == "":
	case words[0] == "dirname":
		return filepath.Dir(last), true
	case words[0] == "basename" && len(words) == 2:
		return filepath.Base(last), true
	case words[0] == "realpath" || words[0] == "readlink":
		return s.from(last)
	}
	return "", false
}

// from is a path from where the commands run.
func (s *shell) from(path string) (string, bool) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), true
	}
	return filepath.Join(s.dir, path), !s.nowhere
}

// topOf is the top of the worktree that a directory is in.
func topOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, ".git")) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
