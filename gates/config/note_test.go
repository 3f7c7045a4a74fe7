package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestEveryKeyOfNotes spells out what the round trip cannot see.
func TestEveryKeyOfNotes(t *testing.T) {
	c, _ := loadGood(t, "every-key.toml")
	until := time.Date(2026, 12, 15, 0, 0, 0, 0, time.UTC)
	want := []Note{
		{
			Text: `it\ does "not" reach`, Owner: "the kernels people", About: "every.key_1", WhileRed: "next",
			WhileUnchanged: []string{"src/oracle", "a.cu"}, Since: "3ab57a0", Until: until,
			Expects: "step-ms - fwd-ms < 2e-5 && bwd-ms > 1",
		},
		{Text: "a file", Owner: "x", About: "src/a.cu", Until: until},
	}
	for _, key := range []string{"note.1.text", "note.2.text"} {
		if o, ok := c.Origin(key); !ok || o.Line == 0 {
			t.Errorf("%s stands on no line", key)
		}
	}
	if d := cmp.Diff(want, c.Notes); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestPrediction: names with - and . in them, numbers that look like names, and
// every value of a metric counting.
func TestPrediction(t *testing.T) {
	v := func(values ...string) []string { return values }
	values := map[string][]string{"n": v("-1", "0", "1"), "adam-ms": v("20", "40"), "fwd.a-b": v("1"), "x": v("1e-05", "2e-05"), "e": v("5")}
	for _, c := range []struct {
		text, names string
		held        bool
		wrong       string
	}{
		{"adam-ms < 41", "adam-ms", true, ""},
		{"adam-ms < 30", "adam-ms", false, ""},
		{"adam-ms > 30", "adam-ms", false, ""},
		{"adam-ms - fwd.a-b < 40", "adam-ms fwd.a-b", true, ""},
		{"x<=2e-5&&x>=1e-5", "x", true, ""},
		{"e-5 < 1", "e-5", false, "e-5 was not printed"},
		{"e -5 == 0", "e", true, ""},
		{"2*e == 10.0", "e", true, ""},
		{"nothing < 1", "nothing", false, "nothing was not printed"},
		{"n != 0", "n", false, ""},
		{"n < 1 || n > 3", "n", false, ""},
		{"n != 0.5", "n", true, ""},
	} {
		p, err := ParsePrediction(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		held, err := p.Holds(values)
		if held != c.held || (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) || strings.Join(p.Metrics(), " ") != c.names {
			t.Errorf("%s: %v, %v, of %q", c.text, held, err, p.Metrics())
		}
	}
	for _, text := range []string{"", "a", "1 < 2", "a == a", "a-b == a.b", "a < b < c", "a+b+c+d+e+f+g > 0", "step-ms == \x00"} {
		if _, err := ParsePrediction(text); err == nil {
			t.Errorf("%q is taken for a prediction", text)
		}
	}
}

// FuzzPrediction: what is taken holds or not for any numbers, and never both for the
// same ones.
func FuzzPrediction(f *testing.F) {
	for _, s := range []string{"adam-ms < 30", "a.b-c - d >= 2e-5 || !(x == 1)", "e-5 < 1e-5", "-a--b<.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePrediction(text)
		if err != nil {
			return
		}
		values := make(map[string][]string)
		for _, name := range p.Metrics() {
			if !isWord(name) || !strings.Contains(text, name) {
				t.Fatalf("%q is no metric of %q", name, text)
			}
			values[name] = []string{"1", "2"}
		}
		one, err := p.Holds(values)
		if two, again := p.Holds(values); one != two || (err == nil) != (again == nil) {
			t.Fatalf("%q: %v, %v", text, one, two)
		}
		if !slices.IsSorted(p.Metrics()) {
			t.Fatal(p.Metrics())
		}
	})
}
