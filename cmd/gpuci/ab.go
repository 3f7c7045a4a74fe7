package main

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/config"
)

// armFlags are the flags of `gpuci ab`.
type armFlags struct {
	arms, metrics, quality                  []string
	aa, json, verbose, noPressure, exitCode bool
	samples, most, warm                     int
	seed                                    uint64
	resume                                  string
	card                                    cardFlags
}

func (a *app) abCommand() *cobra.Command {
	var f armFlags
	cmd := &cobra.Command{
		Use:   "ab GATE --arm BASE=… --arm NAME=… … | ab REF REF GATE",
		Short: "is it faster, by more than the noise",
		Long: `ab compares arms of a gate with the first of them, the base. Each is made in a
scratch lane of its own, built by the gate's build, and must be green there by the
gate's own rules; then the gate's run is repeated, the arms in turn, each time as a
fresh process. No lane is written to. Of more than two, each has rounds of its own with
the base, by turns with the others, and all have the chance of error together.

An arm is written NAME=PART[,PART…], or in several --arm of one name:

  .                      this lane as it is, uncommitted changes included (the default)
  commit:REF             a commit, a branch, a tag
  lane:L                 another lane as it is
  env:K=V                a variable of the gate's commands
  args:WORDS             appended to the last command of its run
  config:FILE:FROM=>TO   a text that stands once in FILE, from where gpuci.toml is

In the short form, REF is a commit or "." for this lane.

The four runs of a round, two of the base and two of an arm, have one seed in
GPUCI_SEED, for their inputs, and each a directory of its own: every arm is built in
two, so that none finds what the run before has left there for that seed. How far the
base is from its second build is the floor of what can be said. What a run changes in
the tree, and in what git ignores, is put back before the next. A run
counts for nothing, and is taken again, where somebody came on the card (contended),
the card's clocks were held down (throttled), or the disk or the memory stood still
because of others (stalled). A run that is not green ends the comparison: what is
wrong is not timed.

Compared are the times that the gate prints, else the time of its run; --metric names
others, run-wall and run-cpu among them, with :lower or :higher behind what does not
say which is better. Bars on times, and on what is compared, are not judged. A value is
the median of what one run prints, without the first --warm numbers; of a quality it is
the last.

  win         it is better by more than the floor and the least effect
  worse       the same the other way
  tie         the difference is inside of these: no faster, and a candidate for
              deletion if speed is all the arm is for
  cannot say  with how many more samples it would take

Each sample is on the disk before the next begins: what was stopped, killed or refused
is gone on with by --resume, or gpuci debt pay.

Examples:
  gpuci ab main . fused-time
  gpuci ab fused-time --arm ops=env:FUSED=0 --arm fused=env:FUSED=1
  gpuci ab fused-time --arm base=commit:main --arm kda=lane:kda --quality loss
  gpuci ab fused-time --arm o1=. --arm 'o2=config:Makefile:-O1=>-O2' --metric run-cpu
  gpuci ab fused-time --arm t16=. --arm t32=env:TILE=32 --arm t64=env:TILE=64
  gpuci ab --resume

Exit codes: 0 win, tie or worse (with --exit-code 100 for worse, and for a win that
loses quality; of several arms, any), 102 it cannot be said, or an arm is broken; an
arm that is not green ends with its own: 100 red, 101 it does not build, 124; 75 refused, and owed; 4 no such gate, lane or commit, 64 usage, 78
configuration, 130 and 143 stopped.`,
		ValidArgsFunction: a.gateWord,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ab(cmd, f, args)
		},
	}
	s := cmd.Flags()
	s.StringArrayVar(&f.arms, "arm", nil, "an arm, `NAME=PART,…`; the first named is the base")
	s.BoolVar(&f.aa, "aa", false, "the arms are the same on purpose: what comes of it is what the noise can do")
	s.StringArrayVar(&f.metrics, "metric", nil, "compare by `NAME[:lower|higher][:N%]`, less than N% being a tie; can be repeated, the first leads")
	s.StringArrayVar(&f.quality, "quality", nil, "a win must not lose `NAME[:lower|higher][:N%]`, by N% and more; can be repeated")
	s.IntVar(&f.samples, "samples", 0, "at least `N` of each arm, instead of [bank] samples")
	s.IntVar(&f.most, "most", 0, "at most `N` of each arm, instead of [bank] most")
	s.IntVar(&f.warm, "warm", 0, "leave out the first `N` numbers of each run, instead of [bank] warm")
	s.Uint64Var(&f.seed, "seed", 0, "begin with seed `N`, of the order and the inputs; one by chance else")
	s.StringVar(&f.resume, "resume", "", "go on with comparison `ID`; without one, the newest that has not ended")
	s.Lookup("resume").NoOptDefVal = newest
	s.BoolVar(&f.exitCode, "exit-code", false, "end with 100 where the arm is worse, or loses quality")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "show the output of the gates, and say every step")
	f.card.register(cmd)
	cmd.AddCommand(a.abBankCommand(), a.abListCommand(), a.abRecheckCommand(), a.abShowCommand())
	return cmd
}

