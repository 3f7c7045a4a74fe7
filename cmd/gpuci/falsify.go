package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/falsify"
	"gpuci/worktrees"
)

// falsifyFlags are the flags of `gpuci falsify`.
type falsifyFlags struct {
	faults                          []string
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
what the fault names. The lane itself is not written to, whatever happens, and what
comes of it is none of the gate's outcomes.

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
  does not apply   the fault does not fit the source any more (rotted)
  does not build   it is no defect of a program
  broken           nothing can be said, also where the gate is not green without it

The table has one row a fault and one column a metric: how many times its bar it
comes to. "*" is what must move, "!" what moved and must not. A bar of 0 is crossed
by whatever is over it: inf.

Examples:
  gpuci falsify
  gpuci falsify fused-adjoint --fault double-exp
  gpuci falsify fused-adjoint --fault double-exp --keep     # to look at it

Exit codes: 0 all caught, 100 any blind, 103 only rotted ones, 102 otherwise; 4 no
such gate or fault, or none at all, 64 usage, 78 configuration, 130 and 143
interrupted.`,
		ValidArgsFunction: a.gateWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.falsify(cmd, f, args) },
	}
	s := cmd.Flags()
	s.StringArrayVar(&f.faults, "fault", nil, "plant only fault `NAME`; can be repeated. Such a run is not what the gate's outcome speaks of")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.BoolVar(&f.keep, "keep", false, "leave the scratch lane with the last fault in it, until the next gpuci falsify or night removes it")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "show the output of the gates, and say every step")
	return cmd
}

func (a *app) falsify(cmd *cobra.Command, f falsifyFlags, names []string) error {
	a.json = f.json
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	if lane.Root == "" {
		return coded{gates.ExitNothing, "there is no lane to copy: this is no git worktree", "cd into a lane, or name its directory by -C"}
	}
	list, err := faulted(cfg, f, names)
	if err != nil {
		return err
	}
	dir, err := ci.ScratchDir(cfg, lane)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	a.clearScratch(ctx, lane, dir)
	return a.falsifyAll(ctx, cfg, lane, dir, f, list)
}

// faulted are the gates that are meant: those that are named, or all with faults, or
// with one that is named.
func faulted(cfg *config.Config, f falsifyFlags, names []string) (list []config.Gate, err error) {
	has := func(g config.Gate) bool {
		return len(g.Faults) > 0 && (len(f.faults) == 0 || slices.ContainsFunc(g.Faults, func(x config.Fault) bool { return slices.Contains(f.faults, x.Name) }))
	}
	var known []string
	for _, g := range cfg.Gates {
		for _, x := range g.Faults {
			if len(names) == 0 || slices.Contains(names, g.Name) {
				known = append(known, x.Name)
			}
		}
		if len(names) == 0 && has(g) {
			list = append(list, g)
		}
	}
	for i, name := range names {
		g, ok := cfg.Gate(name)
		switch {
		case !ok:
			return nil, noGate(cfg, name)
		case len(g.Faults) == 0:
			return nil, coded{gates.ExitNothing, fmt.Sprintf("gate %s has no [[gate.fault]]", name), "gpuci falsify --help has one to begin with"}
		case !slices.Contains(names[:i], name) && has(*g):
			list = append(list, *g)
		}
	}
	for _, name := range f.faults {
		if !slices.Contains(known, name) {
			return nil, coded{gates.ExitNothing, fmt.Sprintf("there is no fault %q", name), "there is " + orNone(strings.Join(known, ", "))}
		}
	}
	if len(list) == 0 {
		return nil, coded{gates.ExitNothing, "no gate has a [[gate.fault]] yet", "gpuci falsify --help has one to begin with"}
	}
	return list, nil
}

// clearScratchTime is for some target directories of a hundred thousand files each.
const clearScratchTime = 10 * time.Minute

// clearScratch removes the scratch lanes that killed gpucis left, or that were kept.
func (a *app) clearScratch(ctx context.Context, lane worktrees.Lane, dir string) {
	ctx, cancel := context.WithTimeout(ctx, clearScratchTime)
	defer cancel()
	removed, err := worktrees.RemoveAbandoned(ctx, lane, dir)
	if len(removed) > 0 {
		a.console.note(fmt.Sprintf("removed %d scratch lanes that killed gpucis left, or that were kept", len(removed)))
	}
	if err != nil && ctx.Err() == nil {
		a.console.note(fmt.Sprintf("remove what killed gpucis left: %v", err))
	}
}

// falsifyAll takes the gates one after the other.
func (a *app) falsifyAll(ctx context.Context, cfg *config.Config, lane worktrees.Lane, dir string, f falsifyFlags, list []config.Gate) error {
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
	var codes []int
	for _, g := range list {
		if ctx.Err() != nil {
			break
		}
		a.console.note("falsify gate " + g.Name)
		queues := make(map[string]*gates.Queue) // by the root of the scratch lane
		o := falsify.Options{
			Gate: g, Lane: lane, Root: cfg.Root, ScratchDir: dir, Keep: f.keep, Past: past, Note: a.console.note,
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
	if ctx.Err() != nil {
		codes = append(codes, exitCode(context.Cause(ctx), true))
	}
	code := falsify.Worst(codes...)
	if f.json {
		_ = a.jsonLine(falsifySummary{"summary", len(list), code})
	}
	return coded{code: code}
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
