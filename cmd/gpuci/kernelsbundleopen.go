package main

import (
	"errors"
	"os"

	"gpuci/gates"
	"gpuci/gates/bundle"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// bundleLane is the name of what stands in place of a lane where gates are run from a
// bundle.
const bundleLane = "bundle"

// unpacked looks whether the workspace is a bundle that was unpacked. Its gates are those
// that were packed, and whatever repository it lies in has nothing to do with it.
func (a *app) unpacked(cfg *config.Config, lane worktrees.Lane) (worktrees.Lane, error) {
	self, err := os.Executable()
	if err != nil {
		self = "" // then it is no bundle's
	}
	b, err := bundle.Open(cfg.Root, bundle.Self{Version: versionText(), Executable: self})
	var unsound *gates.UnsoundError
	switch {
	case errors.As(err, &unsound):
		return lane, coded{unsound.Outcome.ExitCode(), unsound.Text, unsound.Next}
	case err != nil || b == nil:
		return lane, err
	}
	b.Keep(cfg)
	a.bundle = b
	return worktrees.Lane{Name: bundleLane}, nil
}
