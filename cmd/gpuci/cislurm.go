package main

import (
	"context"
	"errors"
	"fmt"
	"time"

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
		place, err := a.openSpool(ctx, cfg, lane, id, past, f)
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

// openSpool opens the place of a night, or says that nothing answered until ctx ended: of a
// dead file server's directory no call returns.
func (a *app) openSpool(ctx context.Context, cfg *config.Config, lane worktrees.Lane, id string, past *gates.Past, f nightFlags) (*spool.Spool, error) {
	if cfg.Slurm.Shared == "" {
		return nil, slurm.ErrNoShared
	}
	var place *spool.Spool
	var err error
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		place, err = spool.Open(a.spoolOptions(cfg, lane, id, past, f))
	}()
	select {
	case <-opened:
		return place, err
	case <-ctx.Done():
		return nil, fmt.Errorf("%s does not answer: %w", cfg.Slurm.Shared, context.Cause(ctx))
	}
}

// spoolTime is how long who only wants to end jobs waits for the shared directory.
const spoolTime = 5 * time.Second

// canceller gives executors that end jobs, also where the shared directory is gone or hangs.
func (a *app) canceller(cfg *config.Config, lane worktrees.Lane, past *gates.Past) ci.Opener {
	return func(ctx context.Context, on, id, dir string) (executor.Executor, error) {
		if on != onSlurm {
			return nil, fmt.Errorf("there is no executor %q in this gpuci", on)
		}
		o := slurm.Options{Config: cfg.Slurm, Dir: dir, Env: shim.Bare(ownEnv()), Note: a.console.note}
		soon, cancel := context.WithTimeout(ctx, spoolTime)
		defer cancel()
		o.Spool, o.Gone = a.openSpool(soon, cfg, lane, id, past, nightFlags{})
		if o.Gone != nil {
			a.console.note("jobs are ended without the shared directory, and what is there of them stays: " + o.Gone.Error())
		}
		return slurm.New(ctx, o)
	}
}
