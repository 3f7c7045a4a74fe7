package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"gpuci/ci/spool"
	"gpuci/gates"
	"gpuci/gates/config"
)

// taskCommand is what a job on a node runs. Nobody types it.
func (a *app) taskCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "task DIR",
		Short:  "run one gate that was handed over, as a job of a scheduler",
		Hidden: true,
		Long: `task runs the gate that the order in DIR names: in a checkout of its own, made of
what lies in the shared place, and gives back there what came of it. Slurm starts it;
SLURM_JOB_ID and SLURM_RESTART_COUNT say which attempt it is.

Examples:
  SLURM_JOB_ID=1 gpuci ci task /shared/gpuci-1000/nights/NIGHT/tasks/COOKIE

Exit codes: those of the gate's outcome, as its result says; 75 also where another job
has the task, 69 nothing could be given back, 64 usage, 130 and 143 told to stop.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !filepath.IsAbs(args[0]) {
				return coded{gates.ExitUsage, "ci task takes the directory of one task", "a job of gpuci ci run --on slurm runs it"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.task(cmd.Context(), args[0]) },
	}
}

// attemptHere is which go of which job this is.
func attemptHere() (at spool.Attempt, err error) {
	if at.Job = os.Getenv("SLURM_JOB_ID"); at.Job == "" {
		return at, coded{gates.ExitUsage, "ci task is run by a job, and SLURM_JOB_ID is not set", "gpuci ci run --on slurm hands gates to Slurm"}
	}
	if n := os.Getenv("SLURM_RESTART_COUNT"); n != "" {
		if at.Restart, err = strconv.Atoi(n); err != nil || at.Restart < 0 {
			return at, coded{gates.ExitUsage, fmt.Sprintf("SLURM_RESTART_COUNT is %q", n), "it is how often the job was begun before"}
		}
	}
	return at, nil
}

// task runs one, and exits as the gate does.
func (a *app) task(ctx context.Context, dir string) error {
	at, err := attemptHere()
	if err != nil {
		return err
	}
	j, err := spool.Begin(dir, at)
	var idle *spool.IdleError
	switch {
	case errors.As(err, &idle):
		return coded{spool.ExitIdle, idle.Why, ""}
	case err != nil:
		return coded{spool.ExitUndelivered, err.Error(), "does the node see the shared directory of [slurm], and may it write there?"}
	}
	code, err := a.runTask(ctx, j)
	if cerr := j.Close(context.WithoutCancel(ctx)); cerr != nil {
		a.console.note(cerr.Error())
	}
	if err != nil {
		return coded{spool.ExitUndelivered, err.Error(), "is there space in the shared directory?"}
	}
	return coded{code: code}
}

// runTask runs the gate and gives back what came of it: an error says that it could not.
func (a *app) runTask(ctx context.Context, j *spool.Job) (code int, err error) {
	log, err := j.Log()
	if err != nil {
		return 0, err
	}
	say := func(text string) {
		a.console.note(text)
		log.Note(text)
	}
	out, err := j.CheckOut(ctx)
	var opt gates.Options
	var past *gates.Past
	if err == nil {
		opt, past, err = a.taskOptions(ctx, j, out, say)
	}
	defer past.Close()
	var failure *spool.Failure
	switch {
	case ctx.Err() != nil:
		return stopTask(ctx, j)
	case errors.As(err, &failure):
		say(failure.Text)
		return j.Fail(failure)
	case err != nil:
		return j.Fail(&spool.Failure{Outcome: gates.Broken, Text: err.Error(), Next: "gpuci doctor on the node says more"})
	}
	opt.Live = log
	v := gates.Run(ctx, opt)
	if stoppedWith(ctx, v) {
		return stopTask(ctx, j)
	}
	return j.Deliver(context.WithoutCancel(ctx), v)
}

// signalGap is how long after the end of a command the signal may come that ended it: a
// scheduler sends it to all processes of a job, one after the other.
const signalGap = 500 * time.Millisecond

// stoppedWith says that the task was told to stop before its gate had come to an end by
// itself.
func stoppedWith(ctx context.Context, v gates.Verdict) bool {
	if ctx.Err() == nil && slices.ContainsFunc(v.Commands, func(c gates.Ended) bool { return c.Signal != "" }) {
		select {
		case <-ctx.Done():
		case <-time.After(signalGap):
		}
	}
	return ctx.Err() != nil
}

// stopTask gives back that it was told to stop.
func stopTask(ctx context.Context, j *spool.Job) (int, error) {
	code := exitCode(context.Cause(ctx), true)
	return code, j.Stop(context.Cause(ctx).Error(), code)
}

// taskOptions are those under which the gate would be run in a night here: with the rules
// of this machine, and the past that came along.
func (a *app) taskOptions(ctx context.Context, j *spool.Job, out spool.Checkout, say func(string)) (opt gates.Options, past *gates.Past, err error) {
	cfg, err := config.Load(config.DefaultSources(filepath.Join(out.Root, config.FileName)))
	if err != nil {
		return opt, nil, &spool.Failure{Outcome: gates.Broken, Content: true, Text: err.Error(), Next: "also /etc/gpuci.toml and the user's own configuration on the node count"}
	}
	lane := out.Lane
	if j.Order.Archive != "" {
		if lane, err = a.unpacked(cfg, lane); err != nil {
			return opt, nil, err
		}
	}
	i := slices.IndexFunc(cfg.Gates, func(g config.Gate) bool { return g.Name == j.Gate })
	if i < 0 {
		return opt, nil, &spool.Failure{Outcome: gates.Broken, Text: fmt.Sprintf("the content has no gate %q", j.Gate)}
	}
	g := cfg.Gates[i]
	if id := gates.SettingsID(g); id != j.Config {
		return opt, nil, &spool.Failure{Outcome: gates.Broken, Text: fmt.Sprintf("the settings of gate %s are %s here, and %s where it was handed over", g.Name, id, j.Config), Next: "let /etc/gpuci.toml and the user's own configuration say the same there"}
	}
	rule, err := place{config: cfg}.rule(ownEnv(), j.NoPressure)
	if err != nil {
		return opt, nil, err
	}
	h := a.historyOptions(cfg, lane)
	h.State, h.Note = out.State, say
	h.Index = filepath.Join(filepath.Dir(out.State), "index")
	past = gates.NewPast(ctx, h)
	opt = a.options(cfg, lane, gateOptions{args: j.Args, strict: j.Strict, verbose: j.Verbose}, g, out.State, a.gateQueue(cfg, lane), rule, past)
	opt.Terminal, opt.Note, opt.KeepRuns = nil, say, 0
	if opt.Detail != nil {
		opt.Detail = say
	}
	opt.As = gates.As{Lane: j.Lane, Branch: j.Branch}
	opt.Env = append(opt.Env, out.Env...)
	if opt.Bundle != nil {
		if opt.Bundle.Tree != j.Tree || opt.Bundle.Commit != j.Commit {
			return opt, past, &spool.Failure{Outcome: gates.Broken, Content: true, Text: fmt.Sprintf("the archive is of the content %.10s, and not of %.10s", opt.Bundle.Tree, j.Tree)}
		}
		opt.Bundle.Stands = &gates.Standing{Base: j.Base, On: j.OnBase, Here: j.Here}
	}
	return opt, past, nil
}
