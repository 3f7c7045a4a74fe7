package verify

import (
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
)

// TestCasesCover holds the cases against what a gate must cover to see anything, so that
// none can be dropped unnoticed.
func TestCasesCover(t *testing.T) {
	each := map[string]func(kda.Case) bool{
		"T = 1":           func(c kda.Case) bool { return c.Shape.T == 1 },
		"T = C":           func(c kda.Case) bool { return c.Shape.T == c.Shape.C },
		"T = C+1":         func(c kda.Case) bool { return c.Shape.T == c.Shape.C+1 },
		"T < C":           func(c kda.Case) bool { return c.Shape.T > 1 && c.Shape.T < c.Shape.C },
		"K = V":           func(c kda.Case) bool { return c.Shape.K == c.Shape.V },
		"K = V = 64":      func(c kda.Case) bool { return c.Shape.K == 64 && c.Shape.V == 64 },
		"K = V = 128":     func(c kda.Case) bool { return c.Shape.K == 128 && c.Shape.V == 128 },
		"K = V = 100":     func(c kda.Case) bool { return c.Shape.K == 100 && c.Shape.V == 100 },
		"zero key":        func(c kda.Case) bool { return c.ZeroKey },
		"own scale":       func(c kda.Case) bool { return c.Scale != 0 },
		"KDA":             func(c kda.Case) bool { return c.Gates == kda.KDA },
		"GDN":             func(c kda.Case) bool { return c.Gates == kda.GDN },
		"state, no final": func(c kda.Case) bool { return !c.NoState && c.NoFinal },
		"final, no state": func(c kda.Case) bool { return c.NoState && !c.NoFinal },
		"neither":         func(c kda.Case) bool { return c.NoState && c.NoFinal },
	}
	perFamily := map[string]func(kda.Case) bool{
		"1 chunk":   func(c kda.Case) bool { return c.Shape.Chunks() == 1 },
		"2 chunks":  func(c kda.Case) bool { return c.Shape.Chunks() == 2 },
		"4 chunks":  func(c kda.Case) bool { return c.Shape.Chunks() == 4 },
		"16 chunks": func(c kda.Case) bool { return c.Shape.Chunks() == 16 },
		"C = 16":    func(c kda.Case) bool { return c.Shape.C == 16 },
		"C = 32":    func(c kda.Case) bool { return c.Shape.C == 32 },
		"C = 64":    func(c kda.Case) bool { return c.Shape.C == 64 },
		"K < V":     func(c kda.Case) bool { return c.Shape.K < c.Shape.V },
		"K > V":     func(c kda.Case) bool { return c.Shape.K > c.Shape.V },
		"tail":      func(c kda.Case) bool { return c.Shape.Chunks() > 1 && c.Shape.T%c.Shape.C > 1 },
	}
	for name, holds := range each {
		covers(t, name, "", holds)
	}
	for _, f := range families() {
		for name, holds := range perFamily {
			covers(t, name, f, func(c kda.Case) bool {
				return holds(c) && c.Family == f && !c.NoState && !c.NoFinal
			})
		}
	}
}

// TestCasesRule: where fused.Shared takes the larger of two sums, one that was forgotten
// is missed only by a case in which it is the larger, and in which the chunk is whole.
func TestCasesRule(t *testing.T) {
	const tile = 32 // columns of a tile, as in tile.cuh
	odd := func(n int) int { return n | 1 }
	for name, of := range map[string]func(kda.Shape) (a, b int){
		"odd(K) or V":                 func(s kda.Shape) (a, b int) { return odd(s.K), s.V },
		"K or odd(V)":                 func(s kda.Shape) (a, b int) { return s.K, odd(s.V) },
		"V or a tile":                 func(s kda.Shape) (a, b int) { return tile, s.V },
		"tiles of S0, D1, dOut, or X": func(s kda.Shape) (a, b int) { return (2*s.K + s.C) * odd(min(s.V, tile)), s.C * odd(s.K) },
	} {
		first, second := false, false
		for _, c := range checkCases() {
			if c.Shape.T < c.Shape.C {
				continue
			}
			a, b := of(c.Shape)
			first, second = first || a > b, second || b > a
		}
		if !first || !second {
			t.Errorf("%s: a case where the first is the larger: %t; where the second is: %t", name, first, second)
		}
	}
}

func covers(t *testing.T, name string, f kda.Family, holds func(kda.Case) bool) {
	t.Helper()
	for _, c := range adjointCases() {
		if holds(c) {
			return
		}
	}
	t.Errorf("no case has %s %s", name, f)
}

// TestCasesFit: every case of every check can be launched, and its name is its own.
func TestCasesFit(t *testing.T) {
	for check, list := range map[string][]kda.Case{
		"adjoint": adjointCases(), "ratio": ratioCases(), "findings": checkCases(), "launches": launchCases(),
	} {
		names := map[string]bool{}
		for _, c := range seeded(list, 0) {
			if names[c.Name] {
				t.Errorf("%s: there are two cases %s", check, c.Name)
			}
			names[c.Name] = true
			if err := fused.Fits(c.Shape); err != nil {
				t.Errorf("%s: case %s: %v", check, c.Name, err)
			}
			if check != "findings" && (c.Shape.B < 2 || c.Shape.H < 2) {
				t.Errorf("%s: case %s: one batch or one head hides a layout swap", check, c.Name)
			}
		}
	}
	if n, want := len(ratioCases()), len(families())*(ratioSeeds+1); n != want {
		t.Errorf("there are %d problems to compare two paths on, not %d", n, want)
	}
}

// TestSeeds: another seed makes other problems of the same cases, and the same one the
// same.
func TestSeeds(t *testing.T) {
	q := func(seed uint64) float64 {
		p, err := seeded(launchCases(), seed)[0].Problem()
		if err != nil {
			t.Fatal(err)
		}
		return p.In.Q.Data[0]
	}
	if q(0) != q(0) || q(0) == q(1) {
		t.Errorf("the first element of q is %v, %v and %v", q(0), q(0), q(1))
	}
}
