package metric

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func f(v float64) *float64 { return &v }

// judge reads output through one bar and returns the result.
func judge(t *testing.T, b Bar, pattern, unit, output string, more ...Spec) Result {
	t.Helper()
	c, err := New(append(more, Spec{Metric: b.Metric, Pattern: pattern, Unit: unit}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Parts) > 0 {
		for _, m := range append(b.Parts, b.Metric) {
			c.Pair(m)
		}
	}
	for line := range strings.SplitSeq(output, "\n") {
		c.Line([]byte(line))
	}
	return c.Judge(b)
}

const worst = `worst rel (?P<value>[0-9.eE+-]+) on (?P<term>d_\w+)`

func TestBar(t *testing.T) {
	for _, tc := range []struct {
		name, pattern, unit, output string
		bar                         Bar
		state                       State
		worst, why                  string
	}{
		{name: "held", pattern: worst, bar: Bar{Max: f(2e-5)}, output: "worst rel 6.3e-7 on d_g\nworst rel 1e-6 on d_k", state: Held, worst: "1e-6"},
		{name: "the worst of all matches decides", pattern: worst, bar: Bar{Max: f(2e-5)}, output: "worst rel 3e-2 on d_g\nworst rel 1e-6 on d_k", state: Crossed, worst: "3e-2", why: "above 2e-5"},
		{name: "two on one line", pattern: `ms=(?P<value>[0-9.]+)`, bar: Bar{Max: f(5)}, output: "ms=1 ms=9", state: Crossed, worst: "9"},
		{name: "just above", pattern: `x=(?P<value>[0-9.]+)`, bar: Bar{Max: f(123456789.4)}, output: "x=123456789.5", state: Crossed, worst: "123456789.5", why: "123456789.5 is above 123456789.4"},
		{name: "on the bar is held", pattern: `x=(?P<value>\d+)`, bar: Bar{Max: f(5), Min: f(5)}, output: "x=5", state: Held, worst: "5"},
		{name: "below", pattern: `x=(?P<value>\d+)`, bar: Bar{Min: f(5)}, output: "x=7\nx=4", state: Crossed, worst: "4", why: "below 5"},
		{name: "nothing", pattern: worst, bar: Bar{Max: f(1)}, output: "other", state: Unreadable, why: "no line"},
		{name: "too few", pattern: worst, bar: Bar{Max: f(1), MinMatches: 2}, output: "worst rel 1e-9 on d_g", state: Unreadable, worst: "1e-9", why: "1 of at least 2"},
		{name: "NaN the pattern does not take", pattern: worst, bar: Bar{Max: f(1)}, output: "worst rel 1e-9 on d_k\nworst rel NaN on d_g", state: Unreadable, worst: "1e-9", why: "NaN"},
		{name: "-nan(ind)", pattern: worst, bar: Bar{Max: f(1)}, output: "worst rel -nan(ind) on d_g", state: Unreadable, why: "-nan(ind)"},
		{name: "inf", pattern: worst, bar: Bar{Max: f(1)}, output: "worst rel inf on d_g", state: Unreadable, why: "inf"},
		{name: "NaN the pattern takes", pattern: `v=(?P<value>\S+)`, bar: Bar{Max: f(1)}, output: "v=nan", state: Unreadable, why: "NaN"},
		{name: "infinity the pattern takes", pattern: `v=(?P<value>\S+)`, bar: Bar{Min: f(1)}, output: "v=+Inf", state: Unreadable, why: "infinite"},
		{name: "beyond float64", pattern: `v=(?P<value>\S+)`, bar: Bar{Min: f(1)}, output: "v=1e999", state: Unreadable, why: "beyond"},
		{name: "no number", pattern: `v=(?P<value>\S+)`, bar: Bar{Min: f(1)}, output: "v=12ms", state: Unreadable, why: "not a number"},
		{name: "empty value", pattern: `v=(?P<value>\d*)`, bar: Bar{Min: f(1)}, output: "v=", state: Unreadable, why: "empty"},
		{name: "exponent cut off", pattern: `v=(?P<value>[0-9.]+)`, bar: Bar{Min: f(1)}, output: "v=1.2e-3", state: Unreadable, why: `"1.2" out of "1.2e-3"`},
		{name: "decimals cut off", pattern: `v=(?P<value>\d+)`, bar: Bar{Max: f(1)}, output: "v=1.9", state: Unreadable, why: `"1" out of "1.9"`},
		{name: "sign lost", pattern: `v\D*(?P<value>\d+)`, bar: Bar{Max: f(9)}, output: "v = -5", state: Unreadable, why: `"5" out of "-5"`},
		{name: "sign the pattern does not take", pattern: `v.*?(?P<value>\d+)`, bar: Bar{Min: f(0)}, output: "v = 5\nv = -5", state: Crossed, worst: "-5", why: "below 0"},
		{name: "negative time the pattern does not take", pattern: `bwd (?P<value>[0-9.]+) ms`, bar: Bar{Metric: "bwd-ms", Max: f(9)}, output: "bwd 4 ms\nbwd -5 ms", state: Unreadable, worst: "4", why: "-5 is below zero"},
		{name: "digits lost at the front", pattern: `v=.*(?P<value>\d+)`, bar: Bar{Max: f(9)}, output: "v=123", state: Unreadable, why: `"3" out of "123"`},
		{name: "a full stop ends a sentence", pattern: `took (?P<value>\d+)`, bar: Bar{Max: f(9)}, output: "it took 5. Done", state: Held, worst: "5"},
		{name: "a word glued to it", pattern: `took (?P<value>\d+)`, bar: Bar{Max: f(9)}, output: "took 5elephants", state: Unreadable, why: `"5" out of "5elephants"`},
		{name: "a hyphen is no sign", pattern: `step-(?P<value>\d+)`, bar: Bar{Max: f(9)}, output: "step-5", state: Held, worst: "5"},
		{name: "negative time by name", bar: Bar{Metric: "bwd-ms", Max: f(9)}, pattern: `t=(?P<value>\S+)`, output: "t=-1", state: Unreadable, why: "below zero"},
		{name: "negative count by unit", pattern: `t=(?P<value>\S+)`, unit: "count", bar: Bar{Max: f(9)}, output: "t=-1", state: Unreadable, why: "below zero"},
		{name: "negative difference", pattern: `t=(?P<value>\S+)`, bar: Bar{Max: f(9)}, output: "t=-1", state: Held, worst: "-1"},
		{name: "unreadable outranks crossed", pattern: worst, bar: Bar{Max: f(1)}, output: "worst rel 5 on d_k\nworst rel NaN on d_g", state: Unreadable, worst: "5", why: "NaN"},
		{name: "own line", bar: Bar{Max: f(1)}, output: "gpuci:metric name=m value=0.5 term=d_g", state: Held, worst: "0.5"},
		{name: "own line behind a test's name", bar: Bar{Max: f(1)}, output: "test foo ... gpuci:metric name=m value=2", state: Crossed, worst: "2"},
		{name: "own line, NaN", bar: Bar{Max: f(1)}, output: "gpuci:metric name=m value=NaN", state: Unreadable, why: "NaN"},
		{name: "thousands", pattern: `took (?P<value>\d+)`, bar: Bar{Max: f(9)}, output: "took 1,234 ms", state: Unreadable, why: `"1" out of "1,234"`},
		{name: "a list with blanks is no thousands", pattern: `sizes (?P<value>\d+)`, bar: Bar{Max: f(9)}, output: "sizes 1, 2, 3", state: Held, worst: "1"},
		{name: "another unit behind", bar: Bar{Metric: "lat-ms", Max: f(9)}, pattern: `lat (?P<value>\d+)`, output: "lat 5s", state: Unreadable, why: "in s, the metric in ms"},
		{name: "another unit behind a blank", pattern: `mem (?P<value>\d+)`, unit: "B", bar: Bar{Max: f(9)}, output: "mem 9 GiB", state: Unreadable, why: "in GiB"},
		{name: "the same unit behind", bar: Bar{Metric: "lat-ms", Max: f(9)}, pattern: `lat (?P<value>\d+)`, output: "lat 5ms", state: Held, worst: "5"},
		{name: "a word behind is no unit", bar: Bar{Metric: "lat-ms", Max: f(9)}, pattern: `lat (?P<value>\d+)`, output: "lat 5 seasons", state: Held, worst: "5"},
		{name: "own line in another unit", bar: Bar{Metric: "lat-ms", Max: f(9)}, output: "gpuci:metric name=lat-ms value=2 unit=s", state: Unreadable, why: "printed in s, the metric is in ms"},
		{name: "own lines in two units", bar: Bar{Max: f(9)}, output: "gpuci:metric name=m value=5 unit=ms\ngpuci:metric name=m value=2 unit=s", state: Unreadable, worst: "5", why: "printed in s"},
		{name: "one line is one number", pattern: `name=m value=(?P<value>\S+)`, bar: Bar{Max: f(9), MinMatches: 2}, output: "gpuci:metric name=m value=5", state: Unreadable, worst: "5", why: "1 of at least 2"},
		{name: "own line in Go's t.Log", bar: Bar{Max: f(1)}, output: "    a_test.go:12: gpuci:metric name=m value=2", state: Crossed, worst: "2"},
		{name: "another word", bar: Bar{Max: f(1)}, output: "gpuci:metrics name=m value=0\ngpuci:metric-x name=m value=0", state: Unreadable, why: "no line"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.bar.Metric == "" {
				tc.bar.Metric = "m"
			}
			r := judge(t, tc.bar, tc.pattern, tc.unit, tc.output)
			text := strings.Join(r.Why, "; ")
			if r.State != tc.state || !strings.Contains(text, tc.why) || (tc.state == Held) != (text == "") {
				t.Errorf("got %s because %q, want %s because %q", r.State, text, tc.state, tc.why)
			}
			got := ""
			if r.Worst != nil {
				got = r.Worst.Text
			}
			if got != tc.worst {
				t.Errorf("worst is %q, want %q", got, tc.worst)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	r := judge(t, Bar{Metric: "m", Max: f(1)}, worst, "", "worst rel 6.3e-7 on d_g")
	if diff := cmp.Diff(map[string]string{"term": "d_g"}, r.Worst.Labels); diff != "" {
		t.Error(diff)
	}
	r = judge(t, Bar{Metric: "m", Max: f(1)}, "", "", `gpuci:metric name=m value=1 b="two words" a=x=y`)
	if got := r.Worst.Series(); got != `a=x=y b="two words"` {
		t.Errorf("got %q", got)
	}
}

func TestParts(t *testing.T) {
	step := Bar{Metric: "step-ms", Max: f(100), Parts: []string{"fwd-ms", "bwd-ms"}, Tolerance: 0.05}
	own := func(name, value, labels string) string {
		return "gpuci:metric name=" + name + " value=" + value + " " + labels + "\n"
	}
	for _, tc := range []struct {
		name, output, why string
		state             State
	}{
		{"within tolerance", own("step-ms", "10", "") + own("fwd-ms", "4", "") + own("bwd-ms", "5.6", ""), "", Held},
		{"remainder is named", own("step-ms", "10", "") + own("fwd-ms", "4", "") + own("bwd-ms", "3", ""), "fwd-ms + bwd-ms leave 3 of 10 in no part (30 %", Crossed},
		{"parts exceed the whole", own("step-ms", "10", "") + own("fwd-ms", "8", "") + own("bwd-ms", "8", ""), "exceed it", Crossed},
		{"series by series", own("step-ms", "10", "s=a") + own("step-ms", "20", "s=b") + own("fwd-ms", "5", "s=a") + own("bwd-ms", "5", "s=a") + own("fwd-ms", "5", "s=b") + own("bwd-ms", "5", "s=b"), "for s=b", Crossed},
		{"sample by sample", strings.Repeat(own("step-ms", "10", "")+own("fwd-ms", "5", "")+own("bwd-ms", "5", ""), 3), "", Held},
		{"a part is missing", own("step-ms", "10", "") + own("fwd-ms", "10", ""), "part bwd-ms was not read", Unreadable},
		{"a part more often", own("step-ms", "10", "") + own("fwd-ms", "5", "") + own("fwd-ms", "5", "") + own("bwd-ms", "5", ""), "read 2 times", Unreadable},
		{"a part of another series", own("step-ms", "10", "") + own("fwd-ms", "5", "") + own("bwd-ms", "5", "s=a"), "the whole 0 times", Unreadable},
		{"a part is NaN", own("step-ms", "10", "") + own("fwd-ms", "5", "") + own("bwd-ms", "nan", ""), "part bwd-ms was not read", Unreadable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := judge(t, step, "", "", tc.output)
			if text := strings.Join(r.Why, "; "); r.State != tc.state || !strings.Contains(text, tc.why) {
				t.Errorf("got %s because %q, want %s because %q", r.State, text, tc.state, tc.why)
			}
		})
	}
}

// Without a bar on it, a number that cannot be read is still not passed over.
func TestFaultOfAnUnjudgedMetric(t *testing.T) {
	c, err := New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Line([]byte("gpuci:metric name=loss value=nan"))
	if got := c.Faults(map[string]bool{}); len(got) != 1 || !strings.Contains(got[0], "loss") {
		t.Errorf("got %q", got)
	}
	if got := c.Faults(map[string]bool{"loss": true}); len(got) != 0 {
		t.Errorf("said twice: %q", got)
	}
}

func TestBoundedByHostileOutput(t *testing.T) {
	c, err := New([]Spec{{Metric: "m", Pattern: `v=(?P<value>\S+)`}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		c.Line([]byte("v=bad" + strings.Repeat("x", i%97)))
		c.Line([]byte("gpuci:metric name=n" + strings.Repeat("y", i) + " value=1"))
	}
	if n := len(c.found); n > maxMetrics {
		t.Errorf("%d metrics kept", n)
	}
	if r := c.Judge(Bar{Metric: "m", Max: f(1)}); len(r.Why) > maxFaults+1 {
		t.Errorf("%d faults kept in words", len(r.Why))
	}
}
