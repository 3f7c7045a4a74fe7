package pressure

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const whole = "some avg10=1.50 avg60=2.00 avg300=3.00 total=4\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=1\n"

func TestParseUnknownParts(t *testing.T) {
	want, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"all avg10=x\n" + whole + "\nirq\n",
		strings.ReplaceAll(whole, " total", " avg3600=nonsense flag total"),
	} {
		if got, err := Parse([]byte(text)); err != nil || !cmp.Equal(want, got) {
			t.Errorf("Parse(%q) = %+v, %v", text, got, err)
		}
	}
}

func TestParseTorn(t *testing.T) {
	// Cut anywhere but after a whole line, it is torn.
	first := strings.Index(whole, "\n") + 1
	for n := range len(whole) {
		if _, err := Parse([]byte(whole[:n])); (err == nil) != (n == first) {
			t.Errorf("Parse(%q): %v", whole[:n], err)
		}
	}
	for _, text := range []string{
		"\n", "half avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		strings.Replace(whole, "1.50", "NaN", 1), strings.Replace(whole, "1.50", "-1", 1),
		strings.Replace(whole, "1.50", "+Inf", 1), strings.Replace(whole, "1.50", "", 1),
		strings.Replace(whole, "total=4", "total=-4", 1), strings.Replace(whole, "total=4", "total=18446744073709551615", 1),
		strings.Replace(whole, " avg300=3.00", "", 1),
	} {
		if r, err := Parse([]byte(text)); err == nil || r.Some != nil || r.Full != nil {
			t.Errorf("Parse(%q) = %+v, %v", text, r, err)
		}
	}
}

// irq has no line "some".
const interrupts = "full avg10=0.25 avg60=0.00 avg300=0.00 total=12\n"

func TestParseInterrupts(t *testing.T) {
	got, err := Parse([]byte(interrupts))
	if want := (Resource{Full: &Level{Avg10: 0.25, Total: 12 * time.Microsecond}}); err != nil || !cmp.Equal(want, got) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		whole, "", "\n", "some\n", "some total=1\n", "some avg10=1e309 avg60=0 avg300=0 total=0\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=9223372036854776\n", "full avg10=0x1p3 avg60=_ avg300=1_0 total=0b1\n",
		"some avg10=1 avg10=2 avg60=0 avg300=0 total=0\nsome avg10=\n",
		interrupts, "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if (err == nil) != (r.Some != nil || r.Full != nil) {
			t.Fatalf("Parse(%q) = %+v, %v", data, r, err)
		}
		for _, l := range []*Level{r.Some, r.Full} {
			if l != nil && !(l.Avg10 >= 0 && l.Avg10 <= 101 && l.Avg60 >= 0 && l.Avg300 >= 0 && l.Total >= 0) {
				t.Fatalf("Parse(%q) has %+v", data, *l)
			}
		}
	})
}

const meminfo = "MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable: 70 kB\nSwapTotal: 8 kB\nSwapFree: 7 kB\nDirty: 5 kB\nWriteback: 2 kB\nWritebackTmp: 9 kB\nHugePages_Total:       0\n"

func TestParseMemory(t *testing.T) {
	got, err := ParseMemory([]byte(meminfo))
	want := Memory{Total: 100 << 10, Available: 70 << 10, Dirty: 5 << 10, Writeback: 2 << 10, SwapTotal: 8 << 10, SwapFree: 7 << 10}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for text, say := range map[string]string{
		"": `"MemTotal"`,
		strings.Replace(meminfo, "MemAvailable", "Mem", 1):        `"MemAvailable"`,
		strings.Replace(meminfo, "100 kB", "100", 1):              "no size",
		strings.Replace(meminfo, "100 kB", "100 MB", 1):           "no size",
		strings.Replace(meminfo, "100 kB", "-100 kB", 1):          "no size",
		strings.Replace(meminfo, "100 kB", "1e2 kB", 1):           "no size",
		strings.Replace(meminfo, "Dirty: 5 kB", "Dirty:", 1):      "no size",
		strings.Replace(meminfo, "100", "9223372036854775807", 1): "no size",
		meminfo[:15]: "no size",
	} {
		if got, err := ParseMemory([]byte(text)); err == nil || !strings.Contains(err.Error(), say) || got != (Memory{}) {
			t.Errorf("ParseMemory(%q) = %+v, %v, want %s", text, got, err, say)
		}
	}
}

func FuzzParseMemory(f *testing.F) {
	for _, seed := range []string{
		meminfo, "", "\n", ":\n", "MemTotal:\n", "MemTotal: 1 kB\nMemAvailable: 9007199254740991 kB\n",
		"MemTotal: 1 kB\nMemTotal: 2 kB\nMemAvailable: 0 kB", "MemTotal: +1 kB\nMemAvailable: 0x1 kB\n",
	} {
		f.Add([]byte(seed))
	}
	if data, err := os.ReadFile(RealMemory); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMemory(data)
		if err != nil && m != (Memory{}) {
			t.Fatalf("ParseMemory(%q) = %+v, %v", data, m, err)
		}
		for _, v := range []int64{m.Total, m.Available, m.Dirty, m.Writeback, m.SwapTotal, m.SwapFree} {
			if v < 0 || v%1024 != 0 {
				t.Fatalf("ParseMemory(%q) = %+v", data, m)
			}
		}
	})
}
