package trace

import (
	"errors"
	"strings"
	"testing"
)

// TestAskedInVain: what a report was to be counted by and does not have is said with what
// there is, by whoever asked for it, and all is counted without.
func TestAskedInVain(t *testing.T) {
	for _, c := range []struct {
		how   Counting
		run   Meta
		unmet string // "": nothing is said to the caller
		note  string
	}{
		{Counting{Warm: 39}, Meta{}, "", ""},
		{Counting{Warm: 40}, Meta{}, "set the first 40 steps apart: no stage has more; there are step with 40", "none is set apart"},
		{Counting{Warm: 100}, Meta{Warm: 3}, "no stage has more; there are step with 40", "none is set apart"},
		{Counting{}, Meta{Warm: 100}, "", "set the first 100 steps apart: no stage has more; there are step with 40; none is set apart"},
		{Counting{Range: "step"}, Meta{}, "", ""},
		{Counting{Range: "stop"}, Meta{}, `count by the range "stop": no call of CUDA was in one; there are "step" (40 times)`, "counted without it"},
		{Counting{}, Meta{Range: "stop"}, "", `there are "step" (40 times); the steps are counted without it`},
		{Counting{}, Meta{Pattern: `step (\d+)`}, "", `no line of its output fits --step "step (\\d+)"`},
	} {
		r, err := ReadDir("testdata/h200/eager")
		if err != nil {
			t.Fatal(err)
		}
		report, err := NewReport(t.Context(), r, &c.run, c.how)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		if err := report.Unmet(); err != nil {
			said = err.Error()
		}
		notes := strings.Join(report.Notes, "\n")
		if !strings.Contains(said, c.unmet) || (said != "") != (c.unmet != "") || !strings.Contains(notes, c.note) || (notes != "") != (c.note != "") {
			t.Errorf("%+v of a run with %+v: %q, noted %q", c.how, c.run, said, notes)
		}
		if s := report.stage(t, "step"); s.Steps != 40 || s.Counts[Launches].Low != 55 {
			t.Errorf("%+v: %d steps, %+v", c.how, s.Steps, s.Counts[Launches])
		}
	}
}

// TestAskedOfOneStage: a program without ranges has no steps to set apart, and no ranges.
func TestAskedOfOneStage(t *testing.T) {
	f := newForge(t)
	f.launch(f.kernel("k", 1))
	var few *FewSteps
	if err := f.report(Counting{Warm: 3}).Unmet(); !errors.As(err, &few) || !strings.Contains(err.Error(), "it has none") {
		t.Errorf("%v", err)
	}
	var none *NoRange
	if err := f.report(Counting{Range: "step"}).Unmet(); !errors.As(err, &none) || !strings.Contains(err.Error(), "no NVTX ranges") {
		t.Errorf("%v", err)
	}
}

// TestSomeApart: of stages that are shorter than --warm it is said where others are longer.
func TestSomeApart(t *testing.T) {
	f := pretended(t, false) // 30 steps, 3 evaluations
	r := f.report(Counting{Warm: 10})
	if r.Unmet() != nil || r.stage(t, "step").Apart != 10 || r.stage(t, "eval").Apart != 0 {
		t.Errorf("%v, %+v", r.Unmet(), r.Processes[0].Stages)
	}
	if got := r.finding("none-apart"); got != "eval: none of its 3 steps is set apart: --warm 10 would leave none" {
		t.Errorf("%q", got)
	}
	if got := f.report(Counting{}).finding("none-apart"); got != "" {
		t.Errorf("%q", got)
	}
}

// TestOnly: a stage has what stands out of it and of the process, and no other stage's.
func TestOnly(t *testing.T) {
	r, err := pretended(t, true).report(Counting{}).Only("eval")
	if err != nil {
		t.Fatal(err)
	}
	p := r.Processes[0]
	if len(p.Stages) != 1 || p.Stages[0].Name != "eval" || len(p.Findings) == 0 || len(p.Kept) != 0 {
		t.Errorf("%+v", p)
	}
	for _, f := range p.Findings {
		if f.Stage != "eval" {
			t.Errorf("%+v", f)
		}
	}
	var text strings.Builder
	if err := r.Text(&text, Page{}); err != nil || strings.Contains(text.String(), "- step: ") || !strings.Contains(text.String(), "the whole process: 2373 launches") {
		t.Errorf("%v\n%s", err, text.String())
	}
	f := pretended(t, false)
	f.head.EndedAt = 0
	if r, err = f.report(Counting{}).Only("(outside)"); err != nil || len(r.Processes[0].Findings) != 1 || r.Processes[0].Findings[0].Kind != "killed" {
		t.Errorf("%v, %+v", err, r.Processes)
	}
	var none *NoStage
	if _, err := f.report(Counting{}).Only("evil"); !errors.As(err, &none) || !strings.Contains(err.Error(), `there are "(outside)", "step", "eval"`) {
		t.Errorf("%v", err)
	}
}

// TestOnlyOfMany: processes without the stage are not about it.
func TestOnlyOfMany(t *testing.T) {
	dir := t.TempDir()
	for i, f := range []*forge{trained(t, 3, nil), pretended(t, false)} {
		f.head.PID = uint32(100 + i)
		f.write(dir)
	}
	r, err := reportIn(t, dir, Counting{}).Only("eval")
	if err != nil || len(r.Processes) != 1 || r.Processes[0].PID != 101 {
		t.Errorf("%v, %+v", err, r.Processes)
	}
}

// TestOutsideIsNoStep: what was in no range is not called one.
func TestOutsideIsNoStep(t *testing.T) {
	eager, graph := recorded(t, "eager"), recorded(t, "graph")
	only, err := eager.Only("(outside)")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Diff(eager, graph).Only("(outside)")
	if err != nil || d.Same {
		t.Fatal(err, d.Same)
	}
	var a, b strings.Builder
	if err := errors.Join(only.Text(&a, Page{}), d.Text(&b, Page{})); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(a.String(), "share  kernels of ") // the legend above it is of steps
	for _, text := range []string{table, b.String()} {
		if strings.Contains(text, "a step") || strings.Contains(text, "warm step") || !strings.Contains(text, "(outside)") {
			t.Errorf("%s", text)
		}
	}
}
