package main

import (
	"context"
	"fmt"
	"os"

	"gpuci/gates"
	"gpuci/kernels/nvcc"
	"gpuci/kernels/simt"
	"gpuci/kernels/verify"
)

// The names of backends.
const (
	backendHost = "host"
	backendCUDA = "cuda"
	backendAuto = "auto"
)

// hostBackend gets the host's processor ready to compile and run kernels, both under
// our supervision; the links queue. end gives back what that takes.
func (a *app) hostBackend(ctx context.Context, p place, f verifyFlags) (h verify.Host, end func(), err error) {
	switch f.backend {
	case backendHost, backendAuto:
	case backendCUDA:
		return h, nil, coded{exitUnfit, "the backend cuda joins with the card: it is not in this version", "--backend host runs the same sources without a GPU"}
	default:
		return h, nil, coded{gates.ExitUsage, fmt.Sprintf("there is no backend %q", f.backend), "host, cuda or auto"}
	}
	c, err := a.compiling(ctx, p.config, p.lane, kernelFlags{})
	if err != nil {
		return h, nil, err
	}
	h = verify.Host{
		Sources: pathFrom(p.dir, f.sources), Dir: pathFrom(p.dir, f.out), CXX: os.Getenv("CXX"), Env: ownEnv(), Note: a.console.note,
		Exec: func(ctx context.Context, cmd simt.Command) error { return c.run.Exec(ctx, nvcc.Command(cmd)) },
	}
	return h, c.end, nil
}
