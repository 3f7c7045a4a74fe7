package metric

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// against judges output by a limit of 5 % against references by their labels.
func against(t *testing.T, higher bool, refs map[string]Reference, standing Standing, output string) Result {
	t.Helper()
	return judge(t, Bar{Metric: "step-ms", Within: Within{Share: 0.05, Higher: higher, Of: func(labels string) (Reference, Standing) {
		if ref, ok := refs[labels]; ok {
			return ref, Compared
		}
		return Reference{Why: "nothing to hold it against"}, standing
	}}}, "", "ms", output)
}

func TestWithin(t *testing.T) {
	ref := func(low, high float64) map[string]Reference {
		return map[string]Reference{"": {Low: low, High: high, Commit: "c0ffee"}}
	}
	line := func(v ...string) string {
		return "gpuci:metric name=step-ms value=" + strings.Join(v, "\ngpuci:metric name=step-ms value=")
	}
	for _, tc := range []struct {
		name   string
		higher bool
		refs   map[string]Reference
		none   Standing
		output string
		state  State
		why    string
	}{
		{name: "as good", refs: ref(9, 10), output: line("10"), state: Held},
		{name: "on the limit", refs: ref(100, 100), output: line("105"), state: Held},
		{name: "better", refs: ref(9, 10), output: line("1"), state: Held},
		{name: "worse", refs: ref(9, 10), output: line("10.6"), state: Crossed, why: "10.6 is 6% worse than 10 of the last green"},
		{name: "the worst counts, here and there", refs: ref(1, 10), output: line("2", "10.6", "3"), state: Crossed, why: "10.6 is 6% worse than 10"},
		{name: "a rate that fell", higher: true, refs: ref(100, 200), output: line("94"), state: Crossed, why: "94 is 6% worse than 100"},
		{name: "a rate that held", higher: true, refs: ref(100, 200), output: line("95"), state: Held},
		{name: "nothing was nothing", refs: ref(0, 0), output: line("0"), state: Unreadable, why: "no share of 0"},
		{name: "nothing became something", refs: ref(0, 0), output: line("1"), state: Unreadable, why: "1 against 0 of the last green"},
		{name: "a rate of nothing", higher: true, refs: ref(0, 7), output: line("0.001"), state: Unreadable, why: "give max or min"},
		{name: "the first is nothing", none: First, output: line("0"), state: Unreadable, why: "0 cannot become what later runs are held against"},
		{name: "something became nothing", refs: ref(9, 10), output: line("0"), state: Unreadable, why: "0 against 10 of the last green: nothing could be held against it"},
		{name: "a rate became nothing", higher: true, refs: ref(9, 10), output: line("0"), state: Unreadable, why: "give max or min"},
		{name: "out of all proportion", refs: ref(10, 10), output: line("1e8"), state: Unreadable, why: "no number to be held"},
		{name: "so small", refs: ref(10, 10), output: line("1e-8"), state: Unreadable, why: "no number to be held"},
		{name: "a rate that grew so", higher: true, refs: ref(10, 10), output: line("1e8"), state: Unreadable, why: "no number to be held"},
		{name: "against the least there is", higher: true, refs: ref(5e-324, 5e-324), output: line("1"), state: Unreadable, why: "no number to be held"},
		{name: "the least against the greatest", refs: ref(1e308, 1e308), output: line("5e-324"), state: Unreadable, why: "no number to be held"},
		{name: "a great deal better", refs: ref(10, 10), output: line("1e-4"), state: Held},
		{name: "too small to be held", refs: ref(9, 10), output: line("1e-400"), state: Unreadable, why: "1e-400 is no number that can be held"},
		{name: "no reference", none: Missing, output: line("1"), state: Unreadable, why: "nothing to hold it against"},
		{name: "the first", none: First, output: line("1"), state: Held},
		{name: "a number that cannot be read outranks", refs: ref(9, 10), output: line("99", "nan"), state: Unreadable, why: "NaN"},
		{name: "below zero", refs: map[string]Reference{"": {Low: -2, High: -1}}, output: line("5"), state: Unreadable, why: "below zero says nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := against(t, tc.higher, tc.refs, tc.none, tc.output)
			if text := strings.Join(r.Why, "; "); r.State != tc.state || !strings.Contains(text, tc.why) || (tc.state == Held) != (text == "") {
				t.Errorf("got %s because %q, want %s because %q", r.State, text, tc.state, tc.why)
			}
		})
	}
}

