package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const traced = `
[[gate]]
name = "step-launches"
run = ["python3", "train.py"]
reader = "none"
  [gate.trace]
  step = 'step (\d+)'
  warm = 0
  [[gate.bar]]
  metric = "launches"
  source = "trace"
  max = 55
  [[gate.bar]]
  metric = "fast"
  source = "trace"
  kernel = 'kda_fast_'
  within = "5%"
  better = "lower"
  min-matches = 10
  [[gate.metric]]
  metric = "peak"
  source = "trace"
  measure = "copy-bytes"
  stage = "(whole process)"
  [[gate.witness]]
  source = "trace"
  pattern = 'own=(?P<own>\d+)'
  holds = "fast == own && syncs == 0"
[[gate]]
name = "ranges"
run = ["./bench"]
reader = "none"
  [gate.trace]
  range = "it"
  warm = 10
  timeline = true
  [[gate.bar]]
  metric = "copies"
  source = "trace"
  max = 1
  [[gate.bar]]
  metric = "idle-share"
  source = "trace"
  max = 0.5
[[gate]]
name = "whole"
run = ["./bench"]
reader = "none"
  [gate.trace]
  [[gate.bar]]
  metric = "kept-bytes"
  source = "trace"
  max = 0
`

// TestTrace: what stands for itself is filled in, and what was read is printed so that it
// is read again.
func TestTrace(t *testing.T) {
	src := sourcesIn(t.TempDir())
	write(t, src.Workspace, traced)
	c := mustLoad(t, src)
	g := c.Gates[0]
	if d := cmp.Diff(&Trace{Step: `step (\d+)`, Warm: -1}, g.Trace); d != "" {
		t.Error(d)
	}
	for i, want := range []*Atlas{{"launches", "step", ""}, {"launches", "step", "kda_fast_"}} {
		if d := cmp.Diff(want, g.Bars[i].Atlas); d != "" || g.Bars[i].Unit != "count" {
			t.Error(d, g.Bars[i].Unit)
		}
	}
	if m := g.Metrics[0]; *m.Atlas != (Atlas{"copy-bytes", "(whole process)", ""}) || m.Unit != "B" {
		t.Errorf("%+v", m)
	}
	counters := g.AtlasCounters(g.Witnesses[0])
	if counters["fast"] != *g.Bars[1].Atlas || counters["syncs"] != (Atlas{"syncs", "step", ""}) || counters["peak"].Measure != "copy-bytes" {
		t.Errorf("%+v", counters)
	}
	if a := c.Gates[1].Bars[0].Atlas; a.Stage != "it" || c.Gates[1].Trace.Warm != 10 || !c.Gates[1].Trace.Timeline || c.Gates[1].Bars[1].Unit != "share" {
		t.Errorf("%+v", a)
	}
	if a := c.Gates[2].Bars[0].Atlas; a.Stage != "(whole process)" {
		t.Errorf("%+v", a)
	}
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	again := sourcesIn(t.TempDir())
	write(t, again.Workspace, b.String())
	ignore := cmpopts.IgnoreFields(Config{}, "Root")
	if d := cmp.Diff(c, mustLoad(t, again), cmpopts.IgnoreUnexported(Config{}), ignore); d != "" {
		t.Errorf("-read +printed and read again, from %s\n%s", filepath.Base(again.Workspace), d)
	}
}

// TestTraceMeasured: counts stand beside somebody else on the card, and times and memory do
// not, whatever they are called.
func TestTraceMeasured(t *testing.T) {
	bar := func(name, measure string) Bar { return Bar{Metric: name, Atlas: &Atlas{Measure: measure}} }
	for _, c := range []struct {
		bars []Bar
		want string
	}{
		{[]Bar{bar("step-time", "launches"), bar("copy-bytes", "copy-bytes"), bar("kept", "kept")}, MeasuresNumbers},
		{[]Bar{bar("peak", "high-bytes")}, MeasuresMemory},
		{[]Bar{bar("peak", "high-bytes"), bar("price", "launch-ns")}, MeasuresTime},
		{[]Bar{bar("card", "device-ms")}, MeasuresTime},
		{[]Bar{bar("launches", "launches"), bar("unused", "idle-share")}, MeasuresTime},
	} {
		if got := (&Gate{Bars: c.bars}).Measured(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.bars, got, c.want)
		}
	}
	for holds, want := range map[string]string{"syncs == 0 && own == 3": MeasuresNumbers, "own < high_bytes": MeasuresMemory, "peak < 9": MeasuresMemory} {
		g := Gate{Metrics: []Metric{{Name: "peak", Atlas: &Atlas{Measure: "alloc-bytes"}}}, Witnesses: []Witness{{Holds: holds, Source: SourceTrace}}}
		if got := g.Measured(); got != want {
			t.Errorf("the witness %s: %s, want %s", holds, got, want)
		}
	}
}
