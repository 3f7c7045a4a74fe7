package config

import (
	"strings"
	"testing"
	"time"
)

// TestHeadroomOnlyHigher: what keeps somebody else's job from running out of memory
// is the machine's to lower.
func TestHeadroomOnlyHigher(t *testing.T) {
	for _, tt := range []struct {
		machine, personal, workspace string
		want                         int64
		line                         int
	}{
		{"", "", "", 2 << 30, 0},
		{"", "", "gpu.headroom = '1GiB'", 2 << 30, 0},
		{"", "gpu.headroom = '3GiB'", "gpu.headroom = '1GiB'", 3 << 30, 1},
		{"gpu.headroom = '1GiB'", "", "gpu.headroom = '512MiB'", 1 << 30, 1},
		{"gpu.headroom = '1GiB'", "", "\ngpu.headroom = '4GiB'", 4 << 30, 2},
	} {
		src := sourcesIn(t.TempDir())
		write(t, src.Machine, tt.machine)
		write(t, src.Personal, tt.personal)
		write(t, src.Workspace, tt.workspace)
		c := mustLoad(t, src)
		if o, _ := c.Origin("gpu.headroom"); c.GPU.Headroom != tt.want || o.Line != tt.line {
			t.Errorf("%+v: got %d from line %d", tt, c.GPU.Headroom, o.Line)
		}
	}
}

// TestProtectedOfAllFiles: a person's rules stand beside the machine's.
func TestProtectedOfAllFiles(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Machine, "[[protect]]\nname = 'train'\ncommand = 'train\\.py'\n")
	write(t, src.Personal, "gpu.wait = '1h'\n[[protect]]\nname = 'train'\nuser = 'alice'\n")
	write(t, src.Workspace, "")
	c := mustLoad(t, src)
	if len(c.Protected) != 2 || c.Protected[0].Command == "" || c.Protected[1].User != "alice" || c.GPU.Wait != time.Hour {
		t.Errorf("got %+v, %+v", c.Protected, c.GPU)
	}
	var out strings.Builder
	if err := c.Print(&out); err != nil || strings.Count(out.String(), "# [[protect]]") != 2 {
		t.Errorf("%v, printed:\n%s", err, out.String())
	}
}

// TestMeasured: the units of the bars say what needs the card alone, and what a gate
// says itself is believed where it asks for more.
func TestMeasured(t *testing.T) {
	for _, tt := range []struct {
		gate Gate
		want string
	}{
		{Gate{}, MeasuresNumbers},
		{Gate{Bars: []Bar{{Metric: "worst-rel"}, {Metric: "launches"}, {Metric: "kernel-spill-bytes"}}}, MeasuresNumbers},
		{Gate{Bars: []Bar{{Metric: "peak-bytes"}, {Metric: "bwd-ms"}}}, MeasuresTime},
		{Gate{Bars: []Bar{{Metric: "peak-bytes"}}}, MeasuresMemory},
		{Gate{Bars: []Bar{{Metric: "copy", Unit: "GB/s"}}}, MeasuresTime},
		{Gate{Bars: []Bar{{Metric: "copy"}}, Metrics: []Metric{{Name: "copy", Unit: "usec"}}}, MeasuresTime},
		{Gate{Bars: []Bar{{Metric: "pool-size"}, {Metric: "tokens-per-second"}}}, MeasuresTime},
		{Gate{Bars: []Bar{{Metric: "worst-rel"}, {Metric: "pool-size"}}}, MeasuresMemory},
		{Gate{Measures: MeasuresMemory}, MeasuresMemory},
	} {
		if got := tt.gate.Measured(); got != tt.want {
			t.Errorf("%+v measures %q, want %q", tt.gate, got, tt.want)
		}
	}
}
