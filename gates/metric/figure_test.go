package metric

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFigures: a number for people has six digits at most, one way to write an
// exponent, and all digits where it is a count.
func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{
		1.3753386355069246e-7: "1.37534e-7", 6.644101033980641e-08: "6.6441e-8", 2e-5: "2e-5", 0.00031: "3.1e-4", 0.001: "0.001", 0.25: "0.25",
		10.6: "10.6", 3.14159265: "3.14159", 1234.56789: "1234.57", 1234567.891: "1234568", 17179869184: "17179869184", 1e6: "1000000",
		0: "0", -4.5: "-4.5", -1.3753386355069246e-7: "-1.37534e-7", 1e15: "1e15", 1.5e300: "1.5e300", 0.9999999: "1", 5e-324: "4.94066e-324",
		math.Inf(1): "+Inf",
	} {
		if got := Figure(v); got != want {
			t.Errorf("Figure(%v) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{5312.6: "5313", 1e6: "1e6", 1234567: "1.23e6", 7.8125: "7.81", 0.05: "0.05", 123456: "123456", 0.0000123: "1.23e-5", 100: "100", math.Inf(1): "+Inf"} {
		if got := Times(v); got != want {
			t.Errorf("Times(%v) = %q, want %q", v, got, want)
		}
	}
	for _, c := range []struct {
		in   []float64
		want []string
	}{
		{[]float64{1.00000049, 1}, []string{"1.0000005", "1"}},
		{[]float64{0.1234561, 0.1234562, 0.5}, []string{"0.1234561", "0.1234562", "0.5"}},
		{[]float64{123456789.5, 123456789.4}, []string{"123456789.5", "123456789.4"}}, // 123456790 and 123456789 would be 1 apart
		{[]float64{1234567.5, 1234567}, []string{"1234567.5", "1234567"}},
		{[]float64{1234567.891, 12}, []string{"1234568", "12"}},
		{[]float64{math.Inf(1), 1.5}, []string{"+Inf", "1.5"}},
		{[]float64{math.Nextafter(0.3, 1), 0.3}, []string{"0.30000000000000004", "0.3"}},
		{[]float64{6.644101033980641e-08, 6.644101033980641e-08}, []string{"6.6441e-8", "6.6441e-8"}},
	} {
		if d := cmp.Diff(c.want, Figures(c.in...)); d != "" {
			t.Errorf("Figures(%v): -want +got\n%s", c.in, d)
		}
	}
}

// TestTimesBeside: of shares, too.
func TestTimesBeside(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want []string
	}{
		{[]float64{99.99, 100}, []string{"99.99", "100"}}, {[]float64{90, 100}, []string{"90", "100"}}, {[]float64{1, 1.0001}, []string{"1", "1.0001"}},
		{[]float64{10.00001, 10}, []string{"10.00001", "10"}}, {[]float64{18.1818, 5}, []string{"18.2", "5"}}, {[]float64{2e-9, 1e6}, []string{"2e-9", "1e6"}},
		{[]float64{1e300, math.Nextafter(1e300, 0)}, []string{"1e300", "9.999999999999999e299"}},
	} {
		if d := cmp.Diff(c.want, TimesBeside(c.in...)); d != "" {
			t.Errorf("TimesBeside(%v): -want +got\n%s", c.in, d)
		}
	}
}

// FuzzFigures: what is written is a number near the one meant, Format's is the very
// same, and numbers that differ do not look alike.
func FuzzFigures(f *testing.F) {
	for _, v := range []float64{0, 1.3753386355069246e-7, 999999.5, 0.00099999999, -1e15, 123456789012345.6, 5e-324, math.MaxFloat64} {
		f.Add(v, math.Nextafter(v, 2))
	}
	f.Fuzz(func(t *testing.T, a, b float64) {
		if math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
			return
		}
		if back, err := strconv.ParseFloat(Format(a), 64); err != nil || back != a {
			t.Errorf("Format(%v) = %q, which is %v, %v", a, Format(a), back, err)
		}
		back, err := strconv.ParseFloat(Figure(a), 64)
		if err != nil && !math.IsInf(back, 0) || math.Abs(back-a) > 1e-5*math.Abs(a) {
			t.Errorf("Figure(%v) = %q, which is %v, %v", a, Figure(a), back, err)
		}
		if got := Figures(a, b); a != b && slices.Compact(got)[0] == got[len(got)-1] && len(slices.Compact(got)) == 1 {
			t.Errorf("Figures(%v, %v) = %q", a, b, got)
		}
		if got := TimesBeside(a, b); a != b && got[0] == got[1] {
			t.Errorf("TimesBeside(%v, %v) = %q", a, b, got)
		}
	})
}
