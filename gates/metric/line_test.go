package metric

import (
	"math"
	"strings"
	"testing"
)

func TestMalformedOwnLines(t *testing.T) {
	for _, text := range []string{"gpuci:metric", "gpuci:metric value=1", "gpuci:metric name=x", "gpuci:metric name=x value=1 value=2",
		"gpuci:metric name=x value=1 stray", `gpuci:metric name=x value="1`, "gpuci:metric name=x value=1 a=1 a=2", "gpuci:metric =1",
		"gpuci:metric: name=x value=1", "..F.gpuci:metric name=x", "test a::b - should panic ... gpuci:metric name=x"} {
		c, err := New(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Line([]byte(text))
		if got := c.Faults(nil); len(got) != 1 || len(c.Names()) != 0 {
			t.Errorf("%q: faults %q, metrics %q", text, got, c.Names())
		}
	}
}

// Behind other words a line counts for the metrics that the gate declares.
func TestOwnLineBehindOtherWords(t *testing.T) {
	for _, tc := range []struct {
		line, want string // the value read
		why        string // why it cannot be read
	}{
		{line: ".gpuci:metric name=rel value=9", want: "9"},
		{line: "xgpuci:metric name=rel value=9", want: "9"},
		{line: "INFO:gpuci:metric name=rel value=9", want: "9"},
		{line: "2026-01-01 12:00:00 INFO gpuci:metric name=rel value=9", want: "9"},
		{line: "    gpuci:metric value=9 name=rel", want: "9"},
		{line: `[gpuci:metric name=rel value=9 term="a]"]`, why: "want key=value"},
		{line: "[gpuci:metric name=rel value=9]", why: `"9]" is not a number`},
		{line: "[gpuci:metric value=9 name=rel]", why: `its name is "rel]"`},
		{line: `{"msg":"gpuci:metric name=rel value=9"}`, why: "is not a number"},
		{line: `{"msg":"gpuci:metric name=\"rel\" value=9"}`, why: "malformed"},
		{line: "INFO gpuci:metric name=rel value=nan", why: "NaN"},
		{line: "INFO gpuci:metric name=rel value=9 (of 5)", why: "malformed"},
		{line: "INFO gpuci:metric name=rel", why: "has no value="},
		{line: "see gpuci:metric name=x value=1 or gpuci:metric name=rel value=9", want: "9"},
		{line: "INFO gpuci:metric name=rel value=1 gpuci:metric name=rel value=9", why: "malformed"},
	} {
		r := judge(t, Bar{Metric: "rel", Min: f(0)}, "", "", tc.line)
		got, text := "", strings.Join(r.Why, "; ")
		if r.Worst != nil {
			got = r.Worst.Text
		}
		if got != tc.want || !strings.Contains(text, tc.why) || (tc.why == "") != (text == "") {
			t.Errorf("%s: got %q because %q, want %q because %q", tc.line, got, text, tc.want, tc.why)
		}
	}
}

// A text about such lines breaks no gate that has no such metric.
func TestLineAboutSuchLines(t *testing.T) {
	c, err := New([]Spec{{Metric: "rel"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"docs mention gpuci:metric name=m value=nan", "    gpuci:metric name=m value=nan", "see gpuci:metric.",
		"a `gpuci:metric name=relative` line", "gpuci:metrics name=rel value=nan", "INFO gpuci:metric filename=rel"} {
		c.Line([]byte(text))
	}
	if got := c.Faults(nil); len(got) != 0 || !c.Silent("rel") || len(c.found) != 1 {
		t.Errorf("faults %q, %d metrics", got, len(c.found))
	}
}

// What stands in front of an own line is still read by the pattern.
func TestPatternBesideOwnLine(t *testing.T) {
	r := judge(t, Bar{Metric: "m", Max: f(5)}, `m[=:](?P<value>\d+)`, "", "m=9 gpuci:metric name=m value=1 m=7")
	if r.State != Crossed || r.Worst.Text != "9" || r.Matches != 2 {
		t.Errorf("got %+v", r)
	}
}

// No line gives a sample that is not the finite number it was printed as.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"worst rel 6.3e-7 on d_g", "gpuci:metric name=m value=1 a=\"b c\"", "worst rel nan on d_g", "gpuci:metric =", "\x00\xff",
		"[gpuci:metric name=m value=9]", ".gpuci:metric name=\"m\" value=−5", "bwd −5 ms", "bwd 9,999 ms", "bwd 0x1.8p3", "bwd 1.5µs", "bwd -.5e-3", "bwd nan at 3", "bwd 4:30", "bwd 0.12D+05", "bwd 3 [s]", "bwd 1 234", "bwd 3 million", "bwd 3 × 10^5", "bwd 3·s"} {
		f.Add([]byte(s))
	}
	specs := []Spec{{Metric: "m", Pattern: worst}, {Metric: "w", Pattern: `(?P<value>\S+)`, Unit: "ms"},
		{Metric: "d", Pattern: `\D*(?P<value>\d+)`}, {Metric: "b", Pattern: `bwd.*?(?P<value>[0-9.]+)`, Unit: "ms"}}
	f.Fuzz(func(t *testing.T, line []byte) {
		var got []Sample
		c, err := New(specs, func(s Sample) { got = append(got, s) })
		if err != nil {
			t.Fatal(err)
		}
		c.Line(line)
		for _, s := range got {
			if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) || (s.Unit == "ms" && s.Value < 0) {
				t.Errorf("%q gave %v", line, s)
			}
		}
	})
}
