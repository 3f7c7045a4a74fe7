package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/fixtures"
	"gpuci/worktrees"
)

// fixtureFlags are the flags of the commands of `gpuci fixtures`.
type fixtureFlags struct {
	json, verbose, noPressure bool
}

func (a *app) fixturesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fixtures",
		Short: "hold committed fixtures against what their generators make",
		Long: `fixtures is about files that are committed though a program makes them: reference
values, weights, golden outputs. Each is a [[fixture]] of gpuci.toml, with its
generator, or with the reason why nothing makes it.

  [[fixture]]
  name = "oracle"
  path = "tests/fixtures/oracle.npz"
  generator = ["python3", "tools/oracle.py"]
  tolerance = { rel = 1e-6 }        # left out, the bytes must be the same

Examples:
  gpuci fixtures verify
  gpuci fixtures list

Exit codes: those of the command in question; 64 usage.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.fixturesVerifyCommand(), a.fixturesListCommand())
	return cmd
}

func (a *app) fixturesVerifyCommand() *cobra.Command {
	var f fixtureFlags
	cmd := &cobra.Command{
		Use:   "verify [NAME…]",
		Short: "make fixtures again, and say what differs, by how much, and where",
		Long: `verify runs the generators of the fixtures that are named, or of all, in a scratch
lane: the lane as it is, uncommitted changes included, with the fixtures' own files
taken away, so that none is compared with itself. Fixtures with the same generator
share a run. The lane itself is only read.

A generator finds in GPUCI_FIXTURE_OUT where to write: the directory of gpuci.toml,
where it writes each file at its path, or output, an empty directory. One that fails
has refused, and nothing of it is compared.

compare = "bytes" is exact, and where the format is known the difference is told by
its numbers. compare = "numbers" goes block by block: the arrays of safetensors, npy
and npz files, raw little-endian numbers (dtype, and shape, a JSON file that says
[2, 3]), the columns of CSV files, the paths of JSON documents. A number may be off by
abs + rel of the committed one; integers, types, shapes and names are exact; NaN
equals NaN alone, and byte order and order of axes make no difference.

What else is said: a fixture that no [[fixture]] names ([workspace] fixtures, and data
that gates were built from), one that no gate is known to read (dependency files of
the last runs, include_bytes! and include_str!, used-by), a generator that wrote
nothing, or less or more than is committed, or elsewhere, one that makes something
else each time, two that hold the same, a tolerance that lets zeros pass.

A file that came out the same is not "same" where its generator can have had it from
the committed one: by a link, or by a git that does more than name, list and count
(rev-parse, describe, ls-files, status, config, log --format=…, diff --quiet and the
like are fine; so is a repository of its own). Then it cannot be said (102). That the
file was opened in the lane, or among git's objects by no git that was traced, is
something to be looked at (103): somebody else may have.

What is not seen: a generator that reads the committed file out of a pack of git's
without the git program, or with GIT_TRACE2_EVENT switched off, or from a copy
elsewhere; what it writes where git ignores it, or outside of the repository.

Examples:
  gpuci fixtures verify
  gpuci fixtures verify oracle --json

Exit codes: 0 all as they are made, 100 one differs, 102 it cannot be said of one, 103
something is to be looked at (unread, unmade, wrote elsewhere), 75 a generator was not
run, 69 the disk of the scratch lane is full; 4 no such fixture, or none at all, 64
usage, 78 configuration, 130 and 143 interrupted.`,
		ValidArgsFunction: a.fixtureWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.fixtures(cmd, f, args, true) },
	}
	cmd.Flags().BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show the output of the generators, and say every step")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

func (a *app) fixturesListCommand() *cobra.Command {
	var f fixtureFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list fixtures, who reads them, and what is wrong with them at a look",
		Long: `list shows every fixture, what makes it and who is known to read it, and finds what
needs no generator to be run: gpuci fixtures verify --help says what.

Examples:
  gpuci fixtures list
  gpuci fixtures list --json

