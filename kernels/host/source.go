package host

import (
	"fmt"
	"strings"
)

// source is a text while it is read.
type source struct {
	file   *File
	text   string
	toks   []token
	pair   []int
	macros []token
	braces []int // by token, the one that it stands in; see brace
	forks  []int // tokens before which a conditional of the preprocessor begins
	steps  int   // that may still be done: what bounds the work

	bound   map[string][]binding // variables, in the order of from
	fields  map[string][]span    // what is put into fields of that name
	assigns map[string][]span    // and into variables, after they were bound
	structs map[string]structure
	funcs   map[string][]function
	calls   map[string][]int // opening parentheses of calls of funcs
	lasting []string         // the stack of variables that are being followed

	modules map[int]int    // by token, an index of file.Modules
	looked  map[int][]int  // by token, indices of file.Lookups
	dark    map[int]bool   // tokens that look up a name that is not known
	defines map[string]int // macros that are numbers
}

// effort is how many steps a token is good for: of 14,000 real sources none needed more
// than a third of it.
const effort = 60

func newSource(f *File, lang language, text string) *source {
	l := lex(lang, text)
	f.Unread = append(f.Unread, l.bad...)
	return &source{
		file: f, text: text, toks: l.toks, pair: pairs(l.toks), macros: l.macros, forks: l.forks,
		steps:   effort*len(l.toks) + 100_000,
		bound:   make(map[string][]binding),
		fields:  make(map[string][]span),
		assigns: make(map[string][]span),
		structs: make(map[string]structure),
		funcs:   make(map[string][]function),
		calls:   make(map[string][]int),
		modules: make(map[int]int),
		looked:  make(map[int][]int),
		dark:    make(map[int]bool),
		defines: make(map[string]int),
	}
}

// tok gives a token, and an empty one beyond both ends.
func (s *source) tok(i int) token {
	if i < 0 || i >= len(s.toks) {
		return token{kind: punct}
	}
	return s.toks[i]
}

// step counts a step, and says whether there is one left.
func (s *source) step() bool {
	s.steps--
	return s.steps > 0
}

// after gives the token after i, or after what i opens.
func (s *source) after(i int) int {
	s.steps--
	if s.steps <= 0 {
		return len(s.toks)
	}
	if t := s.toks[i]; t.is("(") || t.is("[") || t.is("{") {
		if p := s.pair[i]; p > i {
			return p + 1
		}
	}
	return i + 1
}

// inside is what stands between the bracket at i and the one that closes it.
func (s *source) inside(i int) span {
	if i < 0 || i >= len(s.pair) || s.pair[i] < i {
		return span{}
	}
	return span{i + 1, s.pair[i]}
}

// wraps says whether a bracket begins a span, and the one that matches ends it.
func (s *source) wraps(x span) bool {
	return !x.empty() && x.to <= len(s.pair) && s.pair[x.from] == x.to-1 && s.pair[x.from] > x.from
}

func (s *source) marks(i int) Marks {
	f := s.tok(i).flags
	return Marks{Test: f&inTest != 0, Off: f&isOff != 0}
}

func (s *source) unread(i int, format string, args ...any) {
	line := 1
	if i < len(s.toks) {
		line = s.toks[i].line
	}
	s.file.Unread = append(s.file.Unread, Unread{Line: line, Why: fmt.Sprintf(format, args...), Marks: s.marks(i)})
}

// maxShown is the length in bytes to which an expression is shown.
const maxShown = 40

// show gives the text of a span, on one line, shortened.
func (s *source) show(x span) string {
	if x.empty() || x.from >= len(s.toks) {
		return ""
	}
	text := s.text[s.toks[x.from].at:s.toks[min(x.to, len(s.toks))-1].end]
	if len(text) > 4*maxShown { // most of it will not be shown
		text = text[:4*maxShown]
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}

func (f *File) isRust() bool {
	l, _ := languageOf(f.Path)
	return l == rust
}
