package ab

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gpuci/gates/history"
)

// A later decision takes the place of what cannot stand beside it, and of nothing else.
func TestReplaces(t *testing.T) {
	early := history.Decision{ID: "a", Gate: "speed", At: time.Now(), Verdict: "win", Metric: "step-ms", Flags: []string{"env:FUSED=1", "env:TILE=8"}}
	edit := func(d *history.Decision, to string) {
		body, err := json.Marshal(Arm{Name: "x", Edits: []Edit{{File: "Makefile", From: "-O1", To: to}}})
		if err != nil {
			t.Fatal(err)
		}
		d.Arm.Body, d.Base.Body, d.Flags = body, []byte("{}"), []string{"config:Makefile:" + to}
	}
	for name, c := range map[string]struct {
		make func(d, early *history.Decision)
		want string
	}{
		"looked at again":        {func(d, _ *history.Decision) { d.Again, d.Flags = "a", nil }, "looked at again"},
		"the same flags":         {func(d, e *history.Decision) { d.Flags, d.Verdict = []string{e.Flags[1], e.Flags[0]}, "tie" }, "the same flags"},
		"by another metric":      {func(d, e *history.Decision) { d.Flags, d.Metric = e.Flags, "bytes" }, ""},
		"another value":          {func(d, _ *history.Decision) { d.Metric = "bytes" }, "env:FUSED=2 takes the place of env:FUSED=1"},
		"another value, no win":  {func(d, _ *history.Decision) { d.Verdict = "worse" }, ""},
		"beside what was no win": {func(_, e *history.Decision) { e.Verdict = "tie" }, ""},
		"another gate":           {func(d, _ *history.Decision) { d.Gate = "size" }, ""},
		"earlier":                {func(d, e *history.Decision) { d.At = e.At.Add(-time.Hour) }, ""},
		"another variable":       {func(d, _ *history.Decision) { d.Flags = []string{"env:FUSED2=1"} }, ""},
		"another word":           {func(d, e *history.Decision) { d.Flags, e.Flags = []string{"arg:--a=1"}, []string{"arg:--a=2"} }, ""},
		"another edit":           {func(d, e *history.Decision) { edit(d, "-O3"); edit(e, "-O2") }, `"-O3" takes the place of "-O2" in Makefile`},
		"an edit inside it":      {func(d, e *history.Decision) { edit(d, "-O2 -g"); edit(e, "-O2") }, ""},
	} {
		e, d := early, early
		d.ID, d.At, d.Flags = "b", e.At.Add(time.Hour), []string{"env:FUSED=2"}
		c.make(&d, &e)
		if got := Replaces(d, e); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
