package verify

import (
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt/simttest"
)

// defect is a patch of the shipped faults, and how it must show.
type defect struct {
	name, check, cases string

	crossed string      // what is said of each bar that is crossed begins so
	unknown string      // the same of what cannot be said
	kind    launch.Kind // of a finding, "" for none
	kernel  string      // that has it
}

// defects has one of each way in which a check can notice.
func defects() []defect {
	return []defect{
		{name: "bk1-last-state-dropped", check: "fused-adjoint", cases: "mild-2", crossed: "mild-rel term=d_g chunks=2 is "},
		{name: "mask-after-exp", check: "fused-adjoint", cases: "very-strong-2", unknown: "very-strong-rel term="},
		{name: "missing-barrier-bk1", check: "fused-race", cases: "one-past", crossed: "findings kind=race is ", kind: launch.Race, kernel: "kda_bk1"},
		{name: "unwritten-tail", check: "fused-uninit", cases: "one-past", crossed: "findings kind=unwritten is ", kind: launch.Unwritten},
		{name: "read-one-row-out", check: "fused-bounds", cases: "one-past", crossed: "findings kind=out-of-bounds is ", kind: launch.OutOfBounds, kernel: "kda_forward"},
		{name: "ns-norm-over-batch", check: "ns-batched", cases: "wide", crossed: "ns-rel term=out kind=full is "},
		{name: "rmsnorm-weight-tile-dropped", check: "rmsnorm", cases: "tiles", crossed: "rmsnorm-rel term=d_weight is "},
	}
}

// plant makes a copy of the shipped sources with the patch in it.
func (d defect) plant(t *testing.T) string {
	t.Helper()
	return simttest.Plant(t, shipped, "kernels/kda/cuda", filepath.Join("..", "kda", "faults", d.name+".patch"))
}

// judge holds what the check says against the table.
func (d defect) judge(t *testing.T, h Host) {
	r := verified(t, h, d.cases, d.check)[d.check]
	j := r.Judge()
	if d.crossed == "" && len(j.Crossed) > 0 || d.crossed != "" && len(j.Crossed) == 0 {
		t.Errorf("crossed: %q", j.Crossed)
	}
	for _, line := range j.Crossed {
		if !strings.HasPrefix(line, d.crossed) {
			t.Errorf("crossed: %s, want %s…", line, d.crossed)
		}
	}
	if d.unknown == "" && len(j.Unknown) > 0 || d.unknown != "" && len(j.Unknown) == 0 {
		t.Errorf("unknown: %q", j.Unknown)
	}
	for _, line := range j.Unknown {
		if !strings.HasPrefix(line, d.unknown) || !strings.HasSuffix(line, "is NaN") {
			t.Errorf("unknown: %s, want %s… is NaN", line, d.unknown)
		}
	}
	if d.kind == "" && len(r.Findings) > 0 || d.kind != "" && !found(r, d.kind, d.kernel) {
		t.Errorf("found: %s", r.Text())
	}
}
