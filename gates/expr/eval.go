package expr

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
)

// Eval says whether the relation holds for the counters, which are decimal
// texts by name. It is an error if a named counter is missing or is not a
// finite decimal number (the error has its name and text), if something is
// divided by zero, or if % meets a fraction. Counters that the relation does
// not name are not looked at.
func (e *Expr) Eval(counters map[string]string) (bool, error) {
	values := make(map[string]constant.Value, len(e.names))
	for _, name := range e.names {
		text, ok := counters[name.Text]
		if !ok {
			return false, fmt.Errorf("read counter %s: it was not captured: name a group of the pattern so", name.Text)
		}
		v, err := parseCounter(text)
		if err != nil {
			return false, fmt.Errorf("read counter %s = %s: %w", name.Text, shorten(text), err)
		}
		values[name.Text] = v
	}
	v, err := e.value(e.root, values)
	if err != nil {
		return false, fmt.Errorf("evaluate %s: %w", e.text(e.root), err)
	}
	return constant.BoolVal(v), nil
}

// value computes a node that check has accepted, so kinds always fit.
func (e *Expr) value(n ast.Expr, values map[string]constant.Value) (constant.Value, error) {
	switch n := n.(type) {
	case *ast.BasicLit:
		return literal(n.Value), nil
	case *ast.Ident:
		return values[n.Name], nil
	case *ast.ParenExpr:
		return e.value(n.X, values)
	case *ast.UnaryExpr:
		x, err := e.value(n.X, values)
		if err != nil {
			return nil, err
		}
		return constant.UnaryOp(n.Op, x, 0), nil
	case *ast.BinaryExpr:
		return e.binary(n, values)
	}
	return nil, fmt.Errorf("%T was not checked: report this as a defect of gpuci", n)
}

func (e *Expr) binary(n *ast.BinaryExpr, values map[string]constant.Value) (constant.Value, error) {
	x, err := e.value(n.X, values)
	if err != nil {
		return nil, err
	}
	if decided := n.Op == token.LOR; n.Op == token.LAND || n.Op == token.LOR {
		if constant.BoolVal(x) == decided {
			return x, nil
		}
		return e.value(n.Y, values)
	}
	y, err := e.value(n.Y, values)
	if err != nil {
		return nil, err
	}
	if compares(n.Op) {
		return constant.MakeBool(constant.Compare(x, n.Op, y)), nil
	}
	return e.arithmetic(n, x, y)
}

func (e *Expr) arithmetic(n *ast.BinaryExpr, x, y constant.Value) (constant.Value, error) {
	divides := n.Op == token.QUO || n.Op == token.REM
	if divides && constant.Sign(y) == 0 {
		return nil, fmt.Errorf("%s is zero in %s: guard it, as in %s != 0 && …", e.text(n.Y), e.text(n), e.text(n.Y))
	}
	if n.Op == token.REM {
		x, y = constant.ToInt(x), constant.ToInt(y)
		if x.Kind() != constant.Int || y.Kind() != constant.Int {
			return nil, fmt.Errorf("%s needs whole numbers on both sides of %%", e.text(n))
		}
	}
	v := constant.BinaryOp(x, n.Op, y)
	if !exact(v) {
		return nil, fmt.Errorf("the result of %s is too long to be exact", e.text(n))
	}
	return v, nil
}
