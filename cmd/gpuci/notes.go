package main

import (
	"context"

	"github.com/spf13/cobra"

	"gpuci/gates"
)

// notesFlags are the flags of `gpuci notes`.
type notesFlags struct{ stale, json bool }

func (a *app) notesCommand() *cobra.Command {
	var o notesFlags
	cmd := &cobra.Command{
		Use:   "notes [GATE…]",
		Short: "the statements that expire, and which have",
		Long: `notes lists what this workspace relies on and has written down with an end: its
notes, and its known reds. Each with its owner, its age, its conditions, and which
of these have fallen, when and by what commit. It runs nothing. With gates, or paths
from the directory of gpuci.toml, it has only what is about these.

A note in gpuci.toml:

  [[note]]
  text = "the oracle does not reach further than one chunk"
  owner = "kernels"
  about = "fused-adjoint"             # a gate, or a file or directory
  while-red = "oracle"                # as long as that gate is red here
  while-unchanged = ["src/oracle"]    # as long as these are as they were ...
  since = "3ab57a0"                   # ... in this commit
  until = "2026-12-15"                # its last day
  expects = "adam-ms < 30"            # the next run of its gate confirms or refutes

One condition is enough. Or in a source, on a line of its own in a comment, where
about= is that file unless it is given:

  // gpuci:note text="one chunk is all" owner=kernels until=2026-12-15

Files for reading (.md, .rst, .txt, .html, …) and what is below testdata have none.

When one condition has fallen, the note is stale: every run of the gate that it is
about, or that reads the file, says so and needs attention (103), until the note is
renewed or removed. What cannot be told (a commit that is gone, a shallow clone, a
gate that never ran) counts as fallen.

Examples:
  gpuci notes
  gpuci notes fused-adjoint src/oracle
  gpuci notes --stale
  gpuci notes --json | jq -r 'select(.stale) | "\(.owner) \(.at)"'

Exit codes: 0 all stand, 103 something wants a look: a note that is stale or cannot
be read, a known red past its end or green; 4 no such gate or path, 64 usage, 69 the
lane cannot be read, 78 configuration.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = o.json
			return a.notes(cmd, o, args)
		},
	}
	cmd.Flags().BoolVar(&o.stale, "stale", false, "only what wants a look")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

func (a *app) notes(cmd *cobra.Command, o notesFlags, about []string) error {
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	state, _ := gates.StateDir(lane, cfg.Root)
	list, err := gates.ReadNotes(ctx, cfg, lane, state, a.historyOptions(cfg, lane))
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return coded{exitUnfit, err.Error(), "gpuci doctor says what is wrong"}
	}
	if list, err = notesAbout(cfg, list, about); err != nil {
		return err
	}
	p := noteSheet{app: a, flags: o, about: about}
	if err := p.all(list); err != nil {
		return err
	}
	if p.wanting > 0 {
		return coded{code: gates.Attention.ExitCode()}
	}
	return nil
}
