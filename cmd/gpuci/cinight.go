package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gpuci/ci"
	"gpuci/ci/slurm"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/junit"
	"gpuci/worktrees"
)

// night spends one, and prints its report.
func (a *app) night(cmd *cobra.Command, f nightFlags) error {
	a.json = f.json
	if err := f.check(); err != nil {
		return err
	}
	for _, out := range [][2]string{{"--junit", f.junit}, {"--markdown", f.markdown}} {
		if err := a.junitPlace(cmd.Context(), out[0], out[1]); err != nil {
			return err
		}
	}
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	if lane.Root == "" {
		return errNoLanes()
	}
	if len(f.lanes) > 0 { // it has names that are near
		if _, err := a.lanesMeant(cmd.Context(), laneFlags{lanes: f.lanes}); err != nil {
			return err
		}
	}
	o, err := a.nightOptions(cmd.Context(), cfg, lane, f)
	if err != nil {
		return err
	}
	defer o.Past.Close()
	report, err := ci.Run(cmd.Context(), o)
	a.console.live("")
	if err != nil {
		return nightError(cfg, err)
	}
	return a.endNight(report, f)
}

// nightOptions are what the flags and the configuration make of a night.
func (a *app) nightOptions(ctx context.Context, cfg *config.Config, lane worktrees.Lane, f nightFlags) (ci.Options, error) {
	state, note := gates.StateDir(lane, cfg.Root)
	if note != "" {
		a.console.note(note)
	}
	rule, err := place{config: cfg}.rule(ownEnv(), f.pressure)
	if err != nil {
		return ci.Options{}, err
	}
	past := gates.NewPast(ctx, a.historyOptions(cfg, lane))
	queues := make(map[string]*gates.Queue) // by the root of the scratch lane
	away := a.elsewhere()
	o := ci.Options{
		On: f.on, Open: a.opener(cfg, lane, past, f), Version: versionText(), Watch: away.watch, Some: f.some, Night: f.again,
		Here: lane, Config: cfg, State: state, Shared: gates.HistoryDir(lane, cfg.Root), Past: past,
		Lanes: f.lanes, Branches: f.branches, Gates: f.gates, Force: f.force, Resume: f.resume, Until: f.until, Note: a.console.note,
		Comparisons: func() []ci.Comparison { return a.owedTonight(ctx, state, lane, cfg.Root) },
		Prepare: func(scratch worktrees.Lane, cfg *config.Config, g config.Gate) (gates.Options, error) {
			q := queues[cfg.Root]
			if q == nil {
				q = a.gateQueue(cfg, scratch)
				queues[cfg.Root] = q
			}
			opt := a.options(cfg, scratch, gateOptions{verbose: f.verbose}, g, state, q, rule, past)
			if !f.verbose { // of a night the log is enough
				opt.Live, opt.Terminal = nil, nil
			}
			return opt, nil
		},
	}
	if f.verbose {
		o.Output = away.named
	}
	return o, nil
}

// nightError gives the errors of a night their exit codes.
func nightError(cfg *config.Config, err error) error {
	var busy *ci.BusyError
	var unknown *ci.UnknownError
	switch {
	case errors.As(err, &busy):
		return coded{gates.Refused.ExitCode(), err.Error(), "wait for it, or end it by kill -TERM; gpuci ci run runs beside it"}
	case errors.As(err, &unknown) && unknown.What == "gate":
		return noGate(cfg, unknown.Name)
	case errors.As(err, &unknown):
		return coded{gates.ExitNothing, err.Error(), "git branch --all lists the branches, git worktree list the lanes"}
	case errors.Is(err, ci.ErrNoNight):
		return coded{gates.ExitNothing, err.Error(), "leave --resume out for a new one"}
	case errors.Is(err, slurm.ErrNoShared): // no later try can do better
		return coded{gates.ExitConfig, err.Error(), ""}
	case errors.Is(err, ci.ErrOn):
		return coded{gates.Refused.ExitCode(), err.Error(), "gpuci doctor says below slurm what is there; without --on they run on this machine"}
	case errors.Is(err, ci.ErrNoPlace):
		return coded{gates.Refused.ExitCode(), err.Error(), ""}
	}
	return err
}

// endNight writes the report in every form that is asked for.
func (a *app) endNight(r ci.Report, f nightFlags) error {
	codes := []int{r.Exit}
	unwritten := func(err error) {
		if err != nil {
			a.console.note(err.Error())
			codes = append(codes, gates.ExitUnexpected)
		}
	}
	if f.junit != "" {
		unwritten(junit.WriteFile(f.junit, r.Suites()))
	}
	if f.markdown != "" {
		unwritten(writeMarkdown(f.markdown, os.O_TRUNC, r))
	}
	_ = a.console.settle()
	write := r.WriteText
	if f.json {
		write = r.WriteJSON
	}
	if err := write(a.out); err != nil {
		return err
	}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		unwritten(a.github(r, f.json))
	}
	return coded{code: gates.WorstExit(codes...)}
}

// github shows a report where GitHub's runner looks: on stdout, or on stderr where
// stdout is JSON, and in the summary of the step.
func (a *app) github(r ci.Report, json bool) error {
	var out bytes.Buffer
	if err := r.WriteAnnotations(&out); err != nil {
		return err
	}
	switch {
	case out.Len() == 0:
	case json:
		a.console.raw(out.String())
	default:
		if _, err := a.out.Write(out.Bytes()); err != nil {
			return err
		}
	}
	file := os.Getenv("GITHUB_STEP_SUMMARY")
	if file == "" {
		return nil
	}
	if err := writeMarkdown(file, os.O_APPEND, r); err != nil { // the night's exit code says more
		a.console.note(err.Error())
		a.console.note("hint: GITHUB_STEP_SUMMARY is to name a file that can be written; --markdown FILE writes the same report elsewhere")
	}
	return nil
}

// writeMarkdown writes a report to a file, in its place or at its end.
func writeMarkdown(path string, how int, r ci.Report) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|how, 0o666)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := errors.Join(r.WriteMarkdown(f), f.Close()); err != nil {
		return fmt.Errorf("write the report to %s: %w", path, err)
	}
	return nil
}
