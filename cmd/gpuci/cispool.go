package main

import (
	"gpuci/ci/spool"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// spoolOptions say what goes to nodes of this repository, and where it comes back to.
func (a *app) spoolOptions(cfg *config.Config, lane worktrees.Lane, night string, past *gates.Past, f nightFlags) spool.Options {
	state, _ := gates.StateDir(lane, cfg.Root)
	archives := &archiver{app: a, cfg: cfg, here: lane, noPressure: f.pressure}
	return spool.Options{
		Shared: cfg.Slurm.Shared, Scratch: cfg.Slurm.Scratch, Night: night, Here: lane, State: state, Past: past, Named: cfg.Workspace.Base, KeepRuns: cfg.History.Runs,
		Version: versionText(), NoPressure: f.pressure, Verbose: f.verbose, Note: a.console.note,
		Archive: archives.make, Closing: archives.close,
	}
}
