package lint

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// nested looks through a script that stands in a word: of eval, or of bash -c.
func (s *shell) nested(cmd *syntax.CallExpr, words []string, c fate) bool {
	if words[0] == "eval" {
		if len(cmd.Args) != 2 {
			return len(cmd.Args) != 1 // put together from several: not followed
		}
		in, ok := s.inWord(cmd.Args[1])
		if ok {
			s.inner(in, func(t *shell) {
				t.functions, t.walked, t.says, t.ends, t.values, t.stack = s.functions, s.walked, s.says, s.ends, s.values, s.stack
				t.files = append(slices.Clone(s.files), t.file)
				t.e, t.p, t.off = s.e, s.p, s.off
				t.list(t.file.Stmts, c)
				s.e, s.p, s.off, s.dir, s.nowhere = t.e, t.p, t.off, t.dir, t.nowhere
			})
		}
		return ok
	}
	plain := unwrap(words)
	if at := pythonC(plain); at > 0 && len(words) == len(cmd.Args) {
		if in, ok := s.inWord(cmd.Args[len(words)-len(plain)+at]); ok {
			in.pythonText()
		}
		return false // its own status is of interest, too
	}
	_, at, e, p, ok := dashC(plain)
	if !ok || len(words) != len(cmd.Args) {
		return false
	}
	in, ok := s.inWord(cmd.Args[len(words)-len(plain)+at])
	if ok {
		s.inner(in, func(t *shell) {
			t.e, t.p = e, p
			t.list(t.file.Stmts, s.asOne(c))
		})
	}
	return ok
}

// heredoc looks through a script that a shell, or Python, reads from its standard input;
// it says whether there is one.
func (s *shell) heredoc(st *syntax.Stmt, r *syntax.Redirect, c fate) bool {
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	if len(r.Hdoc.Parts) == 0 || from >= to || to > len(s.text) {
		return false
	}
	in := *s.unit
	in.text, in.shift = s.text[from:to], s.shift+from
	return s.fromInput(st, &in, c)
}

// hereString does it for bash <<< '…'.
func (s *shell) hereString(st *syntax.Stmt, r *syntax.Redirect, c fate) bool {
	in, ok := s.inWord(r.Word)
	return ok && s.fromInput(st, in, c)
}

func (s *shell) fromInput(st *syntax.Stmt, in *unit, c fate) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	plain := unwrap(s.wordsOf(call.Args))
	if len(plain) == 0 {
		return false
	}
	if strings.HasPrefix(base(plain[0]), "python") && (len(plain) == 1 || plain[1] == "-") {
		in.pythonText()
		return true
	}
	if !isShell(plain[0]) {
		return false
	}
	e, p, rest := shellOptions(plain[1:])
	if rest > 0 && !slices.Contains(plain, "-s") {
		return false
	}
	s.inner(in, func(t *shell) {
		t.e, t.p = e, p
		t.list(t.file.Stmts, s.asOne(c))
	})
	return true
}

// asOne is the fate of the last command of a shell of its own.
func (s *shell) asOne(c fate) fate {
	if s.lost(c) {
		return fate{exempt: true, why: s.kind(c)}
	}
	return fate{used: true}
}

// inner reads a text within this one. What a shell cannot read it says itself.
func (s *shell) inner(in *unit, walk func(t *shell)) {
	if s.depth > maxCalls {
		return
	}
	s.depth++
	defer func() { s.depth-- }()
	if t, err := newShell(in); err == nil {
		t.program = s.program
		walk(t)
	}
}

// inWord is the text of a word that is one string, in its place; ok is false where the
// shell makes something else of it.
func (s *shell) inWord(w *syntax.Word) (*unit, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		if p.Dollar {
			return nil, false
		}
	case *syntax.DblQuoted:
		if len(p.Parts) != 1 {
			return nil, false
		}
		if lit, ok := p.Parts[0].(*syntax.Lit); !ok || strings.Contains(lit.Value, `\`) {
			return nil, false
		}
	case *syntax.Lit:
		return nil, false
	default:
		return nil, false
	}
	from, to := int(w.Pos().Offset())+1, int(w.End().Offset())-1
	if from >= to || to > len(s.text) {
		return nil, false
	}
	in := *s.unit
	in.text, in.shift = s.text[from:to], s.shift+from
	if strings.HasPrefix(s.text[from-1:], "'") {
		in.quoted = true
	}
	return &in, true
}

// goes follows cd, pushd and popd.
func (s *shell) goes(words []string) {
	to := words[len(words)-1]
	switch {
	case words[0] == "popd":
		if n := len(s.stack); n > 0 {
			s.dir, s.stack = s.stack[n-1], s.stack[:n-1]
		}
		return
	case len(words) < 2 || to == "" || to == "-" || strings.HasPrefix(to, "~"):
		s.nowhere = true
		return
	case words[0] == "pushd":
		s.stack = append(s.stack, s.dir)
	}
	if dir, ok := s.from(to); ok || filepath.IsAbs(to) {
		s.dir, s.nowhere = dir, false
	}
}

// source follows a file that is run in the same shell: what it sets holds afterwards,
// and its functions can be called.
func (s *shell) source(words []string) {
	if len(words) < 2 || words[1] == "" || s.depth > maxCalls {
		return
	}
	path, text, ok := s.open(words[1], s.dir, filepath.Join(s.root, filepath.Dir(s.path)))
	if !ok {
		return
	}
	file, err := parseShell(text)
	if err != nil {
		s.cannot("parse %s: %v", path, err)
		return
	}
	if !s.reads(path, "source") {
		return
	}
	u := s.unit
	in := &unit{look: u.look, path: path, dir: u.dir, nowhere: u.nowhere, text: text, whole: text}
	s.declare(in, file)
	var own values
	own.count(file)
	for name, n := range own.assigned {
		s.assigned[name] += n
	}
	s.depth++
	s.unit = in
	outer := s.file
	s.file, s.files = file, append(s.files, file)
	s.list(file.Stmts, fate{used: true})
	s.file = outer
	s.unit = u
	s.depth--
	u.dir, u.nowhere = in.dir, in.nowhere
}
