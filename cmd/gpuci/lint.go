package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/lint"
	"gpuci/worktrees"
)

// lintFlags are the flags of `gpuci lint`.
type lintFlags struct {
	prove, json, verbose, noPressure bool
}

func (a *app) lintCommand() *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Use:   "lint [GATE…]",
		Short: "find what turns a failure into success",
		Long: `lint reads the commands of the gates that are named, or of all, and what they call
in the workspace: scripts of bash and sh, the recipes of a Makefile, scripts of Python
(programs that they start), GitHub workflows that run a gate, and the tests that a
command of cargo, go, pytest or unittest runs: of the packages and targets, under the
names that its words choose. What these choose and cannot be told is said. It finds the commands whose failure gets lost:

  cmd | tee log          without pipefail        cmd || true, || echo …, || exit 0
  cmd; echo done         without set -e          set +e, and nobody looks at $?
  f || …, if f           set -e stops acting in  cmd && other; more
  local x=$(cmd)         export and declare, too cmd "$(other)", <(cmd), cmd &
  ! cmd                  trap '… exit 0' EXIT    - before a recipe, make -i, .IGNORE
  cargo test --no-run    continue-on-error       subprocess.run without check=True
  if cmd; then echo ok;  else echo failed; fi    while cmd; do …; done
  grep -q ok log; more   test -s f; more         x=$(cmd) || x=none
  find -exec cmd \;      eval, bash -c "cmd…"    except …: print(e)
  #[ignore], t.Skip      a test that returns before its first assertion

and --tests and --all-targets in the gate of a crate with many test binaries. (make -k
is none: it does end with a failure.) Commands that only set up or print do not count.
Where shellcheck is on PATH, what it says of lost failures is added; it has ten seconds
for a script.

--prove shows it. In a scratch lane of the exact state the one command is run as ever
and then fails, and the gate's build and run go on from there, supervised and with their
time limits. They still end with 0: proven. They do not, in every gate that comes by it:
the finding is withdrawn. The run never comes there, the gate is red by itself, or there
is no command to replace, as in a test: not proven. Whether somebody reads a failure off
its output is not asked. Nothing is written to the lane, and what comes of it is none of
the gate's outcomes; but a gate that writes elsewhere (a tag, a file in /tmp, a server)
does so once more for each finding, and what it does about a failure is really done.

What is meant so is accepted, on the line itself and with a reason, which is listed:

  nvcc --help | tee help.txt    # gpuci:lint ok the help is not what is checked

(of a command over several lines, on any of them, or in a comment above it), and so is a command of which cannot be told what it runs.

Examples:
  gpuci lint
  gpuci lint unit --prove

Exit codes: 0 nothing found, or all accepted or withdrawn; 100 a finding is proven, or
is of a kind that cannot be meant (the failure of a test command is lost, a run that
runs nothing, a test that returns at once); 103 there are only others, or a script or
what a test command runs could not be read; 4 no such gate, 64 usage, 69 no room for a scratch lane, 78
configuration, 102 nothing could be proven for another reason, 130 and 143 interrupted.`,
		ValidArgsFunction: a.gateWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.lint(cmd, f, args) },
	}
	s := cmd.Flags()
	s.BoolVar(&f.prove, "prove", false, "let what was found fail, in a scratch lane, and see what the gate ends with")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "show what was read and what was withdrawn, and the output of the gates")
	return cmd
}

func (a *app) lint(cmd *cobra.Command, f lintFlags, names []string) error {
	a.json = f.json
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	list, err := pick(cfg, gateOptions{all: len(names) == 0}, names)
	if err != nil {
		return err
	}
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		shellcheck = ""
	}
	r, err := lint.Look(cmd.Context(), lint.Options{Config: cfg, Gates: list, Shellcheck: shellcheck})
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if f.prove {
		err = a.proveLint(ctx, cfg, lane, f, list, r)
		_ = a.console.settle()
	}
	code := r.Exit()
	if printed := a.printLint(r, f, len(list)); printed != nil && !unheard(printed) {
		return printed
	}
	switch {
	case ctx.Err() != nil:
		return coded{code: exitCode(context.Cause(ctx), true)}
	case err != nil:
		return lintError(err)
	}
	return coded{code: code}
}

// lintError gives the errors of a proof their exit codes.
func lintError(err error) error {
	var c coded
	switch {
	case errors.As(err, &c):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return coded{exitUnfit, err.Error(), "free space, or name another directory by scratch in [ci] of your own file"}
	}
	return coded{gates.Broken.ExitCode(), err.Error(), "mend what it says, and try again; without --prove nothing is run"}
}

// proveLint proves what was found.
func (a *app) proveLint(ctx context.Context, cfg *config.Config, lane worktrees.Lane, f lintFlags, list []config.Gate, r *lint.Report) error {
	if lane.Root == "" {
		return coded{gates.ExitNothing, "there is no lane to copy, so nothing can be proven: this is no git worktree", "cd into a lane, or name its directory by -C"}
	}
	dir, err := ci.ScratchDir(cfg, lane)
	if err != nil {
		return err
	}
	a.clearScratch(ctx, lane, dir)
	state, note := gates.StateDir(lane, cfg.Root)
	if note != "" {
		a.console.note(note)
	}
	rule, err := place{config: cfg}.rule(ownEnv(), f.noPressure)
	if err != nil {
		return err
	}
	past := gates.NewPast(ctx, a.historyOptions(cfg, lane))
	defer past.Close()
	queues := make(map[string]*gates.Queue) // by the root of the scratch lane
	return lint.Prove(ctx, lint.ProveOptions{
		Lane: lane, Root: cfg.Root, ScratchDir: dir, Gates: list, Note: a.console.note,
		Prepare: func(g config.Gate, scratch worktrees.Lane, root string) (gates.Options, error) {
			there := *cfg
			there.Root = root
			if queues[root] == nil {
				queues[root] = a.gateQueue(&there, scratch)
			}
			opt := a.options(&there, scratch, gateOptions{verbose: f.verbose}, g, state, queues[root], rule, past)
			if !f.verbose { // the log is enough
				opt.Live, opt.Terminal = nil, nil
			}
			return opt, nil
		},
	}, r)
}

// lintNext says what to do about what was found.
func lintNext(r *lint.Report, f lintFlags) string {
	switch {
	case r.Exit() == 0:
		return ""
	case !slices.ContainsFunc(r.Findings, func(x lint.Finding) bool { return x.Accepted == "" && x.State != lint.Withdrawn }):
		return "what was not read was not looked through: mend it, write its command out, or accept it on its line: # gpuci:lint ok REASON"
	case !f.prove:
		return "gpuci lint --prove shows which of them are so; mend them, or accept one on its line: # gpuci:lint ok REASON"
	}
	return fmt.Sprintf("mend them, or accept one on its line: # %s REASON", "gpuci:lint ok")
}
