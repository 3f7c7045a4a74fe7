package gates

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
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

func safetensors(head any, data []byte) []byte {
	text, _ := json.Marshal(head)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), data...)
}

func TestSafetensorsLayout(t *testing.T) {
	data := safetensors(map[string]any{
		"__metadata__": map[string]string{"format": "pt"},
		"w":            map[string]any{"dtype": "F32", "shape": []int{2}, "data_offsets": []int{0, 8}},
		"b":            map[string]any{"dtype": "F32", "shape": []int{1}, "data_offsets": []int{8, 12}},
	}, make([]byte, 12))
	l := layoutOf(data, "")
	if l.element != "f32" || l.data != int64(len(data)-12) {
		t.Fatalf("got %+v", l)
	}
	if got := l.name(l.data+4, 4); got != "w[1]" {
		t.Errorf("the second element is %s, want w[1]", got)
	}
	if got := l.name(l.data+8, 4); got != "b[0]" {
		t.Errorf("the third element is %s, want b[0]", got)
	}
}

// FuzzElements: as many elements differ as a plain comparison counts, and the first is
// that one, wherever blocks begin and end.
func FuzzElements(f *testing.F) {
	f.Add(uint16(3), uint32(70_000), uint32(65_530), "f64")
	f.Add(uint16(0), uint32(200_000), uint32(131_071), "")
	f.Fuzz(func(t *testing.T, shift uint16, n, at uint32, element string) {
		n = n%300_000 + 1
		dir := t.TempDir()
		a, b := make([]byte, n), make([]byte, n)
		for i := at % n; i < n; i += uint32(shift)*7 + 1 {
			b[i] ^= 1
		}
		size := config.ElementTypes()[element]
		if size == 0 {
			element, size = "", 1
		}
		if int(n)%size != 0 {
			size = 1
		}
		want, first := 0, -1
		for i := 0; i < int(n); i += size {
			if string(a[i:i+size]) != string(b[i:i+size]) {
				if want++; first < 0 {
					first = i
				}
			}
		}
		c := newComparedFiles(dir, t.TempDir(), config.Repeat{Times: 2, Files: []string{"f"}, Elements: element})
		for run, data := range [][]byte{a, b} {
			if err := os.WriteFile(filepath.Join(dir, "f"), data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := c.after(context.Background(), run+1); err != nil {
				t.Fatal(err)
			}
		}
		r := &Repeat{}
		c.compare(r)
		if len(r.Unstable) != 1 || r.Unstable[0].Differ != want || !strings.Contains(r.Unstable[0].Text, fmt.Sprintf("(byte %d)", first)) {
			t.Fatalf("%d elements of %s differ, the first at %d; got %+v", want, element, first, r.Unstable)
		}
	})
}

// FuzzLayout: the elements of any file lie in it, and each has a name.
func FuzzLayout(f *testing.F) {
	f.Add([]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 0), }            \n12345678"), "f32")
	f.Add(safetensors(map[string]any{"w": map[string]any{"dtype": "BF16", "data_offsets": []int{-9, 1 << 40}}}, []byte("abcd")), "")
	f.Add([]byte("plain"), "u8")
	f.Fuzz(func(t *testing.T, data []byte, declared string) {
		if config.ElementTypes()[declared] == 0 {
			declared = ""
		}
		l := layoutOf(data, declared)
		if l.data < 0 || l.data > int64(len(data)) {
			t.Fatalf("the elements begin at %d of %d", l.data, len(data))
		}
		size := int64(max(1, config.ElementTypes()[l.element]))
		for at := l.data; at+size <= int64(len(data)) && at < l.data+64*size; at += size {
			if l.name(at, size) == "" || elementText(data[at:at+size], l.element) == "" {
				t.Fatalf("the element at %d has no name or no text", at)
			}
		}
	})
}
