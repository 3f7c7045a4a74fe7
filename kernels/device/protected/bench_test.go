//go:build bench

package protected

import (
	"slices"
	"testing"
	"time"
)

// TestBenchFind prints how long a look for one protected run takes that is not
// there, by its command, among the processes of this machine.
func TestBenchFind(t *testing.T) {
	o := Options{Rules: []Rule{{Name: "night", Command: "no-such-program-here"}}}
	var took []time.Duration
	for range 21 {
		began := time.Now()
		look, err := Find(t.Context(), o)
		if err != nil || len(look.Runs) != 0 {
			t.Fatalf("%+v, %v", look, err)
		}
		took = append(took, time.Since(began))
	}
	f, err := newFinder(o)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(took)
	t.Logf("median %v, longest %v, among %d processes", took[10], took[20], len(f.picture.Table))
}