Exit codes: 0, 100 two hold the same or one is gone, 102 its files cannot be told, 103
something is to be looked at; 4 there is none, 78 configuration.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.fixtures(cmd, f, nil, false) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

// fixtures looks at them, and with verify makes them again.
func (a *app) fixtures(cmd *cobra.Command, f fixtureFlags, names []string, verify bool) error {
	a.json = f.json
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	switch {
	case lane.Root == "":
		return coded{gates.ExitNothing, "there is no lane to copy: this is no git worktree", "cd into a lane, or name its directory by -C"}
	case len(cfg.Fixtures) == 0 && len(cfg.Workspace.Fixtures) == 0:
		return coded{gates.ExitNothing, "there is no [[fixture]] in gpuci.toml yet", "gpuci fixtures --help has an example to begin with"}
	}
	o, past, err := a.fixtureOptions(cmd, cfg, lane, f)
	if err != nil {
		return err
	}
	defer past.Close()
	o.Names = names
	look := fixtures.Survey
	if verify {
		a.clearScratch(cmd.Context(), lane, o.Scratch)
		look = fixtures.Verify
	}
	report, err := look(cmd.Context(), o)
	if err != nil {
		return fixtureError(cfg, err)
	}
	_ = a.console.settle()
	if err := a.printFixtures(cfg, report, f.json, verify); err != nil {
		return err
	}
	return coded{code: report.Exit}
}

func (a *app) fixtureOptions(cmd *cobra.Command, cfg *config.Config, lane worktrees.Lane, f fixtureFlags) (o fixtures.Options, past *gates.Past, err error) {
	dir, err := ci.ScratchDir(cfg, lane)
	if err != nil {
		return o, nil, err
	}
	state, note := gates.StateDir(lane, cfg.Root)
	if note != "" {
		a.console.note(note)
	}
	rule, err := place{config: cfg}.rule(ownEnv(), f.noPressure)
	if err != nil {
		return o, nil, err
	}
	past = gates.NewPast(cmd.Context(), a.historyOptions(cfg, lane))
	var queue *gates.Queue // one scratch lane, one queue
	o = fixtures.Options{
		Config: cfg, Lane: lane, Scratch: dir, State: state, Past: past, Note: a.console.note,
		Prepare: func(scratch worktrees.Lane, cfg *config.Config, g config.Gate) (gates.Options, error) {
			if queue == nil {
				queue = a.gateQueue(cfg, scratch)
			}
			opt := a.options(cfg, scratch, gateOptions{verbose: f.verbose}, g, state, queue, rule, past)
			if !f.verbose { // the log has it
				opt.Live, opt.Terminal = nil, nil
			}
			return opt, nil
		},
	}
	if shared := gates.HistoryDir(lane, cfg.Root); shared != state {
		o.Shared = shared
	}
	return o, past, nil
}

// fixtureError gives the errors of a verification their exit codes.
func fixtureError(cfg *config.Config, err error) error {
	var unknown *fixtures.UnknownError
	var names []string
	for _, x := range cfg.Fixtures {
		names = append(names, x.Name)
	}
	switch {
	case errors.As(err, &unknown):
		return coded{gates.ExitNothing, err.Error(), nearHint(unknown.Name, names, "there is "+orNone(strings.Join(names, ", ")))}
	case errors.Is(err, syscall.ENOSPC):
		return coded{exitUnfit, err.Error(), "free space, or name another directory by scratch in [ci] of your own file"}
	}
	return coded{gates.Broken.ExitCode(), fmt.Sprintf("the fixtures cannot be verified: %v", err), "mend what it says, and try again"}
}

// fixtureWords are the fixtures that are not named yet.
func (a *app) fixtureWords(cmd *cobra.Command, args []string, word string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	cmd.SetContext(contextOr(cmd.Context()))
	cfg, _, err := a.workspace(cmd)
	if err != nil {
		return nil, noWords
	}
	for _, x := range cfg.Fixtures {
		if strings.HasPrefix(x.Name, word) && !slices.Contains(args, x.Name) {
			out = append(out, printable(x.Name))
		}
	}
	return out, noWords
}
