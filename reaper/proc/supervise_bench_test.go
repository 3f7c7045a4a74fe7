//go:build bench

package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/perf/benchmath"
)

// TestBenchSupervise: what supervising costs a command that does nothing, over
// os/exec alone, in turn.
func TestBenchSupervise(t *testing.T) {
	const pairs = 200
	bare := func() {
		cmd := exec.Command("true")
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for name, noLeaf := range map[string]bool{"in a leaf (aim 3 ms)": false, "without one (aim 2 ms)": true} {
		supervised := func() {
			p, err := Start(context.Background(), Command{Argv: []string{"true"}, Dir: "/", Env: os.Environ(), NoLeaf: noLeaf})
			if err != nil {
				t.Fatal(err)
			}
			<-p.Done()
			p.End(Limits{Settle: time.Second}, nil)
			if (p.leaf == nil) != noLeaf {
				t.Fatal(p.NoLeaf)
			}
		}
		var more []float64
		for i := range pairs {
			order := []func(){bare, supervised}
			if i%2 == 1 {
				order[0], order[1] = order[1], order[0]
			}
			var took [2]time.Duration
			for j, f := range order {
				began := time.Now()
				f()
				took[j] = time.Since(began)
			}
			diff := took[1] - took[0]
			if i%2 == 1 {
				diff = -diff
			}
			more = append(more, diff.Seconds()*1e3)
		}
		s := benchmath.AssumeNothing.Summary(benchmath.NewSample(more, &benchmath.DefaultThresholds), 0.95)
		fmt.Printf("supervising a command %-26s %6.2f ms more [%.2f, %.2f] n=%d\n", name, s.Center, s.Lo, s.Hi, pairs)
	}
}
