package metric

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A pattern reads a whole number or none: green is what was printed.
func TestCut(t *testing.T) {
	for _, tc := range []struct{ pattern, unit, line, want, why string }{
		// Behind.
		{pattern: `worst rel (?P<value>[0-9.]+)`, line: "worst rel 0,9", why: `"0" out of "0,9"`},
		{pattern: `v=(?P<value>[0-9.]+)`, line: "v=0x1.8p3", why: `"0" out of "0x1.8p3"`},
		{pattern: `v=(?P<value>[0-9.]+)`, line: "v=0.12D+05", why: `"0.12" out of "0.12D+05"`},
		{pattern: `v=(?P<value>[0-9.]+)`, line: "v=0.12+105", why: `"0.12" out of "0.12+105"`},
		{pattern: `v=(?P<value>[0-9.]+)`, line: "v=5.e-03", why: `"5." out of "5.e-03"`},
		{pattern: `v=(?P<value>\d+)`, line: "v=5.e-03", why: `"5" out of "5.e-03"`},
		{pattern: `v=(?P<value>[0-9.]+)`, line: "v=1.2e−5", why: `out of "1.2e−5"`},
		{pattern: `v=(?P<value>\d+)`, line: "v=9,999,999", why: `"9" out of "9,999,999"`},
		{pattern: `v=(?P<value>\d+)`, line: "v=9_999_999", why: `"9" out of "9_999_999"`},
		{pattern: `v=(?P<value>\d+)`, line: "v=9'999", why: `"9" out of "9'999"`},
		{pattern: `v=(?P<value>\d+)`, line: "v=9’999", why: `"9" out of "9’999"`},
		{pattern: `v=(?P<value>\d+)`, line: "v=9\u202f999", why: `"9" out of`},
		{pattern: `v=(?P<value>\d+)`, line: "v=4:30", why: `"4" out of "4:30"`},
		{pattern: `v=(?P<value>\d+)`, line: "v=3k", why: `write the 'k' into the pattern`},
		{pattern: `v=(?P<value>\d+)`, line: "v=3_", why: `"3" out of "3_"`},
		{pattern: `v=(?P<value>\d+)`, line: "v=5½", why: `"5" out of "5½"`},
		{pattern: `v=(?P<value>[0-9.]+)`, unit: "ms", line: "v=1.5s", why: "in s, the metric in ms"},
		{pattern: `v=(?P<value>[0-9.]+)`, line: "v=1.5s", why: `"1.5" out of "1.5s"`},
		{pattern: `v=(?P<value>[0-9.]+)`, line: "v=15.2µs", why: `"15.2" out of "15.2µs"`},
		{pattern: `v=(?P<value>\d+)\.`, line: "v=5.25", why: `"5" out of "5.25"`},
		{pattern: `v=(?P<value>\d)`, line: "v=01", why: `"0" out of "01"`},
		{pattern: `v=(?P<value>[0-9.]+)`, unit: "us", line: "v=15.2µs", want: "15.2"},
		{pattern: `v=(?P<value>\d+)`, unit: "ms", line: "v=5ms", want: "5"},
		{pattern: `v=(?P<value>\d+)`, unit: "TFLOP/s", line: "v=5TFLOP/s", want: "5"},
		{pattern: `v=(?P<value>[0-9.]+)ms`, line: "v=5ms", want: "5"},
		{pattern: `v=(?P<value>[0-9.]+)\s*ms`, line: "v=5ms", want: "5"},
		{pattern: `v=(?P<value>[0-9.]+)x`, line: "v=12x", want: "12"},
		{pattern: `(?i)v=(?P<value>[0-9.]+)X`, line: "v=12x", want: "12"},
		{pattern: `v=(?P<value>\d+)x(?P<h>\d+)`, line: "v=0x4", want: "0"},
		{pattern: `v=(?P<value>\d+),`, line: "v=1,2", want: "1"},
		{pattern: `v(?P<value>\d+)\.(?P<minor>\d+)`, line: "v5.25", want: "5"},
		{pattern: `(?P<value>\d+)/`, line: "7/8", want: "7"},
		{pattern: `^(?P<value>\d+)`, line: "7/8", want: "7"},
		{pattern: `sizes (?P<value>\d+)`, line: "sizes 1, 2, 3", want: "1"},
		{pattern: `took (?P<value>\d+)`, line: "took 5.", want: "5"},
		{pattern: `x=(?P<value>\d+)`, line: "x=5;", want: "5"},
		{pattern: `\((?P<value>\d+)`, line: "(5)", want: "5"},
		{pattern: `v=(?P<value>\d+)`, line: "v=5%", want: "5"},
		{pattern: `v=(?P<value>\d+)`, line: "v=5 s", want: "5"},

		// In front.
		{pattern: `\D*(?P<value>\d+)`, unit: "ms", line: "−5 ms", why: `"5" out of "−5"`},
		{pattern: `\D*(?P<value>\d+)`, line: "-5 ms", why: `"5" out of "-5"`},
		{pattern: `bwd\W+(?P<value>\d+)`, line: `{"bwd":"-5"}`, why: `"5" out of "-5"`},
		{pattern: `"bwd":"(?P<value>\d+)"`, unit: "ms", line: `{"bwd":"-5"}`, why: "-5 is below zero"},
		{pattern: `"bwd":"(?P<value>\d+)"`, line: `{"bwd":"-5"}`, want: "-5"},
		{pattern: `v=-(?P<value>\d+)`, line: "v=-5", why: `"5" out of "-5"`},
		{pattern: `v\D*(?P<value>\d+)`, line: "v .5", why: `"5" out of ".5"`},
		{pattern: `(?P<value>\d+) ms`, line: "9,999 ms", why: `"999" out of "9,999"`},
		{pattern: `(?P<value>\d+) ms`, line: "1.234,5 ms", why: `"5" out of "1.234,5"`},
		{pattern: `(?P<value>\d+) ms`, line: "0.12D+05 ms", why: `"05" out of "0.12D+05"`},
		{pattern: `(?P<value>\d+) ms`, line: "1e-5 ms", why: `"5" out of "1e-5"`},
		{pattern: `(?P<value>-?\d+) on`, line: "1e-5 on", why: `"-5" out of "1e-5"`},
		{pattern: `(?P<value>-?\d+) on`, line: "10-12 on", why: `"-12" out of "10-12"`},
		{pattern: `(?P<value>\d+) min`, line: "4:30 min", why: `"30" out of "4:30"`},
		{pattern: `(?P<value>\d+) ms`, line: "0x1.8p3 ms", why: `"3" out of "0x1.8p3"`},
		{pattern: `(?P<value>\d+) ms`, line: "p99:12 ms", want: "12"},
		{pattern: `(?P<value>\d+) ms`, line: "d_4_16 ms", want: "16"},
		{pattern: `step-(?P<value>\d+)`, line: "step-5", want: "5"},
		{pattern: `conv2d-?(?P<value>\d+)`, line: "conv2d-5", want: "5"},
		{pattern: `conv2d(?P<value>\d+)`, line: "conv2d5", want: "5"},
		{pattern: `,(?P<value>\d+)$`, line: "1,2", want: "2"},
		{pattern: `[\d.]+(?P<value>[-+][\d.]+)i`, line: "1-2.5i", want: "-2.5"},

		// A NaN that the pattern skips.
		{pattern: `rel\D*(?P<value>[0-9.]+)`, line: "rel nan at step 3", why: "passes over nan"},
		{pattern: `rel[^0-9]+(?P<value>[0-9.]+)`, line: "rel=-inf, step 3", why: "passes over -inf"},
		{pattern: `rel\D*(?P<value>[0-9.]+)`, line: "rel, nan-safe, L_inf: 3", want: "3"},
		{pattern: `nan: \D*(?P<value>[0-9.]+)`, line: "nan: at step 3", want: "3"},
		{pattern: `rel.*?(?P<value>[0-9.]+)`, line: "rel nan at step 3", why: "NaN"},
	} {
		r := judge(t, Bar{Metric: "m", Min: f(-1e9)}, tc.pattern, tc.unit, tc.line)
		got, text := "", strings.Join(r.Why, "; ")
		if r.Worst != nil {
			got = r.Worst.Text
		}
		if got != tc.want || !strings.Contains(text, tc.why) || (tc.why == "") != (text == "") {
			t.Errorf("%s (unit %q) in %q: got %q because %q, want %q because %q", tc.pattern, tc.unit, tc.line, got, text, tc.want, tc.why)
		}
	}
}

