package gates

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// busyLoops keep the processors busy until the test is over.
func busyLoops(t *testing.T, n int) {
	t.Helper()
	for range n {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
}

// On a busy machine gpuci reads the lines that end steps late. Each step has ten launches
// whatever is beside it: the gate says so, or that it cannot tell.
func TestTracedBusy(t *testing.T) {
	s := newTracedStage(t, `
  [gate.trace]
  step = 'step (\d+)'
  warm = 2
  [[gate.bar]]
  metric = "launches"
  source = "trace"
  min = 10
  max = 10
`)
	busyLoops(t, 3)
	lines := []string{"init"}
	for i := range 40 {
		lines = append(append(lines, slices.Repeat([]string{"launch k 1 1"}, 10)...), "sync", fmt.Sprintf("say step %d", i), "sleep 5")
	}
	for range 4 {
		v := s.once(s.play(lines...))
		switch text := fmt.Sprint(v.Findings); {
		case v.Outcome == Green:
		case v.Outcome == Broken && strings.Contains(text, "cannot be told apart"):
		default:
			t.Errorf("%s: %v", v.Outcome, text)
		}
	}
}
