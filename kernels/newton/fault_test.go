package newton

import (
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

// fault is a patch to the kernel and what it must do: move the cases named by at
// least 100 times their bar and no other over it, or be found.
type fault struct {
	name  string
	moves string // names of cases, "all" of them, or "" for none
	found launch.Kind
	mode  simt.Mode // in which it is found
	large bool      // only by the cases that are not small
}

func faults() []fault {
	// A single element ends at p(1) with its sign, whatever it was.
	const several = "one-element one-row one-column wide tall square wide-steep tall-steep low tiny zero"
	const wide = "one-matrix wide square wide-steep low tiny zero"
	return []fault{
		{name: "norm-over-batch", moves: several},
		{name: "coefficient-sign", moves: several + " one-matrix"},
		{name: "batch-offset-forgotten", moves: strings.TrimPrefix(several, "one-element ")},
		{name: "not-transposed-back", moves: wide},
		{name: "four-steps", moves: several + " one-matrix"},
		{name: "eps-forgotten", moves: "tiny zero"},
		{name: "eps-under-root", moves: "tiny"},
		{name: "edge-unwritten", moves: several + " one-matrix", found: launch.Unwritten, mode: simt.Plain},
		{name: "missing-barrier-sum", found: launch.Race, mode: simt.Check},
		{name: "missing-barrier-step", found: launch.Race, mode: simt.Check},
		{name: "in-place", found: launch.Race, mode: simt.Check},
		{name: "uninitialised-read", moves: several + " one-matrix", found: launch.Uninitialised, mode: simt.Check},
		{name: "read-out-of-bounds", found: launch.OutOfBounds, mode: simt.Address},
		{name: "long-read-out-of-bounds", found: launch.OutOfBounds, mode: simt.Address, large: true},
	}
}

// TestFaults plants each fault and looks at what moves.
func TestFaults(t *testing.T) {
	for i, f := range faults() {
		if i%5 != 0 && os.Getenv("GPUCI_SOAK") != "1" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			dir := simttest.Plant(t, sources, "kernels/kda/cuda", filepath.Join(faultDir, "ns-"+f.name+".patch"))
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
	for _, c := range small() {
		p := must(c.Problem())(t).Rounded()
		diff := p.difference(t, simttest.Run(t, program, Plan(p)))
		t.Logf("%s moves by %.2g", c.Name, diff)
		moved := diff != diff || diff > c.Kind.Bar()
		clear := diff != diff || diff >= 100*c.Kind.Bar()
		if want := slices.Contains(strings.Fields(f.moves), c.Name); moved != want || clear != want {
			t.Errorf("%s moves by %g with a bar of %g; moves is %v, want %v", c.Name, diff, c.Kind.Bar(), moved, want)
		}
	}
}

func (f fault) look(t *testing.T, program *simt.Program) {
	cases := small()
	if f.large {
		cases = slices.DeleteFunc(Cases(), func(c Case) bool {
			return slices.ContainsFunc(cases, func(s Case) bool { return s.Name == c.Name })
		})
	}
	for _, c := range cases {
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
		listed = append(listed, "ns-"+f.name+".patch")
	}
	simttest.Listed(t, filepath.Join(faultDir, "ns-*.patch"), listed)
}
