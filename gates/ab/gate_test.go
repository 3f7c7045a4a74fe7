package ab

import (
	"strings"
	"testing"

	"gpuci/gates"
	"gpuci/gates/config"
)

// An arm is checked by all that is right or wrong, and not by its times; a sample is not
// built, not repeated and not counted by the atlas.
func TestChecked(t *testing.T) {
	most := 1.0
	g := config.Gate{
		Name: "speed", Expect: "red", Build: []config.Command{{Argv: []string{"make"}}}, Run: []config.Command{{Argv: []string{"./a"}}, {Argv: []string{"./b"}}},
		Repeat: &config.Repeat{Times: 2}, Trace: &config.Trace{}, Faults: []config.Fault{{Name: "f"}},
		Bars: []config.Bar{
			{Metric: "rel", Max: &most}, {Metric: "step-ms", Max: &most, Pattern: "x"}, {Metric: "gain", Max: &most},
			{Metric: "launches", Max: &most, Atlas: &config.Atlas{}},
		},
		Witnesses: []config.Witness{{Holds: "a > 0"}, {Holds: "launches > 0", Source: config.SourceTrace}},
	}
	s := &session{o: Options{Gate: g}, journal: &Journal{Log: Log{Session: Session{Wanted: []Wanted{{Name: "gain n=1"}, {Name: "rel", Quality: true}}}}}}
	got, err := s.checked(&side{Arm: Arm{Name: "a", Args: []string{"--fast"}}})
	if err != nil {
		t.Fatal(err)
	}
	names := func(g config.Gate) string {
		var out []string
		for _, b := range g.Bars {
			out = append(out, b.Metric)
		}
		return strings.Join(out, " ")
	}
	if names(got) != "rel launches" || len(got.Metrics) != 1 || got.Metrics[0].Name != "step-ms" || got.Expect != "" || got.Faults != nil || got.Repeat == nil {
		t.Errorf("%s, %+v", names(got), got)
	}
	if strings.Join(got.Run[1].Argv, " ") != "./b --fast" || len(g.Run[1].Argv) != 1 {
		t.Errorf("%+v, of %+v", got.Run, g.Run)
	}
	one := sampled(got)
	if names(one) != "rel" || len(one.Witnesses) != 1 || one.Build != nil || one.Repeat != nil || one.Trace != nil || names(got) != "rel launches" || len(got.Witnesses) != 2 {
		t.Errorf("%s, %+v", names(one), one)
	}
	if !counted(g, "launches") || counted(g, "rel") {
		t.Error("what the atlas counts is not told")
	}
	if err := Check(g, nil); err == nil || !strings.Contains(err.Error(), "known red") {
		t.Error(err)
	}
	g.Expect, g.Profile = "", "debug"
	if err := Check(g, nil); err == nil || !strings.Contains(err.Error(), "debug") {
		t.Error(err)
	}
	if err := Check(g, []Wanted{{Name: "rel"}}); err != nil {
		t.Error(err)
	}
}

// What the disk had no place for is no fault of the arm: the comparison is gone on with.
func TestUnwritten(t *testing.T) {
	full := gates.Verdict{Outcome: gates.Broken, Unwritten: true, Findings: []gates.Finding{{Outcome: gates.Broken, Text: "no space left"}}}
	wrong := gates.Verdict{Outcome: gates.Broken, Findings: full.Findings}
	for want, v := range map[string]gates.Verdict{Stopped: full, Failed: wrong} {
		s := &session{journal: &Journal{Log: Log{Session: someSession()}}, report: &Report{}}
		if s.right(&side{Arm: Arm{Name: "a"}}, v, " in round 3") || s.report.End.State != want || s.report.Exit != gates.Broken.ExitCode() || !strings.Contains(s.report.End.Why, "no space left") {
			t.Errorf("%s: %+v", want, s.report)
		}
		if l := (Log{End: &s.report.End}); l.Unfinished() != (want == Stopped) {
			t.Errorf("%s: %v", want, l.Unfinished())
		}
	}
}

// A run that somebody disturbed counts for nothing, by what the machine says and not by
// its number.
func TestDisturbed(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	s := &session{journal: &Journal{Log: Log{Metrics: []Metric{clock(Wall)}}}}
	for _, c := range []struct {
		v    gates.Verdict
		want string
	}{
		{gates.Verdict{Outcome: gates.Green}, ""},
		{gates.Verdict{Outcome: gates.Refused, Owed: &gates.Owed{Why: gates.OweContended}}, Contended},
		{gates.Verdict{Outcome: gates.Refused, Owed: &gates.Owed{Why: gates.OweBox}}, Stalled},
		{gates.Verdict{Outcome: gates.Refused, Owed: &gates.Owed{Why: gates.OweCard}}, ""},
		{gates.Verdict{Outcome: gates.Green, Beside: &gates.Beside{IOFull: share(0.5), OwnIOFull: share(0.1)}}, Stalled},
		{gates.Verdict{Outcome: gates.Green, Beside: &gates.Beside{IOFull: share(0.5), OwnIOFull: share(0.4)}}, ""},
		{gates.Verdict{Outcome: gates.Green, Beside: &gates.Beside{IOFull: share(0.5)}}, Stalled},
		{gates.Verdict{Outcome: gates.Green, Beside: &gates.Beside{MemoryFull: share(0.2)}}, Stalled},
		{gates.Verdict{Outcome: gates.Green, Beside: &gates.Beside{OthersCPU: share(1)}}, ""},
	} {
		if got, why := s.disturbed(c.v); got != c.want || (got != "" && got != Contended && got != Stalled) {
			t.Errorf("%+v: %q (%s), want %q", c.v, got, why, c.want)
		}
	}
	s.journal.Log.Metrics = []Metric{{}} // where no time is compared, the disk does not matter
	if got, _ := s.disturbed(gates.Verdict{Outcome: gates.Green, Beside: &gates.Beside{MemoryFull: share(0.2)}}); got != "" {
		t.Error(got)
	}
}
