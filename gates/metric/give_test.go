package metric

import "testing"

// TestGiveAll: each of the numbers counts, though only the extremes are told.
func TestGiveAll(t *testing.T) {
	var seen int
	c, err := New([]Spec{{Metric: "launches", Unit: "count"}, {Metric: "copies"}, {Metric: "syncs"}}, func(Sample) { seen++ })
	if err != nil {
		t.Fatal(err)
	}
	step := map[string]string{"stage": "step"}
	c.GiveAll(Sample{Metric: "launches", Text: "54", Labels: step}, Sample{Metric: "launches", Text: "56", Labels: step}, 35)
	c.GiveAll(Sample{Metric: "copies", Text: "1"}, Sample{Metric: "copies", Text: "1"}, 35)
	c.Miss("syncs", "its size is not known")
	most, least := 55.0, 1.0
	r := c.Judge(Bar{Metric: "launches", Max: &most, MinMatches: 35})
	if r.State != Crossed || r.Matches != 35 || r.Worst.Value != 56 || r.Why[0] != "56 is above 55 (stage=step)" {
		t.Errorf("%+v", r)
	}
	if r := c.Judge(Bar{Metric: "copies", Min: &least, Max: &least, MinMatches: 36}); r.State != Unreadable || r.Matches != 35 {
		t.Errorf("%+v", r)
	}
	if r := c.Judge(Bar{Metric: "syncs", Max: &most}); r.State != Unreadable || r.Why[0] != "its size is not known" || r.Printed {
		t.Errorf("%+v", r)
	}
	if s := c.Series("launches"); len(s) != 1 || s[0].Count != 35 || s[0].Low != 54 || s[0].High != 56 || seen != 3 {
		t.Errorf("%+v, %d", s, seen)
	}
}

// TestGivenAndPrinted: a number that is counted is none that is printed.
func TestGivenAndPrinted(t *testing.T) {
	c, err := New([]Spec{{Metric: "launches", Given: true}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Line([]byte("gpuci:metric name=launches value=3"))
	c.GiveAll(Sample{Metric: "launches", Text: "3"}, Sample{Metric: "launches", Text: "3"}, 2)
	most := 3.0
	if r := c.Judge(Bar{Metric: "launches", Max: &most}); r.State != Unreadable || r.Why[0] != printedToo {
		t.Errorf("%+v", r)
	}
}
