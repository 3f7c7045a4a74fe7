package metric

import "testing"

// What a number is, is told by all words of its name and by its unit.
func TestTimed(t *testing.T) {
	for _, tt := range []struct {
		metric, unit string
		timed, sized bool
	}{
		{"tokens-per-second", "", true, false},
		{"launch-rate", "", true, false},
		{"step-time", "", true, false},
		{"bwd-latency", "", true, false},
		{"latency_p99", "", true, false},
		{"tflops", "", true, false},
		{"copy-gbps", "", true, false},
		{"throughput", "", true, false},
		{"hbm.bandwidth", "", true, true},
		{"duration", "", true, false},
		{"ms-per-step", "", true, false},
		{"stepTime", "", true, false},
		{"tokensPerSec", "", true, false},
		{"tokens-per-s", "", true, false},
		{"us50", "", true, false},
		{"runtime", "x", true, false},
		{"speedup", "x", true, false},
		{"copy", "GB/s", true, false},
		{"copy", "GBps", true, false},
		{"copy", "GB s^-1", true, false},
		{"copy", "s⁻¹", true, false},
		{"steps", "steps per minute", true, false},
		{"one", "ms/step", true, false},
		{"clock", "MHz", true, false},
		{"work", "TFLOPS", true, false},
		{"launches", "", false, false},
		{"ops-launches", "", false, false},
		{"launches", "launches/s", true, false},
		{"worst-rel", "", false, false},
		{"time-mix-rel", "", false, false},
		{"time-steps", "", false, false},
		{"second-moment", "", false, false},
		{"min-cos", "", false, false},
		{"error-rate", "", false, false},
		{"accept-rate", "", false, false},
		{"rate", "%", false, false},
		{"rate", "", true, false},
		{"ratio", "x", false, false},
		{"model", "10^-1", false, false},
		{"findings", "", false, false},
		{"pool-size", "", false, true},
		{"peak-gb", "", false, true},
		{"peak_bytes", "", false, true},
		{"peak", "GiB", false, true},
		{"", "", false, false},
	} {
		if got := Timed(tt.metric, tt.unit); got != tt.timed {
			t.Errorf("%q in %q: a time or a rate: %t", tt.metric, tt.unit, got)
		}
		if got := Sized(tt.metric, tt.unit); got != tt.sized {
			t.Errorf("%q in %q: an amount of memory: %t", tt.metric, tt.unit, got)
		}
	}
}
