package main

import (
	"context"
	"errors"
	"strings"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// runElsewhere runs gates of one lane on other machines, and prints each outcome as it
// comes.
func (a *app) runElsewhere(ctx context.Context, cfg *config.Config, lane worktrees.Lane, o gateOptions, state string, list []config.Gate) (r laneRun, err error) {
	if lane.Root == "" {
		return r, errNoLanes()
	}
	past := gates.NewPast(ctx, a.historyOptions(cfg, lane))
	defer past.Close()
	away := a.elsewhere()
	defer away.end()
	h := ci.HandOptions{
		Lane: lane, Config: cfg, State: state, Past: past, Version: versionText(), On: o.on, Open: a.opener(cfg, lane, past, nightFlags{pressure: o.noPressure, verbose: o.verbose}), Gates: list, Args: o.args, Strict: o.strict, KeepGoing: o.keepGoing,
		Note: a.console.note, Watch: away.watch, Output: away.named,
		Outcome: func(v gates.Verdict) { r.take(a, v, o) },
	}
	if len(list) == 1 {
		h.Output = away.whole
	}
	r.notRun, err = ci.Hand(ctx, h)
	if len(r.notRun) > 0 {
		a.console.note("not run: " + strings.Join(r.notRun, ", "))
	}
	if sig := (gates.Signalled{}); errors.As(err, &sig) {
		a.console.note(err.Error())
		r.codes, err = append(r.codes, sig.Exit), nil
	}
	if err != nil {
		return r, nightError(cfg, err)
	}
	if ctx.Err() != nil {
		r.codes = append(r.codes, exitCode(context.Cause(ctx), true))
	}
	return r, nil
}
