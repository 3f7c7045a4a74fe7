package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

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
	default:
		return h, nil, coded{gates.ExitUsage, fmt.Sprintf("there is no backend %q", f.backend), "host, cuda or auto"}
	}
	c, err := a.compiling(ctx, p.config, p.lane, kernelFlags{})
	if err != nil {
		return h, nil, err
	}
	h = verify.Host{
		Sources: f.sources, Shown: shownFrom(p.config.Root, f.sources), Dir: f.out, Fast: fastFlags(p, f.sources), CXX: os.Getenv("CXX"), Env: ownEnv(), Note: a.console.note,
		Exec: func(ctx context.Context, cmd simt.Command) error { return c.run.Exec(ctx, nvcc.Command(cmd)) },
	}
	return h, c.end, nil
}

// fastFlags are the flags by which a set of kernels of the workspace that has these
// sources is compiled less exactly than they ask for.
func fastFlags(p place, sources string) (list []string) {
	for _, set := range p.config.Kernels {
		ours := func(pattern string) bool {
			return filepath.Join(p.config.Root, path.Dir(pattern)) == sources
		}
		if !slices.ContainsFunc(set.Sources, ours) {
			continue
		}
		for _, flag := range set.Flags {
			if verify.Fast(flag) {
				list = append(list, fmt.Sprintf("%s, with which [[kernels]] %q compiles these sources,", flag, set.Name))
			}
		}
	}
	return list
}
