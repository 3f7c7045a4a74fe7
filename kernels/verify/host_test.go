package verify

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// shipped is the directory of the sources that are judged.
const shipped = "../kda/cuda"

// host is the backend that the tests run on. What it builds is shared by the tests of
// one run, so that each source is compiled once.
func host(t *testing.T, dir, sources string) Host {
	t.Helper()
	for _, name := range []string{"g++", "clang++", "c++"} {
		if _, err := exec.LookPath(name); err == nil {
			return Host{Sources: sources, Dir: dir}
		}
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs g++ or clang++")
	}
	t.Skip("needs g++ or clang++")
	return Host{}
}

// verified runs checks on cases, and gives the reports by the names of checks.
func verified(t *testing.T, h Host, cases string, checks ...string) map[string]Report {
	t.Helper()
	list, err := Named(checks)
	if err != nil {
		t.Fatal(err)
	}
	reports, err := Run(t.Context(), Options{Checks: list, Backends: h, Cases: []string{cases}, Fixture: committed})
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]Report)
	for _, r := range reports {
		byName[r.Check] = r
	}
	if len(byName) != len(checks) {
		t.Fatalf("there are %d reports of %d checks", len(byName), len(checks))
	}
	return byName
}

// TestOnHost runs every check on the shipped kernels, on some of its cases, and then on
// kernels with one defect each.
func TestOnHost(t *testing.T) {
	dir := simttest.Kept(t)
	t.Run("shipped", func(t *testing.T) { shippedHold(t, host(t, dir, shipped)) })
	for _, f := range defects() {
		t.Run(f.name, func(t *testing.T) { f.judge(t, host(t, dir, f.plant(t))) })
	}
	t.Run("card", func(t *testing.T) { onCard(t, host(t, dir, shipped)) })
	t.Run("crash", func(t *testing.T) { crashIsTold(t, host(t, dir, crashing(t))) })
	t.Run("canaries", func(t *testing.T) { canariesAreSeen(t, host(t, dir, shipped)) })
	t.Run("other-inputs", func(t *testing.T) { otherInputs(t, host(t, dir, shipped)) })
}

// shippedHold: everything holds, by the checks' own bars, and the witness says what was
// run.
func shippedHold(t *testing.T, h Host) {
	const once = "path=fused runs=1 forward-launches=1 backward-launches=2 ops-launches=0"
	for _, c := range []struct{ check, cases, witness string }{
		{"fused-adjoint", "*-2", "cases=4/4 compared=67072 nan=0 path=fused runs=8 forward-launches=8 backward-launches=16 ops-launches=0 orders=2"},
		{"fused-launches", "moderate-4", "cases=1/1 " + once},
		{"fused-vs-ops", "*-seed-2", "cases=4/4 compared=102144 nan=0 path=mixed runs=8 forward-launches=4 backward-launches=8 ops-launches="},
		{"fused-fixture", "mild-gdn", "cases=1/1 compared=6480 nan=0 path=fused runs=2 forward-launches=2 backward-launches=4 ops-launches=0 orders=2 fixture-version=1"},
		{"fused-race", "one-past", "cases=1/1 canaries=3/3 " + once},
		{"fused-uninit", "one-past", "cases=1/1 canaries=3/3 " + once},
		{"fused-bounds", "one-past", "cases=1/1 canaries=1/1 " + once},
		{"ns-batched", "low", "cases=1/1 compared=924 nan=0 runs=2 launches=2 orders=2 watched=1 canaries=7/7"},
		{"rmsnorm", "short", "cases=1/1 compared=142 nan=0 runs=2 launches=8 orders=2 watched=1 canaries=7/7"},
	} {
		r := verified(t, h, c.cases, c.check)[c.check]
		j := r.Judge()
		if len(j.Crossed)+len(j.Unknown) > 0 {
			t.Errorf("%s\n%s", r.Text(), j.Text())
		}
		if !strings.Contains(j.Holds, "1 case") && !strings.Contains(j.Holds, "4 cases") || !strings.Contains(j.Holds, r.Tool) {
			t.Errorf("holds: %s", j.Holds)
		}
		if want := "kda-verify check=" + c.check + " backend=host compiler=" + r.Tool + " " + c.witness; r.Tool == "" || !strings.HasPrefix(r.Witness(), want) {
			t.Errorf("witness %s\nwant    %s", r.Witness(), want)
		}
	}
}

