package kda

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestDualRules holds the arithmetic of dual numbers against derivatives
// known in closed form: f(x) = exp(x) * (x - 3) + x*x at x = 2 along 5.
func TestDualRules(t *testing.T) {
	x := dual{val: 2, eps: 5}
	f := x.exp().times(x.minus(constant(3))).plus(x.times(x))
	e := math.Exp(2)
	want := dual{val: -e + 4, eps: 5 * (e*(2-3) + e + 2*2)}
	if math.Abs(f.val-want.val) > 1e-14 || math.Abs(f.eps-want.eps) > 1e-13 {
		t.Errorf("f is %v, want %v", f, want)
	}
}

// TestDirectionalIsInnerProduct ties the two uses of dual numbers together.
func TestDirectionalIsInnerProduct(t *testing.T) {
	p := must(caseNamed(t, "tail").Problem())(t)
	grad := must(Gradient(t.Context(), p))(t)
	for i, term := range grad.Terms() {
		along := Direction(p.Shape, term.Name, 7)
		want, magnitude := inner(*term.Tensor, *along.Terms()[i].Tensor)
		if magnitude == 0 {
			t.Fatalf("d_%s: nothing to compare", term.Name)
		}
		for name, got := range map[string]float64{
			"tangent":    must(Directional(p, along))(t),
			"difference": must(DirectionalDifference(p, along))(t),
		} {
			bar := map[string]float64{"tangent": adBar, "difference": fdBar}[name]
			if diff := math.Abs(got - want); !(diff <= bar*magnitude) {
				t.Errorf("d_%s: %s %v, inner product %v", term.Name, name, got, want)
			}
		}
	}
}

// TestStencilOrder checks the order of the differences on a function whose
// fifth derivative is the first that the stencil cannot see.
func TestStencilOrder(t *testing.T) {
	quartic := func(x float64) float64 { return 1 + 2*x + 3*x*x + 4*x*x*x + 5*x*x*x*x }
	if got := stencil(0.5, quartic); math.Abs(got-2) > 1e-14 {
		t.Errorf("slope of a quartic is %v, want 2", got)
	}
	quintic := func(x float64) float64 { return x * x * x * x * x }
	if got := stencil(0.5, quintic); math.Abs(got) < 0.1 {
		t.Errorf("slope of a quintic at a long step is %v; the stencil should miss it", got)
	}
}

func TestDoneContextEndsWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := must(caseNamed(t, "tail").Problem())(t)
	if _, err := Gradient(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("gradient: error %v, want canceled", err)
	}
	if _, err := Differences(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("differences: error %v, want canceled", err)
	}
}

func TestDirectionIsChecked(t *testing.T) {
	p := byHand()
	if _, err := DirectionalDifference(p, NewLeaves(p.Shape)); err == nil || !strings.Contains(err.Error(), "length 0") {
		t.Errorf("zero direction: error %v", err)
	}
	other := p.Shape
	other.T++
	if _, err := Directional(p, NewLeaves(other)); err == nil || !strings.Contains(err.Error(), "direction q") {
		t.Errorf("direction of another shape: error %v", err)
	}
}

// caseNamed is the oracle's case of that name.
func caseNamed(t *testing.T, name string) Case {
	t.Helper()
	for _, c := range Cases() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no case %q", name)
	return Case{}
}
