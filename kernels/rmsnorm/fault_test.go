package rmsnorm

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
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
	for i, f := range faults() {
		if i%5 != 0 && os.Getenv("GPUCI_SOAK") != "1" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			dir := simttest.Plant(t, sources, "kernels/kda/cuda", filepath.Join(faultDir, "rmsnorm-"+f.name+".patch"))
			planted := filepath.Join(dir, filepath.Base(source))
			if f.found != "" {
				f.look(t, simttest.Build(t, f.mode, planted))
			}
			if f.found == "" || f.moves != "" {
				f.measure(t, simttest.Build(t, simt.Plain, planted))
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
		for _, d := range p.differences(t, simttest.Run(t, program, Plan(p))) {
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
	simttest.Listed(t, filepath.Join(faultDir, "rmsnorm-*.patch"), listed)
}