// canariesAreSeen: a build that looks at accesses sees all of the wrong kernels, and
// one that does not look misses some, which the report says.
func canariesAreSeen(t *testing.T, h Host) {
	for look, want := range map[Look][]launch.Kind{
		Accesses: nil, Numbers: {launch.Race, launch.Uninitialised, launch.Rewritten, launch.OutOfBounds},
	} {
		b, err := h.Build(t.Context(), canaryProgram(look))
		if err != nil {
			t.Fatal(err)
		}
		if unseen, err := canaries(t.Context(), b, accessKinds()); err != nil || !slices.Equal(unseen, want) {
			t.Errorf("%s does not see %v, want %v: %v", look, unseen, want, err)
		}
	}
	r := Report{Cases: 1, Unseen: []launch.Kind{launch.Race}}
	if j := r.Judge(); len(j.Unknown) != 1 || !strings.Contains(j.Unknown[0], "kind race") {
		t.Errorf("%+v", j)
	}
	if c := boundsCheck(); !slices.ContainsFunc(c.Programs, func(p Program) bool { return p.Look == Bounds && p.Name == "canary" }) {
		t.Error("the look at bounds has no canary")
	}
}

// crashing is a copy of the sources with a kernel that ends its process.
func crashing(t *testing.T) string {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(shipped)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "kda_bk2.cu")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, body, ok := strings.Cut(string(text), "kda_bk2(")
	params, rest, also := strings.Cut(body, "{")
	if !ok || !also {
		t.Fatal("kda_bk2.cu has no kernel kda_bk2")
	}
	text = []byte(head + "kda_bk2(" + params + "{\n  *(volatile float *)8 = 0;" + rest)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// crashIsTold: a kernel that crashes is a failure of its case, with the kernel's name,
// and no number stands for it.
func crashIsTold(t *testing.T, h Host) {
	r := verified(t, h, "mild-2", "fused-adjoint")["fused-adjoint"]
	if len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Text, "kernel kda_bk2 crashed") || r.Cases != 0 || slices.ContainsFunc(r.Numbers, func(n Number) bool { return n.Name != findingsName }) {
		t.Errorf("%+v", r)
	}
	if j := r.Judge(); len(j.Crossed) == 0 || len(j.Unknown) == 0 {
		t.Errorf("%+v", j)
	}
}

// otherInputs: another seed gives other numbers, which hold too, and a context that is
// done ends it.
func otherInputs(t *testing.T, h Host) {
	list, err := Named([]string{"fused-adjoint"})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Checks: list, Backends: h, Cases: []string{"mild-2"}}
	first, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Seed = 1
	second, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(first[0].Rows, second[0].Rows) || len(second[0].Judge().Crossed) > 0 {
		t.Errorf("%s\n%s", first[0].Text(), second[0].Text())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("somebody stopped it")
	cancel(why)
	if _, err := Run(ctx, o); !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is stopped ends with %v", err)
	}
	o.Cases = []string{"mild-2", "nothing"}
	var unknown *UnknownError
	if _, err := Run(t.Context(), o); !errors.As(err, &unknown) || unknown.Name != "nothing" || !slices.Contains(unknown.Among, "mild-2") {
		t.Errorf("no case is %v", err)
	}
}

// TestDoesNotBuild: what the compiler says is in the error, and so is that there is
// none.
func TestDoesNotBuild(t *testing.T) {
	h := host(t, t.TempDir(), t.TempDir())
	for _, name := range fusedProgram(Numbers).Sources {
		if err := os.WriteFile(filepath.Join(h.Sources, name), []byte("extern \"C\" __global__ void "+strings.TrimSuffix(name, ".cu")+"(float *x) { x[0] = y; }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Named([]string{"fused-launches"})
	if err != nil {
		t.Fatal(err)
	}
	var failed *simt.CompileError
	if err := Build(t.Context(), Options{Checks: list, Backends: h}); !errors.As(err, &failed) || !strings.Contains(failed.Output, ".cu:1:") {
		t.Errorf("%v", err)
	}
	for _, h.CXX = range []string{"no-such-compiler", filepath.Join(h.Dir, "nor-this-one")} {
		if err := Build(t.Context(), Options{Checks: list, Backends: h}); !errors.Is(err, ErrNoCompiler) {
			t.Errorf("%s: %v", h.CXX, err)
		}
	}
}

// found says whether a report has a finding of the kind in the kernel.
func found(r Report, kind launch.Kind, kernel string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Kind == kind && f.Kernel == kernel && (kernel == "" || f.Line > 0 && strings.HasPrefix(f.Text, string(kind)))
	})
}
