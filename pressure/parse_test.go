package pressure

import (
	"strings"
	"testing"

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

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		whole, "", "\n", "some\n", "some total=1\n", "some avg10=1e309 avg60=0 avg300=0 total=0\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=9223372036854776\n", "full avg10=0x1p3 avg60=_ avg300=1_0 total=0b1\n",
		"some avg10=1 avg10=2 avg60=0 avg300=0 total=0\nsome avg10=\n",
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
