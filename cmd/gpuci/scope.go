package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
)

func (a *app) scopeCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "scope [GATE…]",
		Short: "what the gates cover, against what production uses",
		Long: `scope holds what each gate covers against what production uses, axis by axis, the
worst first: the largest share of production that no gate covers, and of equal
ones the one that is farthest from all that is covered. It runs nothing.

In gpuci.toml:

  [gate.scope]
  chunks = { covered = [1, 2, 4], production = [32] }     # a claim
  heads = { covered = "shown", production = "1..64" }     # what the run shows

A gate shows what it covers by lines of its own: gpuci:scope chunks=4 heads=8. An
axis on which something is shown must show all that is claimed, or the gate is
broken; one on which nothing is keeps its claim, "claimed, not shown". What is
shown here is of the gate's last run in this lane.

Gates with the same subject = "…" are read together: where one that is green on
this very tree covers what another does not, that is no gap. Two of them of which
one is green and the other red, on this tree, are named.

Axes are held one by one: that two places were covered together is not said.

Examples:
  gpuci scope
  gpuci scope fused-adjoint
  gpuci scope --json | jq -r 'select(.gap > 0) | .gate'

Exit codes: 0, also where there are gaps, 4 no such gate, 64 usage, 69 the lane
or what was shown cannot be read, 78 configuration.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = asJSON
			return a.scope(cmd, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines, each with a type")
	return cmd
}

func (a *app) scope(cmd *cobra.Command, names []string, asJSON bool) error {
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	picked, err := pickOrAll(cfg, names)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	s, err := gates.ReadScopes(ctx, cfg, lane, a.historyOptions(cfg, lane), picked)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return coded{exitUnfit, err.Error(), "gpuci doctor says what is wrong"}
	}
	if asJSON {
		err = a.scopeJSON(s)
	} else {
		err = a.scopeText(s)
	}
	if err == nil && s.HistoryError != nil {
		err = coded{exitUnfit, "what runs have shown is not known: " + s.HistoryError.Error(), "gpuci doctor says what is wrong"}
	}
	return err
}

// pickOrAll are the gates that are named, or all.
func pickOrAll(cfg *config.Config, names []string) ([]config.Gate, error) {
	if len(cfg.Gates) == 0 {
		return nil, coded{gates.ExitNothing, "there is no [[gate]] in gpuci.toml yet", "gpuci gate --help has an example to begin with"}
	}
	return pick(cfg, gateOptions{all: len(names) == 0}, names)
}

func (a *app) scopeJSON(s gates.Scopes) error {
	var err error
	for _, x := range s.Axes {
		err = errors.Join(err, a.jsonLine(x))
	}
	for _, x := range s.Disagree {
		err = errors.Join(err, a.jsonLine(x))
	}
	for _, name := range s.Undescribed {
		err = errors.Join(err, a.jsonLine(undescribedLine{"undescribed", name}))
	}
	return err
}

// undescribedLine is a gate that does not say what it covers.
type undescribedLine struct {
	Type string `json:"type"` // always "undescribed"
	Gate string `json:"gate"`
}