// spelled writes a number in one of the ways that programs do, and says how
// much it is.
func spelled(a, b uint16, way uint8) (text string, value float64) {
	x, y := float64(a), float64(b)
	point, _ := strconv.ParseFloat(fmt.Sprintf("%d.%03d", a, b), 64)
	switch way % 24 {
	case 0:
		return fmt.Sprintf("%d", a), x
	case 1:
		return fmt.Sprintf("-%d", a), -x
	case 2:
		return fmt.Sprintf("−%d.", a), -x
	case 3:
		return fmt.Sprintf("+%d.%03d", a, b), point
	case 4:
		return fmt.Sprintf(".%d", b), math.NaN()
	case 5:
		return fmt.Sprintf("%d,%03d", a, b), math.NaN()
	case 6:
		return fmt.Sprintf("%d_%03d", a, b), math.NaN()
	case 7:
		return fmt.Sprintf("%d’%03d", a, b), math.NaN()
	case 8:
		return fmt.Sprintf("%d.e-%02d", a, b%300+1), math.NaN()
	case 9:
		return fmt.Sprintf("%de%+03d", a, b%300+1), math.NaN()
	case 10:
		return fmt.Sprintf("0.%dD+%02d", a, b), math.NaN()
	case 11:
		return fmt.Sprintf("%#x", a), math.NaN()
	case 12:
		return fmt.Sprintf("%x", -y-0.5), math.NaN()
	case 13:
		return fmt.Sprintf("%d:%02d", a, b%60), math.NaN()
	case 14:
		return time.Duration(1 + uint64(a)*uint64(b)*977).String(), math.NaN()
	case 15:
		return fmt.Sprintf("%dk", a), math.NaN()
	case 16:
		return fmt.Sprintf("0.%d-%03d", a, 100+b%200), math.NaN()
	case 17:
		return "nan", math.NaN()
	case 18:
		return fmt.Sprintf("%d × 10^%d", a, b), math.NaN()
	case 19:
		return fmt.Sprintf("%d**%d", a, b), math.NaN()
	case 20:
		return fmt.Sprintf("%d E%d", a, b), math.NaN()
	case 21:
		return fmt.Sprintf("%d million", a), math.NaN()
	case 22:
		return fmt.Sprintf("%d %03d", 1+a%999, b%1000), math.NaN()
	}
	return fmt.Sprintf("%d\u2009%03d", 1+a%999, b%1000), math.NaN()
}

