package kda

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInputsStayAsTheyAre pins every bit of two cases: fixtures made from a
// case are stale the moment it makes other inputs.
func TestInputsStayAsTheyAre(t *testing.T) {
	for name, want := range map[string]string{"tail": "bc1065d811548acd", "gdn": "a8a7063b13295658"} {
		h := fnv.New64a()
		p := must(caseNamed(t, name).Problem())(t)
		for _, term := range append(p.In.Terms(), Term{"dOut", &p.DOut}, Term{"dS_T", &p.DST}) {
			for _, x := range term.Tensor.Data {
				var bits [8]byte
				binary.LittleEndian.PutUint64(bits[:], math.Float64bits(x))
				h.Write(bits[:])
			}
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
			t.Errorf("%s: inputs hash to %s, want %s", name, got, want)
		}
	}
}

// TestStreamsAreIndependent: an option of a case touches its own tensor only.
func TestStreamsAreIndependent(t *testing.T) {
	c := caseNamed(t, "tail")
	whole := must(c.Problem())(t)
	c.NoState, c.NoFinal = true, true
	bare := must(c.Problem())(t)
	if bare.In.State.largest() != 0 || bare.DST.largest() != 0 {
		t.Error("a case without state or final-state gradient has one")
	}
	if whole.In.State.largest() == 0 || whole.DST.largest() == 0 {
		t.Error("a case with state and final-state gradient lacks one")
	}
	bare.In.State, bare.DST = whole.In.State, whole.DST
	if diff := cmp.Diff(whole, bare); diff != "" {
		t.Errorf("other tensors changed (-whole +bare):\n%s", diff)
	}
}

func TestFamilyRanges(t *testing.T) {
	for _, family := range []Family{Mild, Moderate, Strong, VeryStrong} {
		c := Case{Name: string(family), Family: family, Shape: Shape{B: 2, H: 2, T: 64, K: 5, V: 3, C: 16}, Seed: 3}
		g := must(c.Problem())(t).In.G.Data
		lo, hi, err := family.Range(16)
		if err != nil || slices.Min(g) < lo || slices.Max(g) > hi {
			t.Errorf("%s: g in [%v, %v], want [%v, %v] (%v)", family, slices.Min(g), slices.Max(g), lo, hi, err)
		}
		if spread := slices.Max(g) - slices.Min(g); spread < 0.9*(hi-lo) {
			t.Errorf("%s: g covers only %v of [%v, %v]", family, spread, lo, hi)
		}
	}
	if lo, _, _ := Mild.Range(64); 64*lo < -1 {
		t.Errorf("mild decay reaches %v over a chunk of 64, want at most 1", 64*lo)
	}
}

func TestGates(t *testing.T) {
	for name, want := range map[string][2]bool{"tail": {false, false}, "kda": {true, false}, "gdn": {true, true}} {
		p := must(caseNamed(t, name).Problem())(t)
		gates := scalarRows(p.In.B) && scalarRows(p.In.W) && p.In.B.Data[0] == p.In.W.Data[0]
		if got := [2]bool{gates, scalarRows(p.In.G)}; got != want {
			t.Errorf("%s: scalar gates and decay %v, want %v", name, got, want)
		}
	}
}

func TestKeysAreUnitOrZero(t *testing.T) {
	zeros := 0
	p := must(caseNamed(t, "zero-key").Problem())(t)
	for h := range p.Heads() {
		for r := range p.T {
			sum := 0.0
			for _, x := range p.In.K.head(h).Row(r) {
				sum += x * x
			}
			switch {
			case sum == 0:
				zeros++
			case math.Abs(sum-1) > 1e-15*float64(p.K):
				t.Errorf("key %d of head %d has length %v", r, h, math.Sqrt(sum))
			}
		}
	}
	if zeros != p.Heads() {
		t.Errorf("%d zero keys, want one a head (%d)", zeros, p.Heads())
	}
}

func TestUnknownCaseParts(t *testing.T) {
	c := caseNamed(t, "tail")
	c.Family = "wild"
	if _, err := c.Problem(); err == nil {
		t.Error("unknown family is accepted")
	}
	c = caseNamed(t, "tail")
	c.Gates = "lstm"
	if _, err := c.Problem(); err == nil {
		t.Error("unknown gates are accepted")
	}
	c = caseNamed(t, "tail")
	c.Shape.H = 0
	if _, err := c.Problem(); err == nil {
		t.Error("a shape without heads is accepted")
	}
}

// scalarRows says whether each row repeats one number.
func scalarRows(t Tensor) bool {
	for h := range t.Dims[0] * t.Dims[1] {
		m := t.head(h)
		for r := range m.Rows {
			if slices.Min(m.Row(r)) != slices.Max(m.Row(r)) {
				return false
			}
		}
	}
	return true
}
