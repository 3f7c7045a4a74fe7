//go:build bench

package reaper

import (
	"fmt"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// A gate asks at every start, and has so long for all it does before its build.
const (
	usual   = 200
	aimOnce = 30 * time.Millisecond
)

// TestBenchOnce prints what a sweep with Once costs on a machine with about 200
// processes of which 50 have lost their parents, when there is nothing to
// sweep: while no run is known, while the asking one goes on, and with one that
// was lost, which makes it ask every orphan for its cookie.
func TestBenchOnce(t *testing.T) {
	s := newStage(t)
	crowd(t, usual/4, "sleep 300 &")
	crowd(t, usual/4, "(sleep 300 &);") // and about a hundred are there anyway
	ask := func(runs map[string]Run) func() error {
		o := s.options()
		o.Once, o.Runs, o.Rules = true, runs, Rules{}
		return func() error {
			r, err := Sweep(t.Context(), o)
			if err == nil && (r.Passes != 1 || len(r.Swept) > 0) {
				err = fmt.Errorf("%d passes: %s", r.Passes, r)
			}
			return err
		}
	}
	took := inTurn(t, 31, []way{
		{"once", ask(nil)},
		{"once, its run goes on", ask(map[string]Run{"own": {Lane: "kda", Lives: true}})},
		{"once, another is lost", ask(map[string]Run{"own": {Lane: "kda", Lives: true}, "lost": {Lane: "kda"}})},
		{"pgrep -f NOSUCH", pgrep},
	})
	table, err := proc.Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("aim: of %d processes once in %s: %s", len(table), aimOnce, met(took <= aimOnce))
}