// newest is --resume without an id.
const newest = "newest"

func (a *app) ab(cmd *cobra.Command, f armFlags, args []string) error {
	a.json = f.json
	if err := f.card.check(cmd); err != nil {
		return err
	}
	w, err := a.bankWorkspace(cmd)
	if err != nil {
		return err
	}
	o, err := a.abOptions(cmd, w, f, args)
	if err != nil {
		return abError(err)
	}
	a.clearScratch(cmd.Context(), w.lane, w.scratch)
	return a.compare(cmd.Context(), w, f, o)
}

// abOptions is what is asked for.
func (a *app) abOptions(cmd *cobra.Command, w bankWorkspace, f armFlags, args []string) (o ab.Options, err error) {
	if f.resume != "" {
		return w.resumed(cmd, f, args)
	}
	name := ""
	switch len(args) {
	case 1:
		name = args[0]
		o.Arms, err = ab.ParseArms(f.arms)
	case 3:
		name = args[2]
		if len(f.arms) > 0 {
			return o, coded{gates.ExitUsage, "two commits and --arm are two ways to say the same", "leave one of the two out"}
		}
		o.Arms = []ab.Arm{ab.RefArm(args[0]), ab.RefArm(args[1])}
		if f.aa && args[0] == args[1] {
			o.Arms[1].Name += "-again"
		}
		if o.Arms[0].Name == o.Arms[1].Name {
			err = &ab.ArmError{Why: "both arms are " + args[0], Next: "--aa compares an arm with itself"}
		}
	default:
		return o, coded{gates.ExitUsage, fmt.Sprintf("ab takes a gate, or two commits and a gate, and not %s", count(len(args), "word", "words")), cmd.CommandPath() + " --help has examples"}
	}
	if err != nil {
		return o, err
	}
	g, ok := w.cfg.Gate(name)
	if !ok {
		return o, noGate(w.cfg, name)
	}
	o.Gate, o.AA, o.Seed, o.Rule = *g, f.aa, f.seed, f.rule(cmd, w.cfg.Bank)
	if o.Wanted, err = f.wanted(w.cfg.Bank); err != nil {
		return o, err
	}
	if err := ab.CheckRule(o.Rule, len(o.Arms)-1, len(o.Wanted)); err != nil {
		return o, coded{gates.ExitUsage, err.Error(), "mend --samples and --most, or [bank] in gpuci.toml"}
	}
	if err := ab.Check(*g, o.Wanted); errors.As(err, new(*ab.ArmError)) {
		return o, err
	} else if err != nil {
		return o, coded{gates.ExitConfig, fmt.Sprintf("gate %s cannot be compared: %v", name, err), "mend the gate in gpuci.toml, or name another one"}
	}
	return w.complete(o), nil
}

// rule is that of [bank], with what the flags say.
func (f armFlags) rule(cmd *cobra.Command, b config.Bank) ab.Rule {
	r := ab.RuleOf(b)
	if f.samples > 0 {
		r.Samples = f.samples
	}
	if f.most > 0 {
		r.Most = f.most
	}
	if cmd.Flags().Changed("warm") {
		r.Warm = max(f.warm, 0)
	}
	return r
}

// wanted are the metrics that are named, by flags and by [bank] quality.
func (f armFlags) wanted(b config.Bank) (out []ab.Wanted, err error) {
	add := func(list []string, quality, ruled bool) {
		for _, text := range list {
			w, bad := ab.ParseWanted(text, quality)
			err = errors.Join(err, bad)
			w.Ruled = ruled
			if !slices.ContainsFunc(out, func(o ab.Wanted) bool { return o.Name == w.Name }) {
				out = append(out, w)
			}
		}
	}
	add(f.metrics, false, false)
	add(f.quality, true, false)
	add(b.Quality, true, true)
	return out, err
}

// abError gives an error of package ab its exit code.
func abError(err error) error {
	var arm *ab.ArmError
	var gone *ab.GoneError
	switch {
	case errors.As(err, &gone):
		return coded{gates.ExitNothing, gone.Why, gone.Next}
	case errors.As(err, &arm):
		return coded{gates.ExitUsage, arm.Why, arm.Next}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return coded{gates.ExitUnexpected, err.Error(), "free space there; what was taken is kept, and gpuci ab --resume goes on with it"}
	case errors.Is(err, ab.ErrHeld):
		return coded{gates.Refused.ExitCode(), err.Error(), "wait for it, or look with gpuci ab list"}
	case errors.Is(err, ab.ErrNoJournal):
		return coded{gates.ExitNothing, err.Error(), "the ids are the files in gpuci/ab below the git directory (git rev-parse --git-common-dir); gpuci ab list has those that are banked or unfinished"}
	}
	return err
}
