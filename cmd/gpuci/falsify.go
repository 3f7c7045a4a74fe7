package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/falsify"
	"gpuci/worktrees"
)

// falsifyFlags are the flags of `gpuci falsify`.
type falsifyFlags struct {
	faults, lanes                   []string
	json, keep, verbose, noPressure bool
}

func (a *app) falsifyCommand() *cobra.Command {
	var f falsifyFlags
	cmd := &cobra.Command{
		Use:   "falsify [GATE…]",
		Short: "plant faults, and see whether the gates notice",
		Long: `falsify shows whether a gate can be red. Each [[gate.fault]] of the gates that are
named, or of all gates, is planted in a scratch lane, which is the lane as it is,
uncommitted changes included; the gate is built and run there, and must go red by
what the fault names, twice. First and last it is run without a fault, and must be green
and give the same. The lane itself is not written to, whatever happens, and what comes of
it is none of the gate's outcomes.

A fault in gpuci.toml is a patch, a replacement of a text that stands in a file a
known number of times, or a command:

  [[gate.fault]]
  name = "double-exp"
  replace = { file = "src/scan.rs", from = "g.exp()", to = "g.exp().exp()", count = 2 }
  must-move = "worst-rel"             # which has a bar: over it at least 100 times
  margin = 10                         # or so many times
  must-not-move = "one-chunk-rel"     # within its bar and a factor of 10 of before

Of a fault that no metric shows, must says what does: "red", "out-of-time",
"test-failed:NAME", "witness:RELATION", "broken:nan", "finding:race".

  caught           the gate went red as the fault says
  blind            it did not, or by less than the margin, or it moved what it must not
  does not apply   it does not fit the source any more (rotted), or changes settings alone
  does not build   it is no defect of a program
  broken           nothing can be said, also where the gate is not green without it

The table has one row a fault and one column a metric: how many times its bar it
comes to. "*" is what must move, "!" what moved and must not. A bar of 0 is crossed
by whatever is over it: inf.

Without names it ends with the gates that have no fault: nobody knows whether they
can be red. In another lane, its own gpuci.toml says what the faults are.

Examples:
  gpuci falsify
  gpuci falsify fused-adjoint --fault double-exp
  gpuci falsify fused-adjoint --fault double-exp --keep     # to look at it
  gpuci falsify --lane kda-adjoint                          # of another lane

Exit codes: 0 all caught, 100 any blind, 103 only rotted ones, 102 otherwise; 4 no
such gate, fault or lane, or none at all, 64 usage, 78 configuration, 130 and 143
interrupted.`,
		ValidArgsFunction: a.gateWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.falsify(cmd, f, args) },
	}
	s := cmd.Flags()
	s.StringArrayVar(&f.faults, "fault", nil, "plant only fault `NAME`; can be repeated. Such a run is not what the gate's outcome speaks of")
	s.StringArrayVar(&f.lanes, "lane", nil, "copy lane `L` instead of this one; can be repeated")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.BoolVar(&f.keep, "keep", false, "leave the scratch lane with the last fault in it, until the next gpuci falsify or night removes it; what comes of it is not recorded")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "show the output of the gates, and say every step")
	return cmd
}

func (a *app) falsify(cmd *cobra.Command, f falsifyFlags, names []string) error {
	a.json = f.json
	list, err := a.falsifiable(cmd, f, names)
	if err != nil {
		return err
	}
	var codes []int
	sum := falsifySummary{Type: "summary"}
	for _, t := range list {
		if cmd.Context().Err() != nil {
			break
		}
		a.clearScratch(cmd.Context(), t.lane, t.dir)
		more, err := a.falsifyLane(cmd.Context(), t, f)
		if err != nil {
			return err
		}
		codes = append(codes, more...)
		sum.Gates += len(t.gates)
	}
	if cmd.Context().Err() != nil {
		codes = append(codes, exitCode(context.Cause(cmd.Context()), true))
	}
	sum.Exit = falsify.Worst(codes...)
	if len(names) == 0 && len(f.faults) == 0 {
		sum.Without = a.unfaulted(list, f)
	}
	if f.json {
		_ = a.jsonLine(sum)
	}
	return coded{code: sum.Exit}
}

// clearScratchTime is for some target directories of a hundred thousand files each.
const clearScratchTime = 10 * time.Minute

// clearScratch removes the scratch lanes that killed gpucis left, or that were kept.
func (a *app) clearScratch(ctx context.Context, lane worktrees.Lane, dir string) {
	ctx, cancel := context.WithTimeout(ctx, clearScratchTime)
	defer cancel()
	removed, err := worktrees.RemoveAbandoned(ctx, lane, dir)
	if len(removed) > 0 {
		a.console.note(fmt.Sprintf("removed %s that killed gpucis left, or that %s kept", count(len(removed), "scratch lane", "scratch lanes"), oneMany(len(removed), "was", "were")))
	}
	if err != nil && ctx.Err() == nil {
		a.console.note(fmt.Sprintf("remove what killed gpucis left: %v", err))
	}
}

// falsifyLane takes the gates of one lane, one after the other.
func (a *app) falsifyLane(ctx context.Context, t falsifiable, f falsifyFlags) (codes []int, err error) {
	cfg, lane := t.cfg, t.lane
	state, note := gates.StateDir(lane, cfg.Root)
	if note != "" {
		a.console.note(note)
	}
	rule, err := place{config: cfg}.rule(ownEnv(), f.noPressure)
	if err != nil {
		return nil, err
	}
	past := gates.NewPast(ctx, a.historyOptions(cfg, lane))
	defer past.Close()
	for _, g := range t.gates {
		if ctx.Err() != nil {
			break
		}
		a.console.note("falsify gate " + g.Name)
		queues := make(map[string]*gates.Queue) // by the root of the scratch lane
		o := falsify.Options{
			Gate: g, Lane: lane, Root: cfg.Root, ScratchDir: t.dir, Keep: f.keep, Past: past, Note: a.console.note,
			Only: only(f.faults, g),
			Prepare: func(scratch worktrees.Lane, root string) (gates.Options, error) {
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
			Planted: func(p falsify.Planted) { a.console.note(plantedText(g.Name, p)) },
		}
		r, err := falsify.Run(ctx, o)
		_ = a.console.settle()
		codes = append(codes, r.Exit)
		if printed := a.printFalsified(g, r, f.json); printed != nil && !unheard(printed) {
			err = printed
		}
		if err != nil {
			a.console.note(err.Error())
			codes = append(codes, gates.ExitUnexpected)
		}
	}
	return codes, nil
}

// only are the faults of a gate among those that are named.
func only(names []string, g config.Gate) (out []string) {
	for _, x := range g.Faults {
		if slices.Contains(names, x.Name) {
			out = append(out, x.Name)
		}
	}
	return out
}
