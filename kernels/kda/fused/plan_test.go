package fused_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
)

// TestPlan: what is launched, over what, for a shape with a tail in rows and channels.
func TestPlan(t *testing.T) {
	p := made(t, kda.Case{Family: kda.Mild, Shape: kda.Shape{B: 2, H: 3, T: 40, K: 5, V: 33, C: 16}})
	job := fused.Fused(p)
	if err := job.Check(); err != nil {
		t.Error(err)
	}
	type shape struct {
		Kernel, Phase string
		Grid          [3]int
	}
	var got []shape
	for _, l := range job.Launches {
		got = append(got, shape{l.Kernel, l.Phase, l.Grid})
	}
	want := []shape{
		{"kda_forward", "forward", [3]int{6, 1, 1}},
		{"kda_bk2", "backward", [3]int{2, 6, 1}}, // 33 value channels are two tiles
		{"kda_bk1", "backward", [3]int{3, 6, 1}}, // 40 rows are three chunks
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("launches (-want +got):\n%s", diff)
	}
	for _, b := range job.Buffers {
		if b.Role == launch.Scratch {
			t.Errorf("%s is scratch; nothing of the fused path is", b.Name)
		}
		if (b.Data != nil) != (b.Role == launch.Input) {
			t.Errorf("%s is %s; data: %v", b.Name, b.Role, b.Data != nil)
		}
	}
}

// TestShared: the largest case is known to the byte and fits the smallest card; one
// that does not is refused with the kernel, the bytes and what to do.
func TestShared(t *testing.T) {
	largest := kda.Shape{B: 1, H: 1, T: 64, K: 128, V: 128, C: 64}
	if diff := cmp.Diff(fused.Sizes{Forward: 148224, Between: 32768, Inside: 157952}, fused.Shared(largest)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := fused.Fits(largest); err != nil {
		t.Error(err)
	}
	largest.C = 128
	err := fused.Fits(largest)
	if err == nil {
		t.Fatal("C = 128 fits")
	}
	for _, part := range []string{"kda_forward", "263680", "C = 128", "smaller chunks"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if err := fused.Fits(kda.Shape{B: 1}); err == nil {
		t.Error("a shape without heads fits")
	}
}

// TestRounded: what the oracle is given is what the kernels are given, the factor on q
// included, and the problem itself stays as it is.
func TestRounded(t *testing.T) {
	original, err := kda.Case{Family: kda.Strong, Shape: kda.Shape{B: 2, H: 1, T: 7, K: 3, V: 2, C: 4}, Seed: 9}.Problem()
	if err != nil {
		t.Fatal(err)
	}
	before := original.In.G.Data[0]
	p := fused.Rounded(original)
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if original.In.G.Data[0] != before || p.In.G.Data[0] == before {
		t.Errorf("g[0] was %v, is %v, rounded %v", before, original.In.G.Data[0], p.In.G.Data[0])
	}
	job := fused.Fused(original)
	if diff := cmp.Diff(job, fused.Fused(p)); diff != "" {
		t.Errorf("rounding again changes the job:\n%s", diff)
	}
	last := job.Launches[0].Args[len(job.Launches[0].Args)-1]
	if float64(*last.Float) != p.Scale {
		t.Errorf("kernels have scale %v, the oracle %v", *last.Float, p.Scale)
	}
}

// TestReadRefuses: a result that is not of the problem is an error, not zeros.
func TestReadRefuses(t *testing.T) {
	p := made(t, kda.Case{Family: kda.Mild, Shape: kda.Shape{B: 1, H: 1, T: 2, K: 1, V: 1, C: 2}})
	r := launch.Result{Buffers: map[string][]float32{"out": make([]float32, 2)}}
	if _, _, err := fused.Read(p, r); err == nil || !strings.Contains(err.Error(), `"state_t"`) {
		t.Errorf("without state_t: error %v", err)
	}
	r.Buffers["out"] = r.Buffers["out"][:1]
	if _, _, err := fused.Read(p, r); err == nil || !strings.Contains(err.Error(), "out has 1 elements") {
		t.Errorf("with half of out: error %v", err)
	}
}
