package falsify

import (
	"math"
	"testing"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

func number(x float64) *float64 { return &x }

// What a factor of a bar is, for every kind of bar.
func TestFactor(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		bar       config.Bar
		low, high float64
		want      float64
	}{
		{"max", config.Bar{Max: number(2e-5)}, 0, 2e-3, 100},
		{"below max", config.Bar{Max: number(2e-5)}, 0, 1e-5, 0.5},
		{"max 0", config.Bar{Max: number(0)}, 0, 1e-300, inf},
		{"max 0 held", config.Bar{Max: number(0)}, 0, 0, 0},
		{"max below 0", config.Bar{Max: number(-5)}, 0, 495, 101},
		{"max below 0 held", config.Bar{Max: number(-5)}, 0, -5, 1},
		{"min", config.Bar{Min: number(10)}, 0.1, 20, 100},
		{"above min", config.Bar{Min: number(10)}, 20, 20, 0.5},
		{"min and nothing", config.Bar{Min: number(10)}, 0, 20, inf},
		{"min and below 0", config.Bar{Min: number(10)}, -1, 20, inf},
		{"min 0", config.Bar{Min: number(0)}, -1e-9, 1, inf},
		{"min below 0", config.Bar{Min: number(-1)}, -100, 1, 100},
		{"both", config.Bar{Min: number(1), Max: number(10)}, 0.5, 50, 5},
	} {
		got, known := factor(c.bar, gates.Verdict{}, config.Selector{}, reading{c.low, c.high, true})
		if !known || got != c.want && math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: %v, %v, want %v", c.name, got, known, c.want)
		}
	}
	if _, known := factor(config.Bar{Max: number(1)}, gates.Verdict{}, config.Selector{}, reading{}); known {
		t.Error("what was not read has a factor")
	}
	v := gates.Verdict{Bars: []metric.Result{{Metric: "ms", Rest: 0.5, Held: []metric.Against{
		{Labels: "card=a", Standing: metric.Compared, Worse: 0.5}, {Labels: "card=b", Standing: metric.Compared, Worse: 5}, {Labels: "card=c", Standing: metric.First, Worse: 50},
	}}}}
	within := config.Bar{Metric: "ms", Within: 0.05}
	if got, known := factor(within, v, config.Selector{Metric: "ms", Labels: map[string]string{"card": "a"}}, reading{1, 1, true}); !known || got != 10 {
		t.Errorf("within: %v, %v", got, known)
	}
	if got, _ := factor(within, v, config.Selector{Metric: "ms"}, reading{1, 1, true}); got != 100 {
		t.Errorf("within, all: %v", got)
	}
	if got, _ := factor(config.Bar{Metric: "ms", Parts: []string{"a"}, Tolerance: 0.05}, v, config.Selector{Metric: "ms"}, reading{1, 1, true}); got != 10 {
		t.Errorf("parts: %v", got)
	}
}

// What must not move stays within its bar, and within a factor of ten or a hundredth
// of the bar.
func TestStays(t *testing.T) {
	bar := &config.Bar{Max: number(1e-6)}
	for _, c := range []struct {
		name     string
		bar      *config.Bar
		was, now float64
		stays    bool
	}{
		{"the same", nil, 2, 2, true}, {"less than ten times", nil, 2, 19, true}, {"a tenth", nil, 2, 0.2, true},
		{"more", nil, 2, 21, false}, {"less", nil, 2, 0.19, false}, {"sign", nil, 2, -2, false},
		{"from nothing", nil, 0, 1e-300, false}, {"to nothing", nil, 1e-300, 0, false}, {"nothing", nil, 0, 0, true},
		{"rounding", bar, 1e-17, 1e-9, true}, {"from nothing, barred", bar, 0, 1e-8, true}, {"beyond rounding", bar, 1e-17, 1e-7, false},
		{"over the bar", bar, 9e-7, 2e-6, false}, {"near the bar", bar, 1e-7, 9e-7, true},
	} {
		f := 0.0
		if c.bar != nil {
			f, _ = factor(*c.bar, gates.Verdict{}, config.Selector{}, reading{c.now, c.now, true})
		}
		if what := stays(c.bar, f, reading{c.was, c.was, true}, reading{c.now, c.now, true}); (what == "") != c.stays {
			t.Errorf("%s: %q", c.name, what)
		}
	}
}

// Labels are told apart, also where one runs into the next.
func TestCarries(t *testing.T) {
	for _, c := range []struct {
		labels map[string]string
		want   bool
	}{
		{map[string]string{"term": "d_g", "case": "tail"}, true}, {map[string]string{"term": "d_g"}, true},
		{map[string]string{"term": "d_q"}, false}, {map[string]string{"case": "x term=d_g y"}, false}, {nil, false},
	} {
		series := metric.Sample{Labels: c.labels}.Series()
		if got := carries(series, map[string]string{"term": "d_g"}); got != c.want {
			t.Errorf("%q: %v", series, got)
		}
	}
	if !carries("", nil) {
		t.Error("no label is asked for")
	}
}

func FuzzCarries(f *testing.F) {
	f.Add("a", "b", "c", "d e=f")
	f.Add("term", "\"x\\", "k", "")
	f.Fuzz(func(t *testing.T, k1, v1, k2, v2 string) {
		for _, k := range []string{k1, k2} {
			if k == "" || len(k) > 100 {
				return
			}
			for _, r := range k {
				if !('a' <= r && r <= 'z') {
					return
				}
			}
		}
		labels := map[string]string{k1: v1, k2: v2}
		series := metric.Sample{Labels: labels}.Series()
		if !carries(series, labels) {
			t.Errorf("%q does not carry %q", series, labels)
		}
		if carries(series, map[string]string{k1: labels[k1] + "x"}) {
			t.Errorf("%q carries another value of %s", series, k1)
		}
	})
}

// What shows that no metric does.
func TestShown(t *testing.T) {
	red := gates.Verdict{Outcome: gates.Red, Tests: &gates.Tests{Names: []string{"adjoint::tail", "TestOracle/four"}},
		Findings: []gates.Finding{{Outcome: gates.Red, Text: "1 failed: Adjoint"}}}
	broken := gates.Verdict{Outcome: gates.Broken, Findings: []gates.Finding{{Outcome: gates.Broken, Text: "worst-rel: the value is NaN"}, {Outcome: gates.Red, Text: "x: inf"}}}
	for _, c := range []struct {
		must string
		v    gates.Verdict
		want bool
	}{
		{"red", red, true}, {"test-failed:tail", red, true}, {"test-failed:adjoint::tail", red, true}, {"test-failed:TestOracle", red, true},
		{"test-failed:ail", red, false}, {"test-failed:Test", red, false}, {"broken:nan", red, false}, {"finding:adjoint", red, true},
		{"finding:red", red, true}, {"finding:race", red, false}, {"broken:nan", broken, true}, {"broken", broken, true}, {"broken:inf", broken, false},
		{"finding:inf", broken, true}, {"out-of-time", red, false}, {"out-of-time", gates.Verdict{Outcome: gates.OutOfTime}, true},
	} {
		if why := shown(c.must, c.v); (why == "") != c.want {
			t.Errorf("%s of %s: %q", c.must, c.v.Outcome, why)
		}
	}
}