// However a number is spelled, a pattern reads all of it or is faulted. NaN
// stands for one that these patterns cannot read.
func FuzzCut(f *testing.F) {
	for way := range uint8(24) {
		f.Add(uint16(9), uint16(7), way)
		f.Add(uint16(0), uint16(999), way)
	}
	least := -1e9
	patterns := []string{`v (?P<value>\d+)`, `v (?P<value>[0-9.]+)`, `v.*?(?P<value>\d+)`, `v\D*(?P<value>\d+)`, `v.*?(?P<value>[0-9.]+)`, `(?P<value>\d+) end`, `(?P<value>[-+]?\d+) end`}
	f.Fuzz(func(t *testing.T, a, b uint16, way uint8) {
		text, value := spelled(a, b, way)
		for _, pattern := range patterns {
			if way%24 > 17 && !strings.HasPrefix(pattern, "v") {
				continue // in front of a number its own blank separates it
			}
			r := judge(t, Bar{Metric: "m", Min: &least}, pattern, "", "v "+text+" end")
			if r.State != Held || r.Worst.Value == value {
				continue
			}
			if whole, err := parse(text, ""); err != nil || whole != r.Worst.Value {
				t.Errorf("%s reads %q out of %q", pattern, r.Worst.Text, text)
			}
		}
	})
}
