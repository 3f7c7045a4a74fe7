package config

import (
	"testing"

	"gpuci/gates/expr"
)

func TestAlwaysHolds(t *testing.T) {
	for relation, want := range map[string]bool{
		"a == a":                  true,
		"a >= 0 || a < 0":         true,
		"!(a < b && a > b)":       true,
		"a - a == 0 && b*b >= 0":  true,
		"a < b || a >= b":         true,
		"a == b || a != b":        true,
		"a1e5 == a1e5 || b2 == 5": true,
		"a == a && 5. > 4":        true,

		"node_bwd > 0 && fused == asked": false,
		"declined == 0":                  false,
		"x < 1000000":                    false,
		"x >= 0":                         false,
		"a/b*b == a":                     false, // b = 0 cannot be evaluated
		"a % 2 >= 0 || a < 0":            false, // nor the rest of a fraction

		// Only a few counters break these.
		"code != 139":                 false,
		"x < 1e15":                    false,
		"x <= 1e30":                   false,
		"x >= -1e30":                  false,
		"x != 12345678901234567890":   false,
		"x <= 10 || x >= 20":          false,
		"a != b || b != c || c != d":  false,
		"a != 3*b + 7":                false,
		"mode != 1 || fused == asked": false,
		"mode != 4 || kind != 9 || fused == asked": false,
		"!(a == 11 && b == 22 && c == 33)":         false,
	} {
		x, err := expr.Parse(relation)
		if err != nil {
			t.Fatalf("parse %s: %v", relation, err)
		}
		if got := alwaysHolds(x); got != want {
			t.Errorf("alwaysHolds(%s) = %v, want %v", relation, got, want)
		}
	}
}

// TestTrialsAreCounters: a number that cannot be read would count as one that
// breaks the relation, and hide that nothing does.
func TestTrialsAreCounters(t *testing.T) {
	const relation = "x == x && x1e999 < 1e308 && 5. > .5 && x2 > 007e-9 && x < 1e999"
	x, err := expr.Parse("x == x")
	if err != nil {
		t.Fatal(err)
	}
	own, all := trials(relation)
	if len(own) != 4 || len(all) < len(own)+11 {
		t.Fatalf("got the trials %q and %q, want 4 and those nearby", own, all)
	}
	for _, v := range append(own, all...) {
		if !holdsWith(x, func() string { return v }) {
			t.Errorf("x == x does not hold for %q", v)
		}
	}
}
