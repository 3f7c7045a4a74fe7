package ci

import (
	"testing"

	"gpuci/gates"
)

// TestNewlyBroken holds that a gate that broke is not told of as red: it says nothing of
// the code.
func TestNewlyBroken(t *testing.T) {
	for outcome, want := range map[gates.Outcome]string{gates.Red: "newly red", gates.BuildFailed: "newly red", gates.Broken: "newly broken"} {
		r := Report{Lanes: []Lane{{Head: Head{Lane: "main"}, Cells: []Cell{{Gate: "unit", State: Ran, Outcome: outcome, Change: NewlyRed}}}}}
		list := r.sections()
		if len(list) == 0 || list[0].title != want || len(list[0].items) != 1 {
			t.Errorf("%s: sections %+v, want one line under %q first", outcome, list, want)
		}
	}
}
