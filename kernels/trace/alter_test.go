package trace

import (
	"regexp"
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
		"as captured":    {[]string{"instantiate g e", "replay e s"}, "1 1 1 of 1"},
		"made elsewhere": {[]string{"make h", "instantiate h e", "replay e s"}, unknown},
		"updated":        {[]string{"instantiate g e", "update e g", "replay e s"}, unknown},
		"another one is": {[]string{"instantiate g e", "instantiate g f", "update f g", "replay e s"}, "1 1 1 of 1"},
		"not updated":    {[]string{"instantiate g e", "fail cuGraphExecUpdate_v2 910", "update e g", "replay e s"}, "1 1 1 of 1"},
		"a node changed": {[]string{"change", "instantiate g e", "replay e s"}, unknown},
		"changed later":  {[]string{"instantiate g e", "change", "replay e s"}, "1 1 1 of 1"},
		"of no number":   {[]string{"instantiate g e", "update none g", "replay e s"}, unknown},
	} {
		p := play(t, tracetest.Start(t, tracetest.Options{}), append(append([]string{}, capture...), c.lines...)...)
		m, err := p.Measure(Counting{}, []Wanted{{graphNodes, WholeRun, regexp.MustCompile("^k$")}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Run(name, func(t *testing.T) { wantFigure(t, name, m.Figures[0], c.want) })
	}
}
