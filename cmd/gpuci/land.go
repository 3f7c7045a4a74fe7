package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// landFlags are the flags of `gpuci worktrees land`.
type landFlags struct {
	onto                             string
	committed, dryRun, json, verbose bool
	noPressure                       bool
	wait                             time.Duration
	waits                            bool // --wait was given
}

func (a *app) landCommand() *cobra.Command {
	var f landFlags
	cmd := &cobra.Command{
		Use:   "land LANE",
		Short: "put a lane's commits onto the base branch, if the gates let them",
		Long: `land replays the commits of a lane on the base branch, as git rebase does, in a
scratch lane; runs the required gates there; and moves the base branch forward, if
nothing is red that the base is not red for itself. Merges are left out; one with
changes of its own is refused. Where the base is among the lane's ancestors already,
the very commits are landed. Landings of one repository
queue, first come, first served: lane and base are read when it is our turn.

Conflicts, reds and refusals leave everything as it was. The lane's own branch is
never moved. A base that is checked out in a lane is moved there, by git merge
--ff-only without hooks, and only if that lane is clean; where somebody else has
moved it meanwhile, all begins again, three times at most.

Required are the gates of [ci] required, of the lane and of the base, or all that
are not known red. A gate that is red may be so if the base's own commit is red by it
as well (as its last run in a scratch lane has it, else it is run there), for tests,
bars and witnesses that are red there, and the same exit status. A red of which not
everything has a name, as with reader none, can be the same only as a known red: the
lane may declare it, if the base is red.

Examples:
  gpuci worktrees land kda-adjoint
  gpuci worktrees land kda-adjoint --onto release --committed
  gpuci worktrees land kda-adjoint --dry-run

Exit codes: 0 landed, or nothing to land; 100 red, or a conflict; 101, 102, 124 a
gate's build failed, it was broken, out of time; 75 refused: changes that are not
committed, a base that cannot be moved, a gate that was refused; 4 no such lane or
branch, 64 usage, 78 configuration, 130 and 143 interrupted.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return coded{gates.ExitUsage, "land takes the name of one lane", "gpuci worktrees lists them"}
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, noWords
			}
			return a.laneWords(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.waits = cmd.Flags().Changed("wait")
			return a.land(cmd, f, args[0])
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.onto, "onto", "", "onto branch `B` instead of the base branch")
	s.BoolVar(&f.committed, "committed", false, "land what is committed, though there are changes that are not")
	s.BoolVar(&f.dryRun, "dry-run", false, "say what would be done, and do nothing")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe; the outcomes are marked")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "say every step and command, and show every bar")
	s.Var((*waitFlag)(&f.wait), "wait", "wait for `D` at most (30s, 10m) for landings before this one; as long as it takes if not given")
	return cmd
}

func (a *app) land(cmd *cobra.Command, f landFlags, name string) error {
	a.json = f.json
	ctx := cmd.Context()
	cfg, here, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	m, err := a.lanesMeant(ctx, laneFlags{lanes: []string{name}})
	if err != nil {
		return err
	}
	p, err := a.place(ctx, true)
	if err != nil {
		return err
	}
	state, note := gates.StateDir(here, cfg.Root)
	if note != "" {
		a.console.note(note)
	}
	past := gates.NewPast(ctx, a.historyOptions(cfg, here))
	defer past.Close()
	done, err := ci.Land(ctx, ci.LandOptions{
		Here: here, Config: cfg, Lane: m.lanes[0], Onto: f.onto, Committed: f.committed, DryRun: f.dryRun,
		State: state, History: past, Note: a.console.note,
		Queue:   func(ctx context.Context) (func(), error) { return a.landingTurn(ctx, p, f, name) },
		Prepare: a.inScratch(gateOptions{json: f.json, verbose: f.verbose, noPressure: f.noPressure}, state, past),
		Verdict: func(v gates.Verdict) {
			_ = a.console.settle()
			if err := a.print(v, gateOptions{json: f.json, verbose: f.verbose}); err != nil && !unheard(err) {
				a.console.note("print the outcome: " + err.Error())
			}
		},
	})
	if err != nil {
		return landError(err, cmp.Or(f.onto, cfg.Workspace.Base))
	}
	return a.landed(done, f)
}

// landError gives the errors of a landing their exit codes.
func landError(err error, onto string) error {
	var submodule *worktrees.SubmoduleError
	switch {
	case errors.Is(err, worktrees.ErrNoBase):
		hint := "--onto names a branch; git branch lists them"
		if onto != "" {
			hint = "git branch lists those there are; git branch " + onto + " origin/" + onto + " makes one of a remote's"
		}
		return coded{gates.ExitNothing, err.Error(), hint}
	case errors.As(err, &submodule):
		return coded{gates.Refused.ExitCode(), err.Error(), "git submodule update --init, in one of the lanes, brings it here"}
	}
	return err
}

// landingTurn waits for the landings of this repository that came before. The
// ticket is not kept for what we start: should we be killed, nothing is left that
// the next landing would have to wait for.
func (a *app) landingTurn(ctx context.Context, p place, f landFlags, lane string) (func(), error) {
	sum := sha256.Sum256([]byte(p.lane.CommonDir))
	l, err := buildlock.Named("landing-" + hex.EncodeToString(sum[:6]))
	if err != nil {
		return nil, err
	}
	wait := time.Duration(-1)
	if f.waits {
		wait = f.wait
	}
	t, err := buildlock.Acquire(ctx, buildlock.Options{
		Dir: p.lockDir(), Lock: l, Wait: wait, Marks: os.Getenv(shim.TicketsVar),
		Who:     p.who([]string{"gpuci", "worktrees", "land", lane}),
		Waiting: func(line buildlock.Line) { a.console.note(waitingText(line)) },
	})
	if err != nil {
		return nil, err
	}
	if t.Passed {
		return nil, coded{gates.Refused.ExitCode(), "a landing goes on above this one, and this one would move what it judges", "take gpuci worktrees land out of the gate"}
	}
	return func() { _ = t.Release() }, nil
}

// inScratch gives gates in a scratch lane what those of `gpuci gate` have.
func (a *app) inScratch(o gateOptions, state string, past *gates.Past) func(worktrees.Lane, *config.Config, config.Gate) (gates.Options, error) {
	return func(lane worktrees.Lane, cfg *config.Config, g config.Gate) (gates.Options, error) {
		rule, err := place{config: cfg}.rule(ownEnv(), o.noPressure)
		if err != nil {
			return gates.Options{}, err
		}
		return a.options(cfg, lane, o, g, state, a.gateQueue(cfg, lane), rule, past), nil
	}
}
