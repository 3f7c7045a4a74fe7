package lint

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// fate is what becomes of the status of a command.
type fate struct {
	used   bool // somebody looks at it
	exempt bool // set -e does not act on it
	why    Kind // what loses it, where it is not used
	steers bool // it says whether what stands right of && or || is run
	told   bool // its output is looked for: where it fails, that is missed
}

// shell walks one script.
type shell struct {
	*unit
	values
	file      *syntax.File
	files     []*syntax.File // and those it came by
	e, p      bool           // set -e and pipefail, as far as it has come
	off       bool           // set +e took it back
	program   string
	only      []string // the scripts that are asked about, beside gpuci itself; nil for all that there is
	functions map[string]*function
	walked    map[string]bool       // functions, by how they were called
	says      map[string]bool       // functions that only print
	ends      map[string]bool       // functions that leave with a failure, or keep one
	stack     []string              // of pushd
	subshell  *fate                 // of the shell in which it is, where that is not the script
	taken     map[*syntax.Stmt]bool // their output is
	listened  map[*syntax.File]bool
	deep      int
}

// function is one that a script may call, and the text that it stands in.
type function struct {
	body *syntax.Stmt
	in   *unit
}

// maxDepth bounds functions that call each other, and what stands in each other;
// maxWalked those that do it in ever new ways.
const (
	maxDepth  = 60
	maxWalked = 1000
)

// walkShell looks through a text of shell. e and p are set -e and pipefail from its
// beginning. A text that cannot be parsed is the shell's to complain about.
func (u *unit) walkShell(e, p bool, args ...string) error {
	s, err := newShell(u)
	if err != nil {
		return err
	}
	s.e, s.p, s.args = e, p, args
	if s.own == nil {
		s.program = filepath.Join(s.root, s.path)
	}
	s.list(s.file.Stmts, fate{used: true})
	return nil
}

// arrayKey is a word in the place of an index.
var arrayKey = regexp.MustCompile(`\[[A-Za-z][A-Za-z0-9_.+-]*\]=`)

// parseShell reads a text of shell.
func parseShell(text string) (*syntax.File, error) {
	variant := syntax.LangBash
	if first, _, _ := strings.Cut(text, "\n"); len(shebang(first)) > 0 && base(shebang(first)[0]) == "zsh" {
		variant = syntax.LangZsh
	}
	text = plainText(text)
	parse := func(text string) (*syntax.File, error) {
		return syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(text), "")
	}
	file, err := parse(text)
	if err != nil { // the parser takes the words of [ld.lld]=x in an array for arithmetic
		file, err = parse(arrayKey.ReplaceAllStringFunc(text, func(key string) string { return "[" + strings.Repeat("k", len(key)-3) + "]=" }))
	}
	return file, err
}

// plainText gives a text in which bytes of other encodings, which shells do not mind, are
// signs that the parser knows.
func plainText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	out := []byte(text)
	for i := 0; i < len(out); {
		r, n := utf8.DecodeRune(out[i:])
		if r == utf8.RuneError && n == 1 {
			out[i] = '_'
		}
		i += n
	}
	return string(out)
}

// newShell parses the text of a unit.
func newShell(u *unit) (*shell, error) {
	file, err := parseShell(u.text)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", u.path, err)
	}
	own := *u // cd moves it
	s := &shell{unit: &own, file: file, files: []*syntax.File{file}}
	s.functions, s.walked, s.ends = make(map[string]*function), make(map[string]bool), make(map[string]bool)
	s.says, s.taken, s.listened = make(map[string]bool), make(map[*syntax.Stmt]bool), make(map[*syntax.File]bool)
	s.declare(s.unit, file)
	s.count(file)
	return s, nil
}

// declare takes up the functions of a text.
func (s *shell) declare(in *unit, file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			s.functions[f.Name.Value] = &function{f.Body, in}
		}
		return true
	})
}
