package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
)

// nightFlags are the flags of `gpuci ci nightly` and `gpuci ci run`.
type nightFlags struct {
	lanes, branches, gates                 []string
	force, resume, json, verbose, pressure bool
	until, junit, markdown                 string
	on                                     string
	some                                   bool   // of some lanes; for resume
	again                                  string // the run to go on with
}

func (a *app) ciCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "ci",
		Short:      "run the gates of many lanes while nobody watches",
		SuggestFor: []string{"nightly", "units"},
		Long: `ci runs gates in scratch lanes: checkouts of our own, at the commits at which the
lanes stand. No lane is written to, and nobody has to stop working in one.

Examples:
  gpuci ci nightly
  gpuci ci run --branch release unit
  gpuci ci run --branch release --on slurm
  gpuci ci cancel
  gpuci ci units --install --enable

Exit codes: those of the command in question; 64 usage.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.nightlyCommand(), a.ciRunCommand(), a.ciCancelCommand(), a.taskCommand(), a.unitsCommand())
	return cmd
}

func (a *app) nightlyCommand() *cobra.Command {
	var f nightFlags
	cmd := &cobra.Command{
		Use:   "nightly",
		Short: "run what is new in every lane, and say what changed",
		Long: `nightly takes the commits at which the lanes of this repository stand, and runs
their gates in scratch lanes, one after the other, each lane by its own gpuci.toml.
One line a change goes to stderr, and at the end a summary to stdout: what is newly
red or green, what is red still and since when, what was refused or not run (stale:
not run, and the last outcome that is known is of other content),
and what is slower or faster: beyond the last 20 greens of the base branch (5 at
least) by more than the distance between their quartiles.

What a night or a landing judged before on the same content, by the same settings
and tools, is not run again (--force runs it; what came of a gate by hand does not
stand), and lanes with the same content share a run. Changes
that are not committed are not tested; that is said. What the lanes owe for these commits
(gpuci debt) is run first. Then gates go in the order of their after, the cheapest first. A lane that is broken stops none of the others.

A night ends at until in [ci], or --until: what would usually not be done by then is
not begun, and what runs then is ended. Whatever ends it otherwise, a signal or a
crash, --resume goes on with the commits of that night.

With --on slurm the gates run as jobs on a cluster, several at once, where [slurm] in
gpuci.toml or your own configuration says; what comes of them is in the same history and
the same report. A job that Slurm ends (preempted, out of memory, a node that fails) is
refused or broken, with the reason, and never red or green. A signal ends all jobs of the
night within 2 s; after a crash --resume finds them by their names, and gpuci ci cancel
ends them.

Where GITHUB_ACTIONS is true, annotations are printed and the step summary is
written.

Examples:
  gpuci ci nightly
  gpuci ci nightly --until 07:00 --junit night.xml --markdown night.md
  gpuci ci nightly --resume
  gpuci ci nightly --on slurm
  gpuci ci units --install --enable      # every night

Exit codes: 0 all that ran is green or known red, and all ran that was to; else the
first of 143, 130, 1, 78, 69, 101, 102, 124, 100, 103, 75 that a gate or a lane has;
75 also where a night of this repository goes on already, the cluster is not there, or
something was not run because the night ended; 4 there is none to resume, 64 usage, 78 configuration.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return coded{gates.ExitUsage, "nightly takes all lanes and all their gates, and no names", fmt.Sprintf("gpuci ci run %s --lane L, or gpuci ci run --lane %s", args[0], args[0])}
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.night(cmd, f) },
	}
	cmd.SetFlagErrorFunc(notNightly)
	cmd.Flags().BoolVar(&f.resume, "resume", false, "go on with the last night, if it did not end")
	f.register(cmd)
	return cmd
}

// notNightly names the command that has the flags which a person looks for in nightly.
func notNightly(cmd *cobra.Command, err error) error {
	switch err.Error() {
	case "unknown flag: --lane":
		return coded{gates.ExitUsage, "nightly takes all lanes that [ci] lanes says, and has no --lane", "gpuci ci run --lane L is for some lanes"}
	case "unknown flag: --branch":
		return coded{gates.ExitUsage, "nightly takes the lanes, and has no --branch", "gpuci ci run --branch B is for branches"}
	}
	return flagError(cmd, err)
}

