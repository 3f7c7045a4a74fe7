package falsify

import (
	"math"
	"strings"
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
		got, known := factor(c.bar, gates.Verdict{}, config.Selector{}, reading{low: c.low, high: c.high, there: true})
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
	if got, known := factor(within, v, config.Selector{Metric: "ms", Labels: map[string]string{"card": "a"}}, reading{low: 1, high: 1, there: true}); !known || got != 10 {
		t.Errorf("within: %v, %v", got, known)
	}
	if got, _ := factor(within, v, config.Selector{Metric: "ms"}, reading{low: 1, high: 1, there: true}); got != 100 {
		t.Errorf("within, all: %v", got)
	}
	if got, _ := factor(config.Bar{Metric: "ms", Parts: []string{"a"}, Tolerance: 0.05}, v, config.Selector{Metric: "ms"}, reading{low: 1, high: 1, there: true}); got != 10 {
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
			f, _ = factor(*c.bar, gates.Verdict{}, config.Selector{}, reading{low: c.now, high: c.now, there: true})
		}
		if what := stays(c.bar, f, reading{low: c.was, high: c.was, there: true}, reading{low: c.now, high: c.now, there: true}); (what == "") != c.stays {
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
	red := gates.Verdict{Outcome: gates.Red, Tests: &gates.Tests{Failed: 4, Names: []string{"adjoint::tail", "TestOracle/four", "TestTrace", "test_a.py::TestC::test_p[3-a::b[x]]"}},
		Findings: []gates.Finding{{Outcome: gates.Red, Text: "4 failed: adjoint::tail, TestOracle/four, TestTrace, test_a.py::TestC::test_p[3-a::b[x]]"}}}
	broken := gates.Verdict{Outcome: gates.Broken, Findings: []gates.Finding{{Outcome: gates.Broken, Text: "worst-rel: the value is NaN"}, {Outcome: gates.Red, Text: "x: inf"}}}
	missing := gates.Verdict{Outcome: gates.Broken, Bars: []metric.Result{{Metric: "finance-rel"}, {Metric: "nan"}}, Findings: []gates.Finding{
		{Outcome: gates.Broken, Text: "finance-rel: no line of the output gave it"}, {Outcome: gates.Broken, Text: "nan: no line of the output gave it"}, {Outcome: gates.Broken, Text: "build product not hashed: out/nan/race.o"}}}
	status := gates.Verdict{Outcome: gates.Red, Tests: &gates.Tests{Failed: 1, Names: []string{"1"}}, Findings: []gates.Finding{{Outcome: gates.Red, Text: "the command failed: exit status 1, in: ./race 3"}}}
	many := gates.Verdict{Outcome: gates.Red, Tests: &gates.Tests{Failed: 101, Names: []string{"a", "b"}}}
	for _, c := range []struct {
		must         string
		v            gates.Verdict
		want, unsure bool
	}{
		{"red", red, true, false}, {"test-failed:tail", red, true, false}, {"test-failed:adjoint::tail", red, true, false}, {"test-failed:TestOracle", red, true, false},
		{"test-failed:ail", red, false, false}, {"test-failed:Test", red, false, false}, {"broken:nan", red, false, false},
		{"test-failed:test_p", red, true, false}, {"test-failed:TestC::test_p", red, true, false}, {"test-failed:test_p[3-a::b[x]]", red, true, false},
		{"test-failed:test_a.py::TestC::test_p", red, true, false}, {"test-failed:test_", red, false, false}, {"test-failed:p", red, false, false}, {"test-failed:b", red, false, false},
		{"test-failed:b", many, true, false}, {"test-failed:c", many, false, true},
		{"finding:adjoint", red, false, false}, {"finding:4 failed", red, true, false}, {"finding:FAILED", red, true, false}, {"finding:fail", red, false, false},
		{"finding:red", red, true, false}, {"finding:race", red, false, false}, {"finding:trace", red, false, false},
		{"broken:nan", broken, true, false}, {"broken", broken, true, false}, {"broken:inf", broken, false, false}, {"finding:inf", broken, true, false},
		{"broken:nan", missing, false, false}, {"finding:race", missing, false, false}, {"broken:no line", missing, true, false},
		{"finding:exit status 1", status, true, false}, {"finding:exit status", status, true, false}, {"finding:race", status, false, false}, {"finding:3", status, false, false},
		{"out-of-time", red, false, false}, {"out-of-time", gates.Verdict{Outcome: gates.OutOfTime}, true, false},
	} {
		if why, unsure := shown(c.must, c.v); (why == "") != c.want || unsure != c.unsure {
			t.Errorf("%s of %s: %q, %v", c.must, c.v.Outcome, why, unsure)
		}
	}
}

// What must not move does not in any of its series, and is there on both sides.
func TestStaysBySeries(t *testing.T) {
	of := func(values ...float64) (r reading) {
		r.series = make(map[string]metric.Series)
		for i, x := range values {
			if x == 0 { // is not given
				continue
			}
			if !r.there {
				r.low, r.high, r.there = x, x, true
			}
			r.low, r.high = min(r.low, x), max(r.high, x)
			r.series["term="+string(rune('a'+i))] = metric.Series{Count: 1, Low: x, High: x}
		}
		return r
	}
	bar := &config.Bar{Max: number(1e-5)}
	for _, c := range []struct {
		name        string
		bar         *config.Bar
		clean, now  reading
		moved, lost string
	}{
		{"the same", bar, of(1e-9, 1e-9, 9e-6), of(1e-9, 2e-9, 9e-6), "", ""},
		{"one of three", bar, of(1e-9, 1e-9, 9e-6), of(1e-9, 8e-6, 9e-6), "its series term=b went from 1e-9 to 8e-6", ""},
		{"without a bar", nil, of(1e-9, 1e-9, 9e-6), of(1e-9, 8e-6, 9e-6), "its series term=b went from 1e-9 to 8e-6", ""},
		{"rounding beside a large one", nil, of(1e-15, 9e-6), of(1e-12, 9e-6), "it went from 1e-15 to 1e-12", ""},
		{"rounding between", nil, of(1e-16, 1e-15, 9e-6), of(1e-16, 1e-12, 9e-6), "", ""},
		{"one more", bar, of(1e-9, 1e-9), of(1e-9, 1e-9, 9e-6), "it went from 1e-9 to 9e-6", "was not given without it for term=c"},
		{"one less", bar, of(1e-9, 1e-9), of(1e-9), "", "was not given with it for term=b"},
		{"none without", bar, of(), of(1e9), "", "was not given without it"},
		{"none with it", bar, of(1e-9), of(), "", "was not given with it"},
		{"none", bar, of(), of(), "", "was not given"},
	} {
		if got := lost(c.clean, c.now); got != c.lost {
			t.Errorf("%s: lost %q", c.name, got)
		}
		if !c.clean.there || !c.now.there {
			continue
		}
		if got := stays(c.bar, 0, c.clean, c.now); got != c.moved {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Words are whole ones, whatever stands around them.
func FuzzWords(f *testing.F) {
	f.Add("the value is NaN.", "nan")
	f.Add("finance-rel: İnan", "nan")
	f.Fuzz(func(t *testing.T, text, words string) {
		if words == "" || len(text) > 1000 {
			return
		}
		if at, found := wordsAt(text, words, 0); found && !strings.EqualFold(text[at:at+len(words)], words) {
			t.Errorf("%q at %d of %q", words, at, text)
		}
		if strings.TrimSpace(words) == words && strings.ToLower(words) == words {
			if _, found := wordsAt(", "+words+" ,", words, 0); !found {
				t.Errorf("%q is not found by itself", words)
			}
		}
		if _, found := wordsAt(blank(text, words), words, 0); found && strings.Trim(words, ",") != "" {
			t.Errorf("%q is still in %q", words, blank(text, words))
		}
	})
}
