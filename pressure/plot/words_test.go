package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gpuci/pressure"
)

func TestInWords(t *testing.T) {
	last := point(12, 0) // a moment in which all was waited
	last.Time, last.Length, last.IO.Full = after(12.003), 3*time.Millisecond, known(1)
	hold := func(seconds, full float64, length time.Duration) pressure.Point {
		p := point(seconds, full)
		p.Length = length
		return p
	}
	for _, test := range []struct {
		name   string
		points pressure.Timeline
		want   string
	}{
		{"nothing", nil, "io full: unknown"},
		{"the first of two peaks", pressure.Timeline{hold(6, 0.5, 6*time.Second), hold(12, 0.5, 6*time.Second)},
			"io full: mean 50 %, peak 50 % at 0s (01:02:03)"},
		{"by time", pressure.Timeline{hold(9, 0.2, 9*time.Second), hold(12, 0.8, 3*time.Second)},
			"io full: mean 35 %, peak 80 % at 9s (01:02:12)"},
		{"a moment is no peak", pressure.Timeline{hold(12, 0.02, 12*time.Second), last},
			"io full: mean 2.0 %, peak 2.0 % at 0s (01:02:03)"},
		{"a part", pressure.Timeline{hold(9, 0.2, 3*time.Second)},
			"io full: mean 20 %, peak 20 % at 6s (01:02:09); known for 3s of 12s"},
	} {
		f := newFrame(Chart{From: t0, To: after(12.003)})
		if got := inWords(newSteps(test.points, f), f); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A drawing must not say another number than the verdict of the same run.
func TestWordsAgreeWithSummary(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 200 {
		var points pressure.Timeline
		at := 0.0
		for range 1 + r.IntN(50) {
			length := 1.0
			if r.IntN(4) == 0 {
				length = 0.001 + r.Float64()
			}
			at += length
			p := point(at, r.Float64())
			p.Length = time.Duration(length * 1e9)
			p.IO.Full.Known = r.IntN(4) > 0
			points = append(points, p)
		}
		f := newFrame(Chart{From: t0, To: after(at)})
		mean, peak, known := stallOf(levelsOf(newSteps(points, f), allSeries()[0].share))
		want := points.Summary().IOFull
		if known != (want != nil) {
			t.Fatalf("known is %v, the summary is %v", known, want)
		}
		if known && (math.Abs(mean-want.Mean) > 1e-3 || math.Abs(peak.value-want.Peak) > 1e-3) {
			t.Fatalf("mean %v, peak %v; the summary has %+v", mean, peak.value, *want)
		}
	}
}

func TestPhasesInWords(t *testing.T) {
	f := newFrame(small())
	bars := []Bar{{Kind: Phase, Label: "run", From: after(9), To: time.Time{}}, {Kind: Link, Label: "x", From: after(1), To: after(2)}, {Kind: Phase, Label: "build", From: after(2), To: after(9)}, {Kind: Phase, Label: "sweep", From: time.Time{}, To: after(1)}}
	if got, want := phasesInWords(bars, f), "sweep (start unknown) · build 7s · run (not ended)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLasting(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 300 * time.Microsecond: "0s", 994 * time.Millisecond: "994ms", 996 * time.Millisecond: "1s",
		1500 * time.Millisecond: "1.5s", 59940 * time.Millisecond: "59.9s", 59960 * time.Millisecond: "1m",
		65 * time.Second: "1m05s", 3599 * time.Second: "59m59s", 3599600 * time.Millisecond: "1h",
		2*time.Hour + 5*time.Minute: "2h05m", 48 * time.Hour: "2d", 100 * time.Hour: "4d04h", longest: "73000d",
	} {
		if got := lasting(d); got != want {
			t.Errorf("lasting(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestPercentOf(t *testing.T) {
	for v, want := range map[float64]string{0: "0 %", 1e-9: "under 0.1 %", 0.004: "0.4 %", 0.0996: "10 %", 0.934: "93 %", 1: "100 %"} {
		if got := percentOf(v); got != want {
			t.Errorf("percentOf(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, test := range []struct {
		text  string
		cells int
		want  string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 1, "…"}, {"abc", -4, "…"},
		{"界界", 4, "界界"}, {"界界界", 4, "界…"}, {"ÄÖÜß", 3, "ÄÖ…"},
	} {
		if got := fit(test.text, test.cells); got != test.want {
			t.Errorf("fit(%q, %d) = %q, want %q", test.text, test.cells, got, test.want)
		}
	}
}

func TestEscape(t *testing.T) {
	got := escape("a<b>&\"c'\n\x1b[31m\u202ed\xff" + strings.Repeat("x", 1000))
	if want := "a&lt;b&gt;&amp;&#34;c&#39; �[31m�d�"; !strings.HasPrefix(got, want) {
		t.Errorf("escape gives %q, want it to begin %q", got, want)
	}
	if len(got) > 400 {
		t.Errorf("escape gives %d bytes", len(got))
	}
}

func TestTicks(t *testing.T) {
	seen := 0
	for length := shortest; length > 0 && length <= longest; length += length/7 + 1 {
		f := frame{t0, length}
		at := f.ticks()
		if len(at) < 2 || len(at) > mostTicks+1 || at[0] != 0 || at[len(at)-1] > length {
			t.Fatalf("the ticks of %v are %v", length, at)
		}
		labels := map[string]bool{}
		for _, d := range at {
			labels[lasting(d)] = true
			if text := f.tickClock(t0.Add(d)); len(text) > 12 || f.length > 9*time.Second && strings.Contains(text, ".") || f.length > 10*time.Minute && strings.Count(text, ":") > 1 {
				t.Errorf("the clock says %q", text)
			}
		}
		if len(labels) != len(at) {
			t.Errorf("of %v, ticks have the same label: %v", length, fmt.Sprint(at))
		}
		seen++
	}
	if seen < 50 {
		t.Errorf("saw %d lengths", seen)
	}
}
