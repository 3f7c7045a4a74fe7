package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/launch"
)

// TestFindings: one defect that many cases show is one finding, at its place; a kind
// that nobody looked for counts as those that somebody did.
func TestFindings(t *testing.T) {
	race := launch.Finding{
		Kind: launch.Race, Kernel: "k", File: "a.cu", Line: 8, Threads: [][3]int{{1}, {0}}, Memory: "shared+4", Count: 3,
		Other: launch.Place{File: "a.cu", Line: 6},
	}
	elsewhere := race
	elsewhere.Other.Line = 7
	unwritten := launch.Finding{Kind: launch.Unwritten, Memory: "out[5]", Count: 2}
	again := unwritten
	again.Memory = "out[9]"
	var r Report
	r.found("one", []launch.Finding{race, elsewhere, unwritten})
	r.found("two", []launch.Finding{race, race, again})
	var got []string
	for _, n := range r.findings([]launch.Kind{launch.Race, launch.Deadlock}) {
		got = append(got, Report{Numbers: []Number{n}}.Lines()...)
	}
	want := []string{
		"gpuci:metric name=findings value=2 kind=race kernel=k at=a.cu:8 and=a.cu:6 memory=shared+4 threads=(1,0,0),(0,0,0) case=one",
		"gpuci:metric name=findings value=0 kind=deadlock",
		"gpuci:metric name=findings value=1 kind=unwritten memory=out[5] case=one",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Findings[0].Cases != 2 || r.Findings[1].Cases != 1 || r.Findings[2].Cases != 2 {
		t.Errorf("%+v", r.Findings)
	}
	text, err := json.Marshal(r.Findings[0])
	if err != nil || !strings.Contains(string(text), `"other":{"file":"a.cu","line":6,"block":[0,0,0],"thread":[0,0,0]}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestOrderSays: what another order changes has its term, place and case.
func TestOrderSays(t *testing.T) {
	job := launch.Job{Buffers: []launch.Buffer{{Name: "scratch", Role: launch.Scratch}, {Name: "d_q", Role: launch.Output}}}
	a := launch.Result{Buffers: map[string][]float32{"scratch": {1, 2}, "d_q": {1, 2, 3}}}
	b := launch.Result{Buffers: map[string][]float32{"scratch": {0, 2}, "d_q": {1, 2, 4}}}
	var d differ
	d.add(differing("same", job, a, a))
	d.add(differing("tail", job, a, b))
	if got := (Report{Numbers: []Number{d.number(orderName, "fused-race")}}).Lines()[0]; got != "gpuci:metric name=order-differences value=2 first=d_q[2] case=tail see=fused-race" {
		t.Error(got)
	}
	delete(b.Buffers, "d_q")
	if d := differing("lost", job, a, b); d.elements != 4 {
		t.Errorf("%+v", d)
	}
}

// TestNotJudged: fast functions are found in sources and what they include, and not in
// comments or longer names.
func TestNotJudged(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.cu":  "#include \"b.cuh\"\n#include \"not-here.h\"\n// __expf\n/* __logf\n*/ float x = __expf(1); // __powf\nint my__expf, __expfx; const char *s = \"__expf // \";\n",
		"b.cuh": "#include \"a.cu\"\n#define DIV __fdividef\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := notJudged([]string{filepath.Join(dir, "a.cu")})
	var got []string
	for _, f := range list {
		got = append(got, at(f.File, f.Line)+" "+f.Memory)
	}
	if diff := cmp.Diff([]string{"a.cu:5 __expf", "b.cuh:2 __fdividef"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for flag, want := range map[string]bool{"-use_fast_math": true, "--use_fast_math": true, "-prec-div=false": true, "-prec-div=true": false, "-O3": false, "--ftz=true": true} {
		if Fast(flag) != want {
			t.Errorf("%s: %t", flag, !want)
		}
	}
}

// TestChosen: patterns choose checks, each once, and a name of none says so.
func TestChosen(t *testing.T) {
	list, err := Named([]string{"fused-r*", "fused-race", "rmsnorm"})
	if err != nil || len(list) != 2 || list[0].Name != "fused-race" || list[1].Name != "rmsnorm" {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := Named([]string{"fused-rice"}); err == nil || err.Error() != `there is no check "fused-rice"` {
		t.Errorf("%v", err)
	}
	for _, c := range Checks() {
		if names, err := c.CaseNames(Options{Fixture: committed}); err != nil || len(names) < 4 && c.Only != OnCUDA || len(names) == 0 {
			t.Errorf("%s has the cases %v: %v", c.Name, names, err)
		}
	}
}

// TestWrapped: no line is wider than it may be, but for a word that is.
func TestWrapped(t *testing.T) {
	if got := Wrapped("a bb ccc dddddddd e", 5); got != "a bb\nccc\ndddddddd\ne" {
		t.Errorf("%q", got)
	}
}
