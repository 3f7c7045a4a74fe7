package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// falsifiable is a lane that is copied, and the gates that are falsified there.
type falsifiable struct {
	cfg   *config.Config
	lane  worktrees.Lane
	gates []config.Gate
	dir   string // of the scratch lanes
}

// falsifiable are the lanes that the flags mean, or the one we stand in. What cannot
// be meant in one of them is found before anything is planted.
func (a *app) falsifiable(cmd *cobra.Command, f falsifyFlags, names []string) ([]falsifiable, error) {
	var list []falsifiable
	add := func(cfg *config.Config, lane worktrees.Lane, err error) error {
		if err != nil {
			return err
		}
		t := falsifiable{cfg: cfg, lane: lane}
		if t.gates, err = faulted(cfg, f, names); err != nil {
			return err
		}
		t.dir, err = ci.ScratchDir(cfg, lane)
		list = append(list, t)
		return err
	}
	if len(f.lanes) == 0 {
		cfg, lane, err := a.workspace(cmd)
		if err == nil && lane.Root == "" {
			err = coded{gates.ExitNothing, "there is no lane to copy: this is no git worktree", "cd into a lane, or name its directory by -C"}
		}
		err = add(cfg, lane, err)
		return list, err
	}
	where, err := a.lanesMeant(cmd.Context(), laneFlags{lanes: f.lanes})
	for _, lane := range where.lanes {
		if err == nil {
			cfg, problem := where.config(lane)
			err = add(cfg, lane, problem)
		}
	}
	return list, err
}

// unfaulted says which gates have no fault.
func (a *app) unfaulted(list []falsifiable, f falsifyFlags) (all []string) {
	for _, t := range list {
		var names []string
		for _, g := range t.cfg.Gates {
			if len(g.Faults) == 0 {
				names = append(names, g.Name)
			}
		}
		all = append(all, names...)
		if f.json || len(names) == 0 {
			continue
		}
		of := ""
		if len(list) > 1 {
			of = " in lane " + t.lane.Name
		}
		fmt.Fprintf(a.out, "without a fault%s, so that nobody knows whether they can be red: %s\n", of, printable(strings.Join(names, ", ")))
	}
	slices.Sort(all)
	return slices.Compact(all)
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
			return nil, coded{gates.ExitNothing, fmt.Sprintf("there is no fault %q", name), nearHint(name, known, "there is "+orNone(strings.Join(known, ", ")))}
		}
	}
	if len(list) == 0 {
		return nil, coded{gates.ExitNothing, "no gate has a [[gate.fault]] yet", "gpuci falsify --help has one to begin with"}
	}
	return list, nil
}
