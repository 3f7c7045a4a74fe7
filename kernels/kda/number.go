package kda

import "math"

// number is all that the sequential form asks of a number, so that one text
// of it serves for values and for derivatives.
type number[N any] interface {
	plus(N) N
	minus(N) N
	times(N) N
	exp() N
}

// plain is an ordinary float64.
type plain float64

func (x plain) plus(y plain) plain  { return x + y }
func (x plain) minus(y plain) plain { return x - y }
func (x plain) times(y plain) plain { return x * y }
func (x plain) exp() plain          { return plain(math.Exp(float64(x))) }

// dual is a value with its derivative along one direction: val + eps*d, where
// d*d is 0.
type dual struct {
	val, eps float64
}

func (x dual) plus(y dual) dual  { return dual{x.val + y.val, x.eps + y.eps} }
func (x dual) minus(y dual) dual { return dual{x.val - y.val, x.eps - y.eps} }
func (x dual) times(y dual) dual { return dual{x.val * y.val, x.eps*y.val + x.val*y.eps} }

func (x dual) exp() dual {
	e := math.Exp(x.val)
	return dual{e, x.eps * e}
}

// constant and asPlain make the two kinds of number from a value.
func constant(x float64) dual { return dual{val: x} }
func asPlain(x float64) plain { return plain(x) }

// lift makes numbers of a kind from values.
func lift[N any](xs []float64, as func(float64) N) []N {
	lifted := make([]N, len(xs))
	for i, x := range xs {
		lifted[i] = as(x)
	}
	return lifted
}
