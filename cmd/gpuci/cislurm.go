package main

import (
	"context"
	"errors"
	"fmt"

	"gpuci/buildlock/shim"
	"gpuci/ci"
	"gpuci/ci/executor"
	"gpuci/ci/slurm"
	"gpuci/ci/spool"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// onSlurm is the executor that --on names.
const onSlurm = "slurm"

// onUsage is of --on: what runs the gates.
const onUsage = "run them `WHERE`: on slurm, as [slurm] in gpuci.toml or your own configuration says, or local"

// whereMeant checks --on; "" is this machine.
func whereMeant(on string) (string, error) {
	switch on {
	case "", "local":
		return "", nil
	case onSlurm:
		return on, nil
	}
	return "", coded{gates.ExitUsage, "--on " + on + ": there is no such executor", "--on slurm, or leave it out to run them here"}
}

// opener gives the executors that --on can name.
func (a *app) opener(cfg *config.Config, lane worktrees.Lane, past *gates.Past, f nightFlags) ci.Opener {
	return func(ctx context.Context, on, id, dir string) (executor.Executor, error) {
		if on != onSlurm {
			return nil, fmt.Errorf("there is no executor %q in this gpuci", on)
		}
		if cfg.Slurm.Shared == "" {
			return nil, slurm.ErrNoShared
		}
		place, err := spool.Open(a.spoolOptions(cfg, lane, id, past, f))
		if err != nil {
			return nil, err
		}
		ex, err := slurm.New(ctx, slurm.Options{Config: cfg.Slurm, Spool: place, Dir: dir, Env: shim.Bare(ownEnv()), Note: a.console.note})
		if err != nil {
			return nil, errors.Join(err, place.Close())
		}
		if err := place.Clean(ctx); err != nil {
			a.console.note("tidy the shared directory: " + err.Error())
		}
		return ex, nil
	}
}
