package pressure

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

const processorLines = "cpu  10 20 30 400 50 6 7 80 9 9\ncpu0 5 10 15 200 25 3 3 40 4 4\ncpu1 5 10 15 200 25 3 4 40 5 5\nintr 1 2\n"

func TestParseProcessors(t *testing.T) {
	got, err := parseProcessors([]byte(processorLines))
	if want := (processors{count: 2, busy: 73, all: 603}); got != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, text := range []string{
		"", "\n", "intr 1\n", "cpu 1 2 3 4 5 6 7 8\nintr 1\n", // no processor
		"cpu0 1\nintr 1\n",                               // no sum
		"cpu 1 2 3 4 5 6 7\ncpu0 1\nintr 1\n",            // no steal
		"cpu 1 2 3 4 5 6 7 x\ncpu0 1\nintr 1\n",          // no number
		"cpu -1 2 3 4 5 6 7 8\ncpu0 1\nintr 1\n",         //
		strings.TrimSuffix(processorLines, "intr 1 2\n"), // torn
	} {
		if got, err := parseProcessors([]byte(text)); err == nil || got != (processors{}) {
			t.Errorf("parseProcessors(%q) = %+v, %v", text, got, err)
		}
	}
	for _, c := range []struct {
		now  processors
		want Share
	}{
		{processors{2, 103, 703}, Share{0.3, true}},
		{processors{2, 73, 703}, Share{0, true}},
		{processors{2, 73, 603}, Share{}}, // no tick
		{processors{2, 72, 703}, Share{}}, // back
		{processors{2, 273, 703}, Share{1, true}},
	} {
		if share := c.now.busySince(got); share != c.want {
			t.Errorf("busySince at %+v: %+v, want %+v", c.now, share, c.want)
		}
	}
	real, err := readProcessors("/proc/stat")
	if err != nil || real.count < 1 || real.count < runtime.NumCPU() || real.busy == 0 || real.busy >= real.all {
		t.Errorf("of this machine: %+v, %v", real, err)
	}
}

func FuzzParseProcessors(f *testing.F) {
	for _, seed := range []string{processorLines, "", "cpu\n", "cpu 18446744073709551615 1 1 1 1 1 1 1\ncpu0\nintr\n", "cpufreq\n"} {
		f.Add([]byte(seed))
	}
	if data, err := os.ReadFile("/proc/stat"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parseProcessors(data)
		if (err == nil) != (p.count > 0 && p.all > 0) || p.busy > p.all {
			t.Fatalf("parseProcessors(%q) = %+v, %v", data, p, err)
		}
	})
}
