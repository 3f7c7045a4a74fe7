package proc

import (
	"testing"
	"time"
)

func TestParseFullTotal(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=9\nfull avg10=1.00 avg60=0.00 avg300=0.00 total=1500000\n": 1500 * time.Millisecond,
		"full total=0 more=1\n": 0,
		"some total=3\n":        -1, "full avg10=0\n": -1, "": -1, "full total=x\n": -1, "full total=-1\n": -1, "full total=9223372036854775807\n": -1,
	} {
		got, ok := parseFullTotal(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %s, %v", text, got, ok)
		}
	}
}

func FuzzParseFullTotal(f *testing.F) {
	f.Add("full avg10=1.00 avg60=0.00 avg300=0.00 total=15\n")
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := parseFullTotal(text); d < 0 || !ok && d != 0 {
			t.Errorf("%q: %s, %v", text, d, ok)
		}
	})
}
