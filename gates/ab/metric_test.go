package ab

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

func printed(list ...metric.Sample) (out []number) {
	for _, s := range list {
		out = append(out, number{keyOf(s), s})
	}
	return out
}

func namesOf(list []Metric) string {
	var out []string
	for _, m := range list {
		text := m.Name + ":" + string(m.Better)
		if m.Quality {
			text += ":quality"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestChoose(t *testing.T) {
	max, min := 1.0, 2.0
	g := config.Gate{Bars: []config.Bar{{Metric: "rel", Max: &max}, {Metric: "tokens-per-second", Min: &min}}}
	numbers := printed(
		metric.Sample{Metric: "step-ms", Value: 3, Labels: map[string]string{"step": "0", "n": "4"}},
		metric.Sample{Metric: "step-ms", Value: 1, Labels: map[string]string{"step": "1", "n": "4"}},
		metric.Sample{Metric: "step-ms", Value: 2, Labels: map[string]string{"n": "8"}},
		metric.Sample{Metric: "rel", Value: 1e-6}, metric.Sample{Metric: "loss", Value: 2}, metric.Sample{Metric: "tokens-per-second", Value: 9},
		metric.Sample{Metric: "odd", Value: 9},
	)
	for _, c := range []struct {
		wanted []Wanted
		want   string
	}{
		{nil, "step-ms n=4:lower, step-ms n=8:lower, tokens-per-second:higher"},
		{[]Wanted{{Name: "loss", Quality: true}, {Name: "step-ms n=8"}}, "step-ms n=8:lower, loss:lower:quality"},
		{[]Wanted{{Name: "rel"}, {Name: "odd", Better: judge.Higher}, {Name: CPU}}, "rel:lower, odd:higher, run-cpu:lower"},
		{[]Wanted{{Name: "odd"}}, "whether less or more of odd is better is not said"},
		{[]Wanted{{Name: "gone"}}, "the gate prints no metric gone; there is step-ms n=4, step-ms n=8"},
		{[]Wanted{{Name: "gone", Quality: true, Ruled: true}, {Name: "loss", Quality: true, Ruled: true}, {Name: CPU, Ruled: true}}, "run-cpu:lower, loss:lower:quality"},
	} {
		got, lacking, err := choose(g, c.wanted, numbers)
		if want := len(c.wanted) > 0 && c.wanted[0].Ruled; want != slices.Equal(lacking, []string{"gone"}) {
			t.Errorf("%+v: lacking %q", c.wanted, lacking)
		}
		if err != nil && !strings.HasPrefix(err.Error(), c.want) || err == nil && namesOf(got) != c.want {
			t.Errorf("%+v: %s, %v", c.wanted, namesOf(got), err)
		}
	}
	for _, c := range []struct {
		wanted Wanted
		next   string
	}{
		{Wanted{Name: "gone"}, "name one of these by --metric"}, {Wanted{Name: "gone", Quality: true}, "name one of these by --quality"},
		{Wanted{Name: "odd"}, "say it by --metric 'odd:higher' or ':lower'"},
	} {
		arm := (*ArmError)(nil)
		if _, _, err := choose(g, []Wanted{c.wanted}, numbers); !errors.As(err, &arm) || arm.Next != c.next {
			t.Errorf("%+v: %v, %+v", c.wanted, err, arm)
		}
	}
	if got, _, err := choose(config.Gate{}, nil, printed(metric.Sample{Metric: "rel", Value: 1})); err != nil || namesOf(got) != "run-wall:lower" {
		t.Errorf("without a time: %s, %v", namesOf(got), err)
	}
}

// The first numbers are for warming up; the median of the rest stands for a run, and of
// a quality the last.
func TestRead(t *testing.T) {
	var list []metric.Sample
	for _, v := range []float64{90, 5, 1, 2, 40} {
		list = append(list, metric.Sample{Metric: "x", Value: v})
	}
	numbers := printed(list...)
	for _, c := range []struct {
		quality bool
		warm    int
		want    reading
	}{{false, 0, reading{5, 5}}, {false, 1, reading{3.5, 4}}, {false, 4, reading{40, 1}}, {false, 5, reading{}}, {true, 5, reading{40, 1}}} {
		m := Metric{Metric: judge.Metric{Name: "x", Quality: c.quality}}
		got, err := m.read(numbers, nil, c.warm)
		if got != c.want || (err != nil) != (c.want.steps == 0) {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	if got, err := clock(Wall).read(nil, map[string]float64{Wall: 2}, 3); err != nil || got.value != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// What an arm prints in another unit than the base does is no number of the same metric:
// 0.1 s is not a thousandth of 100 ms.
func TestReadUnit(t *testing.T) {
	base := printed(metric.Sample{Metric: "step", Value: 100, Unit: "ms"})
	list, _, err := choose(config.Gate{}, []Wanted{{Name: "step"}}, base)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if got, err := list[0].read(base, nil, 0); err != nil || got.value != 100 {
		t.Errorf("%+v, %v", got, err)
	}
	for unit, want := range map[string]string{"s": "step is printed in s, and by the base in ms", "": "step is printed in no unit, and by the base in ms"} {
		got, err := list[0].read(printed(metric.Sample{Metric: "step", Value: 0.1, Unit: unit}), nil, 0)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %+v, %v", unit, got, err)
		}
	}
}

// Behind a metric's name stands which way it is better, and the least difference that
// counts, in either order and each once.
func TestParseWanted(t *testing.T) {
	for text, want := range map[string]Wanted{
		"loss": {Name: "loss"}, "loss:lower": {Name: "loss", Better: judge.Lower}, "acc:higher:0.5%": {Name: "acc", Better: judge.Higher, Least: 0.005},
		"acc:2%:higher": {Name: "acc", Better: judge.Higher, Least: 0.02}, "rel term=d_g:2%": {Name: "rel term=d_g", Least: 0.02},
	} {
		if got, err := ParseWanted(text, false); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ":lower", "loss:", "loss:up", "loss:lower:higher", "loss:1%:2%", "loss:0%", "loss:100%", "loss:-1%", "loss:NaN%", "loss:%"} {
		if got, err := ParseWanted(text, true); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// A quality is judged by the least difference that was named for it.
func TestQualityLeast(t *testing.T) {
	l := Log{Session: someSession()}
	l.Rule.Rule = judge.Rule{Samples: 40, Most: 40}
	for n := range 20 {
		for i, p := range l.Plan.Round(n) {
			loss, ms := 1+0.0001*float64((n*7+i*3)%5), 1+0.001*float64((n*3+i*5)%7)
			if p.Arm == "b" {
				loss, ms = loss*1.02, ms*0.9
			}
			x := sampleAt(p, ms)
			x.Values["loss"] = loss
			l.Samples = append(l.Samples, *x)
		}
	}
	for least, want := range map[float64]judge.Verdict{0: judge.WinLosesQuality, 0.05: judge.Win} {
		l.Metrics = []Metric{{judge.Metric{Name: "ms", Better: judge.Lower}, true}, {judge.Metric{Name: "loss", Better: judge.Lower, Quality: true, Least: least}, false}}
		if got := ReportOf(l).Judged; got.Verdict != want {
			t.Errorf("%v: %s: %s", least, got.Verdict, got.Why)
		}
	}
}
