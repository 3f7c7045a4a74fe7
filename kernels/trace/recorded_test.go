package trace

import (
	"strings"
	"testing"
)

// recorded is a run of an H200 (driver 580, CUDA 13.0, CUPTI 13.0.1, PyTorch 2.11.0): a
// training step of six layers with GELU and SGD, 40 times, each in a range "step N", by
// `gpuci trace -o DIR -- python3 train.py`. Command, directory and UUID were replaced, and
// the room that was not used cut off.
func recorded(t *testing.T, name string) Report {
	t.Helper()
	r, err := ReadDir("testdata/h200/" + name)
	if err != nil {
		t.Fatal(err)
	}
	report, err := NewReport(t.Context(), r, nil, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestRecordedSteps: torch.profiler saw 550 kernels and 10 copies in ten such steps, and
// 560 kernels in ten replays, of which one is what a graph makes of a copy.
func TestRecordedSteps(t *testing.T) {
	eager, graph := recorded(t, "eager"), recorded(t, "graph")
	step := eager.stage(t, "step")
	if l, c := step.Counts[Launches], step.Counts[Copies]; step.Steps != 40 || step.Apart != 5 || !l.Same() || l.Low != 55 || !c.Same() || c.Low != 1 {
		t.Errorf("eager: %d steps, launches %+v, copies %+v", step.Steps, l, c)
	}
	replay := graph.stage(t, "step")
	if l, g, k := replay.Counts[Launches], replay.Counts[GraphLaunches], replay.Counts[GraphKernels]; l.High != 0 || !g.Same() || g.Low != 1 || !k.Same() || k.Low != 55 {
		t.Errorf("replayed: launches %+v, graphs %+v with kernels %+v", l, g, k)
	}
	for _, p := range []ProcessReport{eager.Processes[0], graph.Processes[0]} {
		if p.State != Attached || !p.Clean || p.CUPTI != 130001 || p.Driver != 13000 || p.Dropped != 0 || len(p.Cards) != 1 || p.Cards[0].Name != "NVIDIA H200" {
			t.Errorf("the process: %+v", p)
		}
	}
}

// TestRecordedDifference: what became of 55 launches a step.
func TestRecordedDifference(t *testing.T) {
	var text strings.Builder
	d := Diff(recorded(t, "eager"), recorded(t, "graph"))
	if err := d.Text(&text, Page{Width: 100}); err != nil || d.Same {
		t.Fatal(err, d.Same)
	}
	for _, want := range []string{"launches", "-55", "graph launches", "+1"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the difference says no %q:\n%s", want, text.String())
		}
	}
}
