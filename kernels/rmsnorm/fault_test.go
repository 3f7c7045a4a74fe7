package rmsnorm

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

const faultDir = "../kda/faults"

// fault is a patch to the kernels and what it must do: move the terms named by at
// least 100 times the bar in some case and no other term over it in any, or be found.
type fault struct {
	name  string
	moves string // names of terms, "" for none
	sees  string // the cases that move, where they are few
	found launch.Kind
	mode  simt.Mode // in which it is found
}

func faults() []fault {
	const all, back = "y rstd d_x d_weight", "d_x"
	return []fault{
		{name: "eps-outside-root", moves: all},
		{name: "projection-dropped", moves: back},
		{name: "projection-unscaled", moves: back},
		{name: "wrong-count", moves: all},
		{name: "wrong-count-backward", moves: back},
		{name: "weight-tile-dropped", moves: "d_weight", sees: "one-column block tiles"},
		{name: "weight-rstd-dropped", moves: "d_weight"},
		{name: "tail-columns-ignored", moves: all},
		{name: "tail-unwritten", moves: "y", found: launch.Unwritten, mode: simt.Plain},
		{name: "row-offset-forgotten", moves: back},
		{name: "rstd-of-row-0", moves: back},
		{name: "missing-barrier", found: launch.Race, mode: simt.Check},
		{name: "missing-last-barrier", found: launch.Race, mode: simt.Check},
		{name: "read-out-of-bounds", found: launch.OutOfBounds, mode: simt.Address},
	}
}

// TestFaults plants each fault and looks at what moves.
func TestFaults(t *testing.T) {
	needs(t, "git")
	for i, f := range faults() {
		if i%5 != 0 && os.Getenv("GPUCI_SOAK") != "1" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			planted := plant(t, filepath.Join(faultDir, "rmsnorm-"+f.name+".patch"))
			if f.found != "" {
				f.look(t, built(t, f.mode, planted))
			}
			if f.found == "" || f.moves != "" {
				f.measure(t, built(t, simt.Plain, planted))
			}
		})
	}
}

func (f fault) measure(t *testing.T, program *simt.Program) {
	top := map[string]float64{}
	var seen []string
	for _, c := range small() {
		p := must(c.Problem())(t).Rounded()
		far := 0.0
		for _, d := range p.differences(t, run(t, program, Plan(p))) {
			if d.by != d.by {
				d.by = math.Inf(1) // a NaN
			}
			top[d.term], far = max(top[d.term], d.by), max(far, d.by)
		}
		if far > Bar {
			seen = append(seen, c.Name)
		}
	}
	t.Logf("moves %v in %s", top, seen)
	for term, by := range top {
		want := slices.Contains(strings.Fields(f.moves), term)
		if (by > Bar) != want || (by >= 100*Bar) != want {
			t.Errorf("%s moves by %g with a bar of %g; is to move: %v", term, by, Bar, want)
		}
	}
	if got := strings.Join(seen, " "); f.sees != "" && got != f.sees {
		t.Errorf("seen in %s, want %s", got, f.sees)
	}
}

func (f fault) look(t *testing.T, program *simt.Program) {
	for _, c := range small() {
		r, err := program.Run(t.Context(), Plan(must(c.Problem())(t)))
		if err == nil && r.Found(f.found) {
			t.Logf("%s: %s", c.Name, r.Findings[0].Text)
			return
		}
	}
	t.Errorf("no case has a finding of kind %s", f.found)
}

// TestFaultsAreListed: every patch to the kernel is measured.
func TestFaultsAreListed(t *testing.T) {
	var listed []string
	for _, f := range faults() {
		listed = append(listed, "rmsnorm-"+f.name+".patch")
	}
	patches := must(filepath.Glob(filepath.Join(faultDir, "rmsnorm-*.patch")))(t)
	for _, path := range patches {
		if !slices.Contains(listed, filepath.Base(path)) {
			t.Errorf("%s is not in the table", path)
		}
	}
	if len(patches) != len(listed) {
		t.Errorf("%d patches, %d in the table", len(patches), len(listed))
	}
}

// plant gives a copy of the kernel with a patch applied.
func plant(t *testing.T, patch string) string {
	t.Helper()
	root := t.TempDir()
	planted := filepath.Join(root, "kernels", "kda", "cuda", filepath.Base(source))
	if err := os.MkdirAll(filepath.Dir(planted), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(planted, must(os.ReadFile(source))(t), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "apply", must(filepath.Abs(patch))(t))
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(root), "GIT_DIR="+filepath.Join(root, "none"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("apply %s: %v\n%s", patch, err, out)
	}
	return planted
}
