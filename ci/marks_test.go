package ci

import (
	"slices"
	"strings"
	"testing"
)

// TestMarksNow: what a gate covers and whether another one contradicts it is told as
// of the end of the night, whichever ran first.
func TestMarksNow(t *testing.T) {
	s := newStage(t, `
[[gate]]
name = "near"
subject = "kda"
run = "echo gpuci:scope chunks=1"
reader = "none"
[gate.scope]
chunks = { covered = "shown", production = [1, 32] }

[[gate]]
name = "wide"
subject = "kda"
run = "sleep 0.2; echo gpuci:scope chunks=32; test ! -e bad"
reader = "none"
after = ["near"]
[gate.scope]
chunks = { covered = "shown", production = [32] }
`)
	const gap = "scope gap: chunks = 32 of production is not covered"
	const wrong = "kda: near is green, wide is red, on the same tree: one of them is wrong, see gpuci scope"
	for _, want := range []State{Ran, Stands} {
		if c := mustCell(t, s.night(), "main", "near"); c.State != want || len(c.Marks) > 0 {
			t.Errorf("wide is green after it: %s, %q", c.State, c.Marks)
		}
	}
	s.commit("main", "bad", "")
	s.lane("same")
	for _, want := range []State{Ran, Stands} {
		r := s.night()
		for gate, marks := range map[string][]string{"near": {gap, wrong}, "wide": {wrong}} {
			if c := mustCell(t, r, "same", gate); c.State != want || !slices.Equal(c.Marks, marks) {
				t.Errorf("wide is red after it: %s %s, %q", gate, c.State, c.Marks)
			}
		}
		if text := textOf(t, r); !strings.Contains(text, "\nmarks\n  near: "+gap+"; "+wrong+" (all 2 lanes)\n  wide: "+wrong+" (all 2 lanes)\n") {
			t.Errorf("marks are told so:\n%s", text)
		}
	}
}

// TestMarked: lanes with the same marks are told once.
func TestMarked(t *testing.T) {
	r := Report{}
	for i, name := range []string{"a", "b", "c", "d", "e", "f"} {
		c := Cell{Gate: "unit", State: Ran, Marks: []string{"in all"}}
		if i > 0 {
			c.Marks = append(c.Marks, "in most")
		}
		if i == 2 {
			c.Marks = append(c.Marks, "1", "2", "3", "4", "5")
		}
		r.Lanes = append(r.Lanes, Lane{Head: Head{Lane: name}, Cells: []Cell{c}})
	}
	var got []string
	for _, s := range r.marks() {
		for _, i := range s.items {
			got = append(got, i.String())
		}
	}
	want := []string{"unit: in all (all 6 lanes)", "unit: in most (b, c, d and 2 more)", "c unit: 1; 2; 3; 4 (and 1 more)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
