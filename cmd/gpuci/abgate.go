package main

import (
	"context"
	"path/filepath"
	"slices"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/config"
	"gpuci/pressure"
	"gpuci/worktrees"
)

// comparer compares a lane with its base, for the bars of a gate that ask for it; nil
// where none does.
func (a *app) comparer(cfg *config.Config, g config.Gate, o gateOptions, state string, rule pressure.Rule, past *gates.Past) gates.Comparer {
	if !slices.ContainsFunc(g.Bars, func(b config.Bar) bool { return b.AB != nil }) {
		return nil
	}
	return func(ctx context.Context, asked gates.Asked) gates.Comparison {
		scratch, err := ci.ScratchDir(cfg, asked.Lane)
		if err != nil {
			return gates.Comparison{Outcome: gates.Broken, Why: err.Error()}
		}
		a.clearScratch(ctx, asked.Lane, scratch)
		return ab.Holder{
			Bank: cfg.Bank, Branch: cfg.Workspace.Base, State: state, ScratchDir: scratch, Version: versionText(), Note: a.console.note,
			Prepare: a.armOptions(cfg, o, state, rule, past),
		}.Compare(ctx, asked)
	}
}

// armOptions give the options under which a gate runs in the scratch lane of an arm.
func (a *app) armOptions(cfg *config.Config, o gateOptions, state string, rule pressure.Rule, past *gates.Past) func(config.Gate, worktrees.Lane, string) (gates.Options, error) {
	queues := make(map[string]*gates.Queue) // by the root of the scratch lane
	return func(g config.Gate, scratch worktrees.Lane, root string) (gates.Options, error) {
		there := *cfg
		there.Root = filepath.Clean(root)
		if queues[root] == nil {
			queues[root] = a.gateQueue(&there, scratch)
		}
		opt := a.options(&there, scratch, gateOptions{verbose: o.verbose, card: o.card}, g, state, queues[root], rule, past)
		if !o.verbose { // the log is enough
			opt.Live, opt.Terminal = nil, nil
		}
		return opt, nil
	}
}
