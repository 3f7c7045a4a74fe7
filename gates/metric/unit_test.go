package metric

import (
	"strings"
	"testing"
)

func TestUnitOf(t *testing.T) {
	for metric, want := range map[string]string{
		"launches": "count", "count": "count", "bytes": "B", "ms": "ms", "allocs": "count", "calls": "count", "MS": "ms",
		"bwd-ms": "ms", "peak_bytes": "B", "a.b-count": "count", "terms": "", "bwd": "", "worst-rel": "", "": "",
	} {
		if got := UnitOf(metric, ""); got != want {
			t.Errorf("%s: got %q, want %q", metric, got, want)
		}
	}
	if got := UnitOf("bwd-ms", "s"); got != "s" {
		t.Errorf("the unit that is given: got %q", got)
	}
}

// A number in another unit than its metric's is refused, however that is
// written; its own is fine in any spelling.
func TestOtherUnit(t *testing.T) {
	for _, tc := range []struct{ metric, unit, behind, in string }{
		{"bwd-ms", "", " seconds", "s"}, {"bwd-ms", "", "  sec", "s"}, {"bwd-ms", "", " min", "min"}, {"bwd-ms", "", " minutes", "min"},
		{"bwd-ms", "", " m", "min"}, {"bwd-ms", "", " h", "h"}, {"bwd-ms", "", " Hours", "h"}, {"bwd-ms", "", " d", "d"},
		{"bwd-ms", "", " [s]", "s"}, {"bwd-ms", "", " (s)", "s"}, {"bwd-ms", "", " ( s )", "s"}, {"bwd-ms", "", "(s)", "s"},
		{"bwd-ms", "", "\ts", "s"}, {"bwd-ms", "", "·s", "s"}, {"bwd-ms", "", " · s", "s"}, {"bwd-ms", "", "\u00a0s", "s"}, {"bwd-ms", "", "\u2009s", "s"},
		{"bwd-ms", "", " µs", "us"}, {"bwd-ms", "", " μs", "us"}, {"bwd-ms", "", " us", "us"}, {"bwd-ms", "", " ns", "ns"},
		{"bwd-ms", "", " microseconds", "us"}, {"bwd-ms", "", " nanosecond", "ns"}, {"bwd-ms", "", " SEC", "s"}, {"bwd-ms", "", " %", "%"},
		{"bwd-ms", "", " percent", "%"}, {"bwd-ms", "", "k", "k"}, {"bwd-ms", "", " KiB", "KiB"},
		{"peak-bytes", "", " kB", "KB"}, {"peak-bytes", "", " KB", "KB"}, {"peak-bytes", "", " MiB", "MiB"}, {"peak-bytes", "", " gib", "GiB"},
		{"peak-bytes", "", " TB", "TB"}, {"peak-bytes", "", " megabytes", "MB"}, {"peak-bytes", "", "G", "G"}, {"peak-bytes", "", " Gi", "GiB"}, {"peak-bytes", "", " bits", "bit"},
		{"peak-mib", "", " MB", "MB"}, {"peak", "MB", " Mb", "Mb"}, {"peak", "MB", " MiB", "MiB"}, {"wait", "min", " s", "s"}, {"wait", "seconds", " ms", "ms"},
		{"launches", "", " s", "s"}, {"launches", "", "K", "K"}, {"launches", "", " %", "%"},

		{"bwd-ms", "", " ms", ""}, {"bwd-ms", "", "ms", ""}, {"bwd-ms", "", " milliseconds", ""}, {"bwd-ms", "", " [msec]", ""}, {"bwd-ms", "", " MS", ""},
		{"bwd-us", "", " µs", ""}, {"bwd-us", "", "μs", ""}, {"bwd-sec", "", " seconds", ""}, {"bwd-s", "", "sec", ""},
		{"wait", "minutes", " min", ""}, {"wait", "min", " m", ""}, {"peak-bytes", "", " B", ""}, {"peak", "kB", " KB", ""},
		{"bwd-ms", "", " seasons", ""}, {"bwd-ms", "", " s=4", ""}, {"bwd-ms", "", " d_q", ""}, {"bwd-ms", "", " (s=4)", ""},
		{"bwd-ms", "", "", ""}, {"bwd-ms", "", " ms (5 %)", ""}, {"bwd-ms", "", " (5 of 8)", ""},
		{"launches", "", " launches", ""}, {"launches", "", " tests", ""}, {"launches", "", " in 3 s", ""},
		{"m", "", " s", ""}, {"m", "TFLOP/s", " s", ""},
	} {
		r := judge(t, Bar{Metric: tc.metric, Max: f(9)}, `v (?P<value>[0-9.]+)`, tc.unit, "v 1.5"+tc.behind)
		text := strings.Join(r.Why, "; ")
		if tc.in == "" && (r.State != Held || text != "") {
			t.Errorf("%s (unit %q), %q: got %s because %q", tc.metric, tc.unit, tc.behind, r.State, text)
		}
		if tc.in != "" && (r.State != Unreadable || !strings.Contains(text, "the number is in "+tc.in+",")) {
			t.Errorf("%s (unit %q), %q: got %s because %q, want it in %s", tc.metric, tc.unit, tc.behind, r.State, text, tc.in)
		}
	}
}

func TestBelowZeroInAnySpelling(t *testing.T) {
	for _, unit := range []string{"ms", "seconds", "bytes", "min", "kB", "count"} {
		if _, err := parse("-1", unit); err == nil {
			t.Errorf("-1 %s is taken", unit)
		}
	}
	for _, unit := range []string{"", "%", "TFLOP/s", "x"} {
		if _, err := parse("-1", unit); err != nil {
			t.Errorf("-1 %s: %v", unit, err)
		}
	}
}
