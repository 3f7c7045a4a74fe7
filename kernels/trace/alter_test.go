package trace

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// TestGraphsAltered goes all the way: kernels of a graph are counted by the name that was
// captured until it, or what it is made of, may be another.
func TestGraphsAltered(t *testing.T) {
	capture := []string{"init", "device 0", "begin s", "launch k 1 1 s", "finish s g"}
	const unknown = "1 launches were of graphs whose kernels are not known by name"
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"as captured":            {[]string{"instantiate g e", "replay e s"}, "1 1 1 of 1"},
		"made elsewhere":         {[]string{"make h", "instantiate h e", "replay e s"}, unknown},
		"updated":                {[]string{"instantiate g e", "update e g", "replay e s"}, unknown},
		"another one is":         {[]string{"instantiate g e", "instantiate g f", "update f g", "replay e s"}, "1 1 1 of 1"},
		"not updated":            {[]string{"instantiate g e", "fail cuGraphExecUpdate_v2 910", "update e g", "replay e s"}, "1 1 1 of 1"},
		"a node changed":         {[]string{"change", "instantiate g e", "replay e s"}, unknown},
		"changed later":          {[]string{"instantiate g e", "change", "replay e s"}, "1 1 1 of 1"},
		"a kernel of it is":      {[]string{"instantiate g e", "other e", "replay e s"}, unknown},
		"switched off":           {[]string{"instantiate g e", "replay e s", "switch e", "replay e s"}, "1 launches were of graphs of which it is not known how many nodes ran"},
		"not switched":           {[]string{"instantiate g e", "fail cuGraphNodeSetEnabled 1", "switch e", "replay e s"}, "1 1 1 of 1"},
		"another one switched":   {[]string{"instantiate g e", "instantiate g f", "switch f", "replay e s"}, "1 1 1 of 1"},
		"switched, of no number": {[]string{"instantiate g e", "switch none", "replay e s"}, "1 launches were of graphs of which it is not known how many nodes ran"},
		"of no number":           {[]string{"instantiate g e", "update none g", "replay e s"}, unknown},
	} {
		p := play(t, tracetest.Start(t, tracetest.Options{}), append(append([]string{}, capture...), c.lines...)...)
		m, err := p.Measure(t.Context(), Counting{}, []Wanted{{graphNodes, WholeRun, regexp.MustCompile("^k$")}, {graphNodes, WholeRun, nil}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Run(name, func(t *testing.T) { wantFigure(t, name, m.Figures[0], c.want) })
		if c.want != unknown { // how many is known where which is not
			t.Run(name+", all", func(t *testing.T) { wantFigure(t, name, m.Figures[1], c.want) })
		}
	}
}

// TestUnsureGraphs: a report and a difference say that kernels in graphs are not exact.
func TestUnsureGraphs(t *testing.T) {
	lines := []string{"init", "device 0", "begin s", "launch k 1 1 s", "launch k 1 1 s", "finish s g", "instantiate g e", "replay e s"}
	reports := make([]Report, 2)
	for i, more := range [][]string{nil, {"switch e", "replay e s"}} {
		p := play(t, tracetest.Start(t, tracetest.Options{}), append(slices.Clone(lines), more...)...)
		var err error
		if reports[i], err = NewReport(t.Context(), p.Recording, nil, Counting{}); err != nil {
			t.Fatal(err)
		}
	}
	says := func(r Report) bool {
		return slices.ContainsFunc(r.Processes[0].Findings, func(f Finding) bool {
			return f.Kind == "unsure-nodes" && strings.Contains(f.Text, "how many ran in 1 of its 2 launches is not known")
		})
	}
	if says(reports[0]) || !says(reports[1]) {
		t.Errorf("%+v\n%+v", reports[0].Processes[0].Findings, reports[1].Processes[0].Findings)
	}
	d := Diff(reports[0], reports[1])
	if text := strings.Join(strings.Fields(diffText(t, d)), " "); d.Processes[0].UnsureA != 0 || d.Processes[0].UnsureB != 1 || !strings.Contains(text, "kernels in graphs are not exact in B: of 1 graph launch it") {
		t.Errorf("%+v\n%s", d, text)
	}
}