func (a *app) ciRunCommand() *cobra.Command {
	var f nightFlags
	cmd := &cobra.Command{
		Use:   "run [GATE…]",
		Short: "run gates at the commits of some lanes or branches",
		Long: `run is a night over the lanes and branches that are named, with the same rules and
the same report: gpuci ci nightly --help has them. Named gates are run even where
gpuci.toml keeps them from nights. It can go on beside a night. --resume goes on with the
last one that did not end, --resume=NIGHT with that one.

Examples:
  gpuci ci run --lane kda-adjoint --lane main
  gpuci ci run --branch release unit lint
  gpuci ci run --lane kda-adjoint --force --json
  gpuci ci run --lane kda-adjoint --on slurm
  gpuci ci run --resume

Exit codes: as those of gpuci ci nightly; 4 no such lane, branch or gate.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.gates, f.resume, f.some = args, f.again != "", true
			if f.again == lastNight {
				f.again = ""
			}
			named := len(f.lanes)+len(f.branches) > 0
			if f.resume && (named || len(args) > 0) {
				return coded{gates.ExitUsage, "--resume goes on with what that run began to do, and takes no lanes, branches or gates", "--resume=NIGHT names a run"}
			}
			if !named && !f.resume {
				return coded{gates.ExitUsage, "no lane and no branch is named", "name them by --lane and --branch; gpuci ci nightly takes all lanes"}
			}
			return a.night(cmd, f)
		},
	}
	cmd.Flags().StringVar(&f.again, "resume", "", "go on with the last run that did not end, or with `NIGHT`")
	cmd.Flags().Lookup("resume").NoOptDefVal = lastNight
	cmd.Flags().StringArrayVar(&f.lanes, "lane", nil, "at the commit of lane `L`; can be repeated")
	cmd.Flags().StringArrayVar(&f.branches, "branch", nil, "at the commit of branch `B`; can be repeated")
	f.register(cmd)
	return cmd
}

// lastNight is --resume without a name.
const lastNight = "last"

func (f *nightFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	s.BoolVar(&f.force, "force", false, "run what was judged before, too")
	s.StringVar(&f.until, "until", "", "end it at `HH:MM`, whatever gpuci.toml says; \"none\" is no end")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.StringVar(&f.junit, "junit", "", "also write the report to `FILE` as JUnit XML")
	s.StringVar(&f.markdown, "markdown", "", "also write the report to `FILE` as Markdown")
	s.BoolVar(&f.pressure, "no-pressure", false, "do not wait for the machine to breathe; the outcomes are marked")
	s.StringVar(&f.on, "on", "", onUsage)
	s.BoolVarP(&f.verbose, "verbose", "v", false, "show the output of the gates, and say every step")
}

// check finds what cannot be meant, before anything runs.
func (f *nightFlags) check() error {
	if f.until != "" && f.until != ci.NoEnd {
		if _, err := config.ParseClock(f.until); err != nil {
			return coded{gates.ExitUsage, "--until " + err.Error(), "--until 07:00"}
		}
	}
	on, err := whereMeant(f.on)
	if f.on = on; err != nil {
		return err
	}
	if f.resume && f.force {
		return coded{gates.ExitUsage, "--resume and --force exclude each other: a night that is resumed does what it began to do", "leave one of the two out"}
	}
	for _, out := range [][2]string{{"--junit", f.junit}, {"--markdown", f.markdown}} {
		if out[1] == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(out[1])); err != nil || !info.IsDir() {
			return coded{gates.ExitUsage, fmt.Sprintf("%s %s: there is no directory %s", out[0], out[1], filepath.Dir(out[1])), "make it first"}
		}
		if info, err := os.Stat(out[1]); err == nil && info.IsDir() {
			return coded{gates.ExitUsage, fmt.Sprintf("%s %s is a directory", out[0], out[1]), "name a file in it"}
		}
	}
	return nil
}
