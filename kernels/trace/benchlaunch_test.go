//go:build bench

package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// TestBenchLaunch prints what the library itself takes of the processor for a launch, of one
// kernel and of 16 in turn: that of the stand-in with it less that without. CUPTI's own
// share is not in it. Each is the least of some, since others are at work as well.
func TestBenchLaunch(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{Flags: []string{"-O2"}})
	for _, kernels := range []int{1, 16} {
		script := []string{"init", "device 0", "repeat 12", fmt.Sprint("bench 300000 ", kernels), "end"}
		alone := least(t, playWith(t, box.Command(nil, script...)).out)
		traced := least(t, play(t, box, script...).out)
		fmt.Printf("a launch of %2d kernels in turn: %.0f ns, traced %.0f ns: %.0f ns of the library (ratio %.2f to a launch of 4 us)\n",
			kernels, alone, traced, traced-alone, (4000+traced-alone)/4000)
	}
}

func least(t *testing.T, out string) float64 {
	t.Helper()
	var all []float64
	for line := range strings.Lines(out) {
		var ns float64
		if _, err := fmt.Sscanf(line, "%f ns", &ns); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		all = append(all, ns)
	}
	return slices.Min(all)
}
