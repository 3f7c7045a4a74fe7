package fused_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// visible is how many times the bar a fault must move a tensor by: less would be a
// matter of luck.
const visible = 100

// few are the faults that every run plants; GPUCI_SOAK=1 plants all of them.
var few = []string{"fast-bk1-dAkk-sign", "missing-barrier"}

// TestFaults plants each patch in a copy of the shipped kernels, compiles it, and holds
// what moves, and what an instrument says, against the table.
func TestFaults(t *testing.T) {
	listed(t)
	problems := map[string]*kda.Problem{}
	wants := map[string]results{}
	for _, c := range append(columns(), fastColumns()...) {
		problems[c.letter] = made(t, c.Case)
		wants[c.letter] = oracle(t, problems[c.letter])
	}
	for _, f := range faults() {
		if os.Getenv("GPUCI_SOAK") != "1" && !slices.Contains(few, f.name) {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			dir := planted(t, f.name)
			if f.sees != "" {
				f.judge(t, program(t, dir, simt.Plain), problems, wants)
			}
			if f.kind != "" {
				f.named(t, program(t, dir, f.mode), problems[f.column()])
			}
		})
	}
}

// listed fails the test unless the table has the very patches that are shipped, less
// those in the plans, of which [TestThirdLaunch] plants one, and those of other kernels.
func listed(t *testing.T) {
	t.Helper()
	names := []string{"third-launch", "fast-third-launch"}
	for _, f := range faults() {
		names = append(names, f.name)
	}
	var shipped []string
	paths, err := filepath.Glob("../faults/*.patch")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".patch")
		if !strings.HasPrefix(name, "ns-") && !strings.HasPrefix(name, "rmsnorm-") && !strings.HasPrefix(name, "ops-") {
			shipped = append(shipped, name)
		}
	}
	slices.Sort(names)
	slices.Sort(shipped)
	if !slices.Equal(names, shipped) {
		t.Errorf("the table has\n%v\nshipped are\n%v", names, shipped)
	}
}

// planted is a directory with the shipped kernels and one fault.
func planted(t *testing.T, name string) string {
	t.Helper()
	return simttest.Plant(t, cuda, "kernels/kda/cuda", patchOf(name))
}

func patchOf(name string) string { return filepath.Join("../faults", name+".patch") }

// column is the one at which moves is judged.
func (f fault) column() string {
	at := cmp.Or(f.at, "two")
	if f.fast() {
		return "fast-" + at
	}
	return at
}

// fast says whether it is in the kernels for one shape of chunk.
func (f fault) fast() bool { return strings.HasPrefix(f.name, "fast-") }

// columns are the cases by which it is judged.
func (f fault) columns() []column {
	if f.fast() {
		return fastColumns()
	}
	return columns()
}

// judge holds what moves in each column against the table.
func (f fault) judge(t *testing.T, host *simt.Program, problems map[string]*kda.Problem, wants map[string]results) {
	t.Helper()
	for i, c := range f.columns() {
		r := simttest.Run(t, host, fused.Fused(problems[c.letter]))
		reports := compared(t, problems[c.letter], r, wants[c.letter])
		moved, seen := moves(reports, bar(c.Family))
		t.Logf("%-11s %c moved %s", c.letter, seen, strings.Join(moved, " "))
		if seen != rune(f.sees[i]) {
			t.Errorf("%s: seen %c, the table says %c", c.letter, seen, f.sees[i])
		}
		if want := strings.Fields(f.moves); c.letter == f.column() && !slices.Equal(moved, want) {
			t.Errorf("%s: %v moved, the table says %v", c.letter, moved, want)
		}
	}
}

// moves lists the tensors that moved, with a ~ those that are between the bar and what
// is visible; and says x, - or n for all of them as the table does.
func moves(reports []kda.Report, bar float64) (moved []string, seen rune) {
	seen = '-'
	for _, r := range reports {
		switch {
		case r.NaNs > 0:
			seen = 'n'
			moved = append(moved, r.Term)
		case r.MaxRel >= visible*bar:
			if seen != 'n' {
				seen = 'x'
			}
			moved = append(moved, r.Term)
		case r.MaxRel > bar:
			moved = append(moved, "~"+r.Term)
		}
	}
	return moved, seen
}

// named runs the column and wants the finding.
func (f fault) named(t *testing.T, host *simt.Program, p *kda.Problem) {
	t.Helper()
	r := simttest.Run(t, host, fused.Fused(p))
	if !r.Found(f.kind) {
		t.Errorf("%s says nothing of %s; findings: %v", f.mode, f.kind, r.Findings)
	}
	for _, found := range r.Findings {
		t.Logf("%s", found.Text)
		if found.Kind == f.kind && (found.Kernel != f.kernel || found.File == "" && f.kind != launch.Unwritten) {
			t.Errorf("%s in %s at %q, want it in %s with a file", found.Kind, found.Kernel, found.File, f.kernel)
		}
	}
}
