package verify

import (
	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
)

// reference is a problem as a kernel is given it, and what the oracle makes of just
// that.
type reference struct {
	problem *kda.Problem
	out     *kda.Output
	grad    *kda.Leaves
}

// oracle makes the problem of a case, rounds it to float32, and runs the float64 form
// on what is left, anew every time: a result that was kept could be that of another
// state of the oracle.
func oracle(c kda.Case) (reference, error) {
	p, err := c.Problem()
	if err != nil {
		return reference{}, err
	}
	p = fused.Rounded(p)
	if err := fused.Holds(p); err != nil {
		return reference{}, err
	}
	f, err := kda.ChunkForward(p)
	if err != nil {
		return reference{}, err
	}
	b, err := kda.ChunkBackward(p, f)
	if err != nil {
		return reference{}, err
	}
	return reference{p, &f.Output, &b.Grad}, nil
}

// compare holds what a path gave against the reference: out, the final state, then the
// seven gradients.
func (r reference) compare(out *kda.Output, grad *kda.Leaves) ([]kda.Report, error) {
	reports, err := kda.CompareOutput(out, r.out)
	if err != nil {
		return nil, err
	}
	more, err := kda.CompareGradients(r.problem, grad, r.grad)
	return append(reports, more...), err
}
