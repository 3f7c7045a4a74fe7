package gates

import (
	"fmt"
	"strings"
	"testing"
)

// Lines that come at once leave no steps. What is so of all numbers is said once, with how
// many lines there were, and nobody is told to print what gpuci counts.
func TestTracedToldOnce(t *testing.T) {
	const warm = "  [gate.trace]\n  step = 'step (\\d+)'\n  warm = %d\n" + `
  [[gate.bar]]
  metric = "launches"
  source = "trace"
  max = 9
  [[gate.bar]]
  metric = "waits"
  source = "trace"
  measure = "syncs"
  max = 9
  [[gate.metric]]
  metric = "fast"
  source = "trace"
  kernel = "^k$"
  [[gate.witness]]
  source = "trace"
  holds = "launches == 1"
`
	lines := []string{"init"}
	for i := range 20 {
		lines = append(lines, "launch k 1 1", "sync", fmt.Sprintf("say step %d", i))
	}
	for apart, want := range map[int]string{
		0: "1 of its 1 warm steps cannot be told apart (20 lines fit the pattern of a step): ",
		5: `"step" has 1 step, and the first 5 are set apart: no step is warm (20 lines fit the pattern of a step: `,
	} {
		s := newTracedStage(t, fmt.Sprintf(warm, apart))
		v := s.once(s.play(lines...) + " | sort -V") // which keeps them until the program has ended
		if v.Outcome != Broken || len(v.Findings) != 1 || !strings.HasPrefix(v.Findings[0].Text, "launches, waits, witness launches == 1, fast: "+want) {
			t.Errorf("warm %d: %s: %q", apart, v.Outcome, v.Findings)
		}
		next := strings.Join(v.Next, "\n")
		if !strings.Contains(next, `tell the steps by an NVTX range (range = "step")`) || !strings.Contains(next, "gpuci trace report ") || strings.Contains(next, "let the gate print") {
			t.Errorf("warm %d: %s", apart, next)
		}
	}
}
