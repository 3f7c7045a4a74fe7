package fused_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// opsProgram compiles the ops path alone: no kernel of the fused path is there to be
// taken instead.
func opsProgram(t *testing.T, mode simt.Mode) *simt.Program {
	t.Helper()
	return simttest.Build(t, mode, sources(cuda, []string{"kda_ops.cu"})...)
}

// TestOps holds the ops path against the oracle on the cases of the fused path and by
// the same bars: a baseline with a mistake, or less careful than it could be, would
// flatter what is measured by it.
func TestOps(t *testing.T) {
	host := opsProgram(t, simt.Plain)
	worst := map[kda.Family]kda.Report{}
	for _, c := range append(modelCases(), kda.Cases()...) {
		t.Run(c.Name, func(t *testing.T) {
			p := made(t, c)
			r := simttest.Run(t, host, fused.Ops(p))
			clean(t, r)
			for _, report := range compared(t, p, r, oracle(t, p)) {
				if !report.Within(bar(c.Family)) {
					t.Errorf("over %g: %v", bar(c.Family), report)
				}
				if report.MaxRel > worst[c.Family].MaxRel {
					worst[c.Family] = report
				}
			}
		})
	}
	for _, f := range families() {
		t.Logf("%s: worst %v", f, worst[f])
	}
}

// TestOpsInstruments: no launch of the chain races with itself, reads what nobody has
// written, or leaves its buffers.
func TestOpsInstruments(t *testing.T) {
	for _, mode := range []simt.Mode{simt.Address, simt.Check} {
		t.Run(string(mode), func(t *testing.T) {
			host := opsProgram(t, mode)
			for i, c := range instrumentCases() {
				t.Run(c.Name, func(t *testing.T) {
					p := made(t, c)
					job := fused.Ops(p)
					job.Order = uint64(i)
					r := simttest.Run(t, host, job)
					clean(t, r)
					for _, report := range compared(t, p, r, oracle(t, p)) {
						if !report.Within(bar(c.Family)) {
							t.Errorf("over %g: %v", bar(c.Family), report)
						}
					}
				})
			}
		})
	}
}

// TestOpsOrder: no order of threads and blocks changes a bit of any buffer.
func TestOpsOrder(t *testing.T) {
	host := opsProgram(t, simt.Plain)
	for _, c := range instrumentCases() {
		job := fused.Ops(made(t, c))
		first := simttest.Run(t, host, job).Buffers
		for _, order := range []uint64{1, 2, 3} {
			job.Order = order
			again := simttest.Run(t, host, job).Buffers
			if len(again) != len(first) || len(first) < 60 {
				t.Fatalf("%s: order %d gives %d buffers, %d before", c.Name, order, len(again), len(first))
			}
			for name, want := range first {
				if at := differs(again[name], want); at >= 0 {
					t.Errorf("%s: order %d: %s[%d] is %v, in ascending order %v", c.Name, order, name, at, again[name][at], want[at])
				}
			}
		}
	}
}

// TestOpsLaunches: the chain is what it says, many launches of kernels of its own, and
// longer by the same number for each chunk.
func TestOpsLaunches(t *testing.T) {
	host := opsProgram(t, simt.Plain)
	for _, chunks := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(chunks), func(t *testing.T) {
			c := kda.Case{Family: kda.Mild, Shape: kda.Shape{B: 2, H: 2, T: 4*chunks - 1, K: 3, V: 2, C: 4}}
			r := simttest.Run(t, host, fused.Ops(made(t, c)))
			if got, want := r.Launched(fused.Forward), 20+5*chunks; got != want {
				t.Errorf("%d launches forward, want %d", got, want)
			}
			if got, want := r.Launched(fused.Backward), 42+6*chunks; got != want {
				t.Errorf("%d launches backward, want %d", got, want)
			}
			for _, count := range r.Launches {
				if !strings.HasPrefix(count.Kernel, "ops_") {
					t.Errorf("kernel %s is not of the ops path", count.Kernel)
				}
			}
		})
	}
}

// TestOpsPlan: the plan passes its check, gives what Read reads as outputs, and leaves
// nothing that it made unused.
func TestOpsPlan(t *testing.T) {
	job := fused.Ops(made(t, instrumentCases()[0]))
	if err := job.Check(); err != nil {
		t.Fatal(err)
	}
	used := map[string]int{}
	for _, l := range job.Launches {
		for _, a := range l.Args {
			used[a.Buffer]++
		}
	}
	var outputs []string
	for _, b := range job.Buffers {
		switch {
		case b.Role == launch.Output:
			outputs = append(outputs, b.Name)
		case b.Role == launch.Scratch && used[b.Name] < 2:
			t.Errorf("scratch %s is written and never read", b.Name)
		case used[b.Name] == 0:
			t.Errorf("%s is not used", b.Name)
		}
	}
	slices.Sort(outputs)
	if want := []string{"d_b", "d_g", "d_k", "d_q", "d_state", "d_v", "d_w", "out", "state_t"}; !slices.Equal(outputs, want) {
		t.Errorf("outputs are %q, want %q", outputs, want)
	}
}
