// Package expr is the language in which a witness says what must hold between
// the counters it captured, such as
//
//	node_bwd > 0 && fused == asked
//
// A relation is written in a small part of Go's expression syntax:
//
//	numbers        12  0.5  .5  2e-5          decimal only; no hex, octal, underscores
//	names          fused  node_bwd            the counters; letters, digits and _
//	arithmetic     + - * / %  and - before a value
//	comparisons    == != < <= > >=            between numbers; == and != also between two truths
//	logic          && || !                    of truths
//	parentheses    ( )
//
// Operators bind as in Go: ! and - before a value first, then * / %, then + -,
// then the comparisons, then &&, then ||. A line break counts as a space, and
// there are no comments, so nothing that is written is silently left out.
//
// The whole must be a truth, not a number, and there is no way from one to the
// other: fused alone is an error, fused > 0 is not. Comparisons do not chain:
// instead of a == b == c write a == b && b == c.
//
// Arithmetic is exact. A counter is the decimal text that the program printed,
// never a rounded float: 0.1 + 0.2 == 0.3 holds. The quotient of / is an exact
// fraction (1/3*3 == 1 holds, and 7/2 is 3.5); % takes whole numbers and its
// result has the sign of the left one. && and || look at their right side only
// where the left does not decide, so b != 0 && a/b > 2 is safe; but every
// counter that is named must be a finite decimal number even where it is not
// looked at.
//
// Bounds: a relation has at most 1024 bytes and 50 parentheses inside one
// another, a number at most 100 bytes and a power of ten of at most 999 either
// way, and a result at most about 1200 digits. What goes past one is an error.
//
// The package says whether a relation holds. It does not say whether it could
// fail: a relation without a name is well formed, and Names tells the caller.
package expr

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// maxSource bounds a relation, in bytes. A page of text is far more than a
// person reads; it also bounds the depth of the tree.
const maxSource = 1024

// Expr is a checked relation. It is immutable and safe for concurrent use.
type Expr struct {
	source string
	root   ast.Expr
	names  []Name
}

// Name is a counter that a relation names, and the byte offset of its first
// occurrence in the source.
type Name struct {
	Text   string
	Offset int
}

// Error says what is wrong with the source of a relation, and at which byte.
type Error struct {
	Offset int // in bytes from the start of the source
	Msg    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("at byte %d: %s", e.Offset, e.Msg)
}

// errorAt makes an Error; an ast position is an offset plus one.
func errorAt(offset int, format string, args ...any) *Error {
	return &Error{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// Parse reads and checks a relation. The error is always an *Error.
func Parse(src string) (*Expr, error) {
	if len(src) > maxSource {
		return nil, errorAt(maxSource, "the relation is longer than %d bytes: split it into several witnesses", maxSource)
	}
	// Go ends a statement at a line break, which would cut a relation in two.
	flat := strings.NewReplacer("\n", " ", "\r", " ").Replace(src)
	names, bad := lex(flat)
	if bad != nil {
		return nil, bad
	}
	root, err := parser.ParseExprFrom(token.NewFileSet(), "", flat, parser.SkipObjectResolution)
	if err != nil {
		return nil, syntaxError(flat, err)
	}
	e := &Expr{source: src, root: root, names: names}
	kind, bad := e.check(root)
	if bad != nil {
		return nil, bad
	}
	if kind != truth {
		return nil, errorAt(offset(root), "the relation is a number, not true or false: compare it, as in %s > 0", e.text(root))
	}
	return e, nil
}

// Names returns the counters that the relation names, each at its first
// occurrence, in the order of the source.
func (e *Expr) Names() []Name { return slices.Clone(e.names) }

// String returns the source as it was given to Parse.
func (e *Expr) String() string { return e.source }

// text is the source of one node, on one line.
func (e *Expr) text(n ast.Node) string {
	return strings.Join(strings.Fields(e.source[n.Pos()-1:n.End()-1]), " ")
}

// offset is the place of a node in the source: the one file of a fresh file set
// begins at position 1.
func offset(n ast.Node) int { return int(n.Pos()) - 1 }

// syntaxError turns the first complaint of Go's parser, which speaks of
// statements and types, into a sentence about relations.
func syntaxError(src string, err error) *Error {
	list, ok := err.(scanner.ErrorList)
	if !ok || len(list) == 0 {
		return errorAt(0, "the relation cannot be read: %v", err)
	}
	at := min(list[0].Pos.Offset, len(src))
	before, rest := strings.Fields(src[:at]), strings.Fields(src[at:])
	switch {
	case strings.TrimSpace(src) == "":
		return errorAt(0, "the relation is empty: write one such as fused == asked")
	case len(rest) == 0:
		return errorAt(at, "the relation breaks off here: a value or a closing parenthesis is missing")
	case len(before) > 0 && before[len(before)-1] == "not":
		return errorAt(strings.LastIndex(src[:at], "not"), "not is not an operator: write !")
	case rest[0] == "and" || rest[0] == "or":
		return errorAt(at, "%s is not an operator: write && or ||", rest[0])
	}
	return errorAt(at, "%s is not expected here: look for a missing operator, value or parenthesis before it", shorten(rest[0]))
}

// shorten quotes s for a message, cut to a length that fits a line.
func shorten(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
