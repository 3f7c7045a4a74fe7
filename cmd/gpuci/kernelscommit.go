package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"gpuci/ci"
	"gpuci/gates/config"
	"gpuci/kernels"
	"gpuci/kernels/build"
	"gpuci/kernels/entry"
	"gpuci/worktrees"
)

// commit builds sets of a commit in a scratch lane.
func (d *differ) commit(ctx context.Context, s side) ([]entry.Module, error) {
	dir, err := ci.ScratchDir(d.cfg, d.lane)
	if err != nil {
		return nil, err
	}
	d.app.clearScratch(ctx, d.lane, dir)
	scratch, err := worktrees.NewScratch(ctx, d.lane, worktrees.ScratchOptions{Dir: dir, Commit: s.commit.ID, For: "kernels diff " + s.name, Note: d.app.console.note})
	if err != nil {
		if errors.Is(err, syscall.ENOSPC) {
			return nil, coded{exitUnfit, err.Error(), "free space, or name another directory by scratch in [ci] of your own file"}
		}
		return nil, err
	}
	defer func() {
		if err := scratch.Remove(context.WithoutCancel(ctx)); err != nil {
			d.app.console.note(err.Error())
		}
	}()
	rel, err := filepath.Rel(d.lane.Root, d.cfg.Root)
	if err != nil {
		return nil, err
	}
	there, err := config.Load(config.DefaultSources(filepath.Join(scratch.Root, rel, config.FileName)))
	if err != nil {
		return nil, fmt.Errorf("read what %s says: %w", s.name, err)
	}
	return d.build(ctx, there, scratch.Lane, s.set)
}

// build compiles sets, and gives what came of them with what is committed beside it
// and made by no source of theirs.
func (d *differ) build(ctx context.Context, cfg *config.Config, lane worktrees.Lane, name string) (all []entry.Module, err error) {
	var names []string
	if name != "" {
		names = []string{name}
	}
	sets, err := kernelSets(cfg, names)
	if err != nil {
		return nil, err
	}
	c, err := d.app.compiling(ctx, cfg, lane, d.flags)
	if err != nil {
		return nil, err
	}
	defer c.end()
	for _, s := range sets {
		b, err := c.build(ctx, s, false)
		if fatal := d.app.kernelError(ctx, err); fatal != nil {
			return nil, fatal
		}
		if errors.As(err, new(*build.Failure)) {
			return nil, coded{code: d.app.notCompiled(err, false)}
		}
		r, err := kernels.Check(ctx, s, b)
		if err != nil {
			return nil, err
		}
		all = append(all, kernels.Plain(kernels.Single(r.Modules))...)
	}
	return all, nil
}
