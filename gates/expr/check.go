package expr

import (
	"go/ast"
	"go/token"
	"strings"
)

// kind is what a part of a relation stands for.
type kind int

const (
	number kind = iota
	truth
)

func (k kind) String() string {
	if k == truth {
		return "true or false"
	}
	return "a number"
}

// check finds the kind of a node, and the first place where operands do not
// fit. Its recursion is as deep as the tree, which maxSource bounds.
func (e *Expr) check(n ast.Expr) (kind, *Error) {
	switch n := n.(type) {
	case *ast.BasicLit, *ast.Ident:
		return number, nil
	case *ast.ParenExpr:
		return e.check(n.X)
	case *ast.UnaryExpr:
		return e.checkUnary(n)
	case *ast.BinaryExpr:
		return e.checkBinary(n)
	case *ast.CallExpr:
		return 0, errorAt(offset(n), "%s is a call, and the language has no functions", shorten(e.text(n)))
	}
	return 0, errorAt(offset(n), "%s is not part of the language: it has numbers, names, + - * / %%, comparisons, && || ! and parentheses", shorten(e.text(n)))
}

func (e *Expr) checkUnary(n *ast.UnaryExpr) (kind, *Error) {
	want := number
	switch n.Op {
	case token.NOT:
		want = truth
	case token.SUB:
	default:
		return 0, errorAt(offset(n), "%s before a value is not part of the language", n.Op)
	}
	return want, e.expect(n.X, n.Op, want)
}

func (e *Expr) checkBinary(n *ast.BinaryExpr) (kind, *Error) {
	if left, ok := n.X.(*ast.BinaryExpr); ok && compares(n.Op) && compares(left.Op) {
		return 0, errorAt(int(n.OpPos)-1, "comparisons do not chain: write %s, or put parentheses around each comparison", e.unchain(n))
	}
	switch {
	case n.Op == token.LAND || n.Op == token.LOR:
		return truth, e.expectBoth(n, truth)
	case n.Op == token.EQL || n.Op == token.NEQ:
		want, bad := e.check(n.X)
		if bad != nil {
			return 0, bad
		}
		return truth, e.expect(n.Y, n.Op, want)
	case compares(n.Op):
		return truth, e.expectBoth(n, number)
	}
	return number, e.expectBoth(n, number)
}

func (e *Expr) expectBoth(n *ast.BinaryExpr, want kind) *Error {
	if bad := e.expect(n.X, n.Op, want); bad != nil {
		return bad
	}
	return e.expect(n.Y, n.Op, want)
}

// expect checks an operand of op and that it is of the wanted kind.
func (e *Expr) expect(n ast.Expr, op token.Token, want kind) *Error {
	got, bad := e.check(n)
	if bad != nil {
		return bad
	}
	if got != want {
		return errorAt(offset(n), "%s needs %v here, and %s is %v", op, want, shorten(e.text(n)), got)
	}
	return nil
}

// unchain writes a == b == c as it must be written. Go reads a chain from the
// left, so the operands hang on the left arms of the tree.
func (e *Expr) unchain(n *ast.BinaryExpr) string {
	right := n.Y
	var links []string
	for {
		left, ok := n.X.(*ast.BinaryExpr)
		if !ok || !compares(left.Op) {
			break
		}
		links = append(links, e.text(left.Y)+" "+n.Op.String()+" "+e.text(right))
		n, right = left, left.Y
	}
	var b strings.Builder
	b.WriteString(e.text(n))
	for i := len(links) - 1; i >= 0; i-- {
		b.WriteString(" && " + links[i])
	}
	return b.String()
}

func compares(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}
