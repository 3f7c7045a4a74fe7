package gates

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/metric"
)

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0}, {[]float64{3}, 0}, {[]float64{0, 0}, 0}, {[]float64{1, 2}, 1 / 1.5}, {[]float64{9, 10, 12}, 0.3},
		{[]float64{-1, -2, -4}, 1.5}, {[]float64{-1, 0, 1}, math.Inf(1)}, {[]float64{math.MaxFloat64, math.MaxFloat64}, 0},
		{[]float64{1, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, 1},
	} {
		if got := spreadOf(tt.values); got != tt.want {
			t.Errorf("spreadOf(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestElementText(t *testing.T) {
	for _, tt := range []struct {
		element, want string
		bytes         []byte
	}{
		{"f32", "0.5", []byte{0, 0, 0, 0x3f}}, {"f32", "-0", []byte{0, 0, 0, 0x80}}, {"f32", "NaN (0x7fc00001)", []byte{1, 0, 0xc0, 0x7f}},
		{"f64", "1", []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}}, {"bf16", "-1", []byte{0x80, 0xbf}}, {"f16", "1.5", []byte{0, 0x3e}},
		{"f16", "-Inf", []byte{0, 0xfc}}, {"f16", "5.9604645e-08", []byte{1, 0}}, {"f16", "-0", []byte{0, 0x80}}, {"f16", "NaN (0x7e00)", []byte{0, 0x7e}},
		{"i8", "-1", []byte{0xff}}, {"u8", "255", []byte{0xff}}, {"i16", "-2", []byte{0xfe, 0xff}}, {"u32", "4294967295", []byte{0xff, 0xff, 0xff, 0xff}},
		{"i64", "-9223372036854775808", []byte{0, 0, 0, 0, 0, 0, 0, 0x80}}, {"", "0x0f", []byte{0x0f}},
	} {
		if got := elementText(tt.bytes, tt.element); got != tt.want {
			t.Errorf("elementText(%x, %q) = %s, want %s", tt.bytes, tt.element, got, tt.want)
		}
	}
}

// twoTapes holds the texts of two runs of one series against each other.
func twoTapes(a, b []string) *Unstable {
	tapes := []*tape{newTape(2), newTape(2)}
	for i, texts := range [][]string{a, b} {
		for _, s := range texts {
			tapes[i].add(metric.Sample{Metric: "m", Text: s})
		}
	}
	name := trackName{metric: "m"}
	return textUnstable(name, tracksOf(tapes, name), []int{0, 1})
}

func TestTextUnstable(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		a, b       []string
	}{
		{"alike", "", []string{"1", "2"}, []string{"1", "2"}},
		{"in another order", "", []string{"1", "2"}, []string{"2", "1"}},
		{"a digit", "value 2: 2 in run 1; 2.0 in run 2", []string{"1", "2"}, []string{"1", "2.0"}},
		{"fewer", "m: 2 values in run 1; 1 value in run 2", []string{"1", "2"}, []string{"1"}},
		{"the same set, other numbers of each", "value 2: 1 in run 1; 2 in run 2", []string{"1", "1", "2"}, []string{"1", "2", "2"}},
	} {
		got := ""
		if u := twoTapes(tt.a, tt.b); u != nil {
			got = u.Text
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestTapeBounded: what is printed does not decide how much memory it takes, and a
// difference beyond what is kept is found all the same.
func TestTapeBounded(t *testing.T) {
	one, other := newTape(1<<16), newTape(1<<16) // room for 1 KiB
	for i := range 5000 {
		s := metric.Sample{Metric: "m", Text: fmt.Sprint(i), Labels: map[string]string{"step": fmt.Sprint(i / 2)}}
		one.add(s)
		if i == 4000 {
			s.Text = "x"
		}
		other.add(s)
	}
	if len(one.tracks) > 100 {
		t.Fatalf("%d series are kept", len(one.tracks))
	}
	name := trackName{metric: "m"}
	u := textUnstable(name, tracksOf([]*tape{one, other}, name), []int{0, 1})
	if u == nil || !strings.Contains(u.Text, "beyond the first") {
		t.Errorf("got %+v, want a difference beyond what is kept", u)
	}
}

func TestGrouped(t *testing.T) {
	text, odd := grouped([]string{"a", "b", "b", "a", "b"}, []int{0, 1, 2, 3, 4})
	if d := cmp.Diff("b in runs 2, 3 and 5; a in runs 1 and 4", text); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{1, 4}, odd); d != "" {
		t.Error(d)
	}
}