// What is written down of a bar is a number, however far apart its numbers are.
func TestSharesAreFinite(t *testing.T) {
	for _, out := range []string{"1 5e-324", "5e-324 1e308", "1e308 5", "0 3"} {
		var whole, part string
		fmt.Sscan(out, &whole, &part)
		lines := "gpuci:metric name=m value=" + whole + "\ngpuci:metric name=a value=" + part + "\ngpuci:metric name=b value=" + part
		r := judge(t, Bar{Metric: "m", Parts: []string{"a", "b"}, Tolerance: 0.1}, "", "", lines)
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v", out, err)
		}
		if r.State == Held {
			t.Errorf("%s: %+v", out, r)
		}
	}
	sum := "gpuci:metric name=m value=1\ngpuci:metric name=a value=1e308\ngpuci:metric name=b value=1e308"
	if r := judge(t, Bar{Metric: "m", Parts: []string{"a", "b"}}, "", "", sum); r.State != Unreadable || r.Rest != 0 {
		t.Errorf("%+v", r)
	}
}

// Numbers of one set of labels are never held against those of another.
func TestWithinSeriesBySeries(t *testing.T) {
	refs := map[string]Reference{"n=1": {Low: 10, High: 10}, "n=2": {Low: 100, High: 100}}
	out := "gpuci:metric name=step-ms value=%s n=1\ngpuci:metric name=step-ms value=%s n=2\n"
	if r := against(t, false, refs, Missing, fmt.Sprintf(out, "10", "100")); r.State != Held || len(r.Held) != 2 {
		t.Errorf("got %+v", r)
	}
	r := against(t, false, refs, Missing, fmt.Sprintf(out, "50", "60"))
	if r.State != Crossed || len(r.Why) != 1 || !strings.Contains(r.Why[0], "(n=1)") || r.Held[0].Labels != "n=1" {
		t.Errorf("got %+v", r)
	}
}

func TestFloor(t *testing.T) {
	b := Bar{Metric: "step-ms", Max: f(1), Floor: f(0.01)}
	if r := judge(t, b, "", "", "gpuci:metric name=step-ms value=0.01"); r.State != Held {
		t.Errorf("on the floor: got %+v", r)
	}
	r := judge(t, b, "", "", "gpuci:metric name=step-ms value=0.5\ngpuci:metric name=step-ms value=0.009")
	if r.State != Unreadable || !strings.Contains(strings.Join(r.Why, ""), "below the floor of 0.01") {
		t.Errorf("below it: got %+v", r)
	}
}

// Each set of labels is a series; two sets are never one text.
func TestSeries(t *testing.T) {
	c, err := New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []string{`value=3 a="x b=y"`, `value=1 a=x b=y`, `value=2 a=x b=y`, `value=5`} {
		c.Line([]byte("gpuci:metric name=m " + l))
	}
	want := []Series{
		{Count: 1, Low: 5, High: 5, Last: 5},
		{Labels: `a="x b=y"`, Count: 1, Low: 3, High: 3, Last: 3},
		{Labels: "a=x b=y", Count: 2, Low: 1, High: 2, Last: 2},
	}
	if d := cmp.Diff(want, c.Series("m")); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// A label with a counter in it does not fill the memory, and is told.
func TestSeriesAreBounded(t *testing.T) {
	of := func(string) (Reference, Standing) { return Reference{}, First }
	var out strings.Builder
	for i := range maxSeries + 1 {
		fmt.Fprintf(&out, "gpuci:metric name=m value=1 step=%d\n", i)
	}
	r := judge(t, Bar{Metric: "m", Max: f(1), Within: Within{Share: 1, Of: of}}, "", "", out.String())
	if r.State != Unreadable || len(r.Held) != maxSeries {
		t.Errorf("got %s, %d series, %q", r.State, len(r.Held), r.Why)
	}
}
