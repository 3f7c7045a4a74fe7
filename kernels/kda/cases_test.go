package kda

import "testing"

// TestCasesCover holds the list of cases against what a gate must cover to
// see anything, so that a case cannot be dropped unnoticed.
func TestCasesCover(t *testing.T) {
	wanted := map[string]func(Case) bool{
		"1 chunk":              func(c Case) bool { return c.Shape.Chunks() == 1 },
		"2 chunks":             func(c Case) bool { return c.Shape.Chunks() == 2 },
		"4 chunks":             func(c Case) bool { return c.Shape.Chunks() == 4 },
		"16 chunks":            func(c Case) bool { return c.Shape.Chunks() == 16 },
		"T = 1":                func(c Case) bool { return c.Shape.T == 1 },
		"T = C":                func(c Case) bool { return c.Shape.T == c.Shape.C },
		"T = C+1":              func(c Case) bool { return c.Shape.T == c.Shape.C+1 },
		"tail":                 func(c Case) bool { return c.Shape.T > c.Shape.C && c.Shape.T%c.Shape.C > 1 },
		"K < V":                func(c Case) bool { return c.Shape.K < c.Shape.V },
		"K > V":                func(c Case) bool { return c.Shape.K > c.Shape.V },
		"K = V":                func(c Case) bool { return c.Shape.K == c.Shape.V },
		"mild":                 func(c Case) bool { return c.Family == Mild },
		"moderate":             func(c Case) bool { return c.Family == Moderate },
		"strong":               func(c Case) bool { return c.Family == Strong },
		"very strong":          func(c Case) bool { return c.Family == VeryStrong },
		"KDA":                  func(c Case) bool { return c.Gates == KDA },
		"GDN":                  func(c Case) bool { return c.Gates == GDN },
		"zero key":             func(c Case) bool { return c.ZeroKey },
		"own scale":            func(c Case) bool { return c.Scale != 0 },
		"state, no final":      func(c Case) bool { return !c.NoState && c.NoFinal },
		"final, no state":      func(c Case) bool { return c.NoState && !c.NoFinal },
		"neither":              func(c Case) bool { return c.NoState && c.NoFinal },
		"both over many chunk": func(c Case) bool { return !c.NoState && !c.NoFinal && c.Shape.Chunks() > 2 },
	}
	for name, holds := range wanted {
		seen := 0
		for _, c := range Cases() {
			if c.Directions == 0 && holds(c) {
				seen++
			}
		}
		if seen == 0 {
			t.Errorf("no case differentiated by every element has %s", name)
		}
	}
}

func TestCasesAreDistinct(t *testing.T) {
	names, seeds := map[string]bool{}, map[uint64]bool{}
	for _, c := range Cases() {
		if names[c.Name] || seeds[c.Seed] {
			t.Errorf("case %s: name or seed stands twice", c.Name)
		}
		names[c.Name], seeds[c.Seed] = true, true
		if c.Shape.B < 2 || c.Shape.H < 2 {
			t.Errorf("case %s: one batch or one head hides a layout swap", c.Name)
		}
	}
	if len(names) == 0 {
		t.Error("there are no cases")
	}
}
