package fused

import (
	"fmt"

	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
)

// Read takes the outputs and the gradients out of a result of either plan on the
// problem. Values are as the kernels left them, NaN included. It returns an error
// when a buffer is missing or of another length.
func Read(p *kda.Problem, r launch.Result) (kda.Output, kda.Leaves, error) {
	like := kda.NewLeaves(p.Shape)
	out := kda.Output{Out: kda.NewTensor(like.V.Dims), Final: kda.NewTensor(like.State.Dims)}
	if err := read(r, "out", &out.Out); err != nil {
		return out, *like, err
	}
	if err := read(r, "state_t", &out.Final); err != nil {
		return out, *like, err
	}
	for _, term := range like.Terms() {
		if err := read(r, "d_"+term.Name, term.Tensor); err != nil {
			return out, *like, err
		}
	}
	return out, *like, nil
}

// read fills a tensor from the buffer of the name.
func read(r launch.Result, name string, into *kda.Tensor) error {
	data, ok := r.Buffers[name]
	if !ok {
		return fmt.Errorf("read result: no buffer %q among %d; run a plan of this package", name, len(r.Buffers))
	}
	if len(data) != len(into.Data) {
		return fmt.Errorf("read result: %s has %d elements, %v has %d; read with the problem that was run",
			name, len(data), into.Dims, len(into.Data))
	}
	for i, x := range data {
		into.Data[i] = float64(x)
	}
	return nil
}
