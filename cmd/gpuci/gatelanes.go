package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/junit"
	"gpuci/worktrees"
)

// gateLanes runs gates in one lane after the other.
func (a *app) gateLanes(ctx context.Context, o gateOptions, names []string) error {
	if o.learn {
		return coded{gates.ExitUsage, "--learn is for one lane", "name one lane, or none"}
	}
	m, err := a.lanesMeant(ctx, o.lanes)
	if err == nil && o.list {
		return a.listLanes(m, o)
	}
	if err == nil {
		err = m.check(o, names)
	}
	if err != nil {
		return err
	}
	t := laneTable{every: o.lanes.every}
	if m.torn != nil {
		a.console.note(m.torn.Error())
		t.torn = exitUnfit
	}
	for _, lane := range m.lanes {
		t.rows = append(t.rows, a.gatesOf(ctx, m, lane, o, names))
	}
	return a.endLanes(t, o)
}

// check finds what cannot be meant in any of the lanes, before anything runs.
func (m meant) check(o gateOptions, names []string) error {
	var nowhere error // a gate that none of the lanes has
	missing := slices.Clone(names)
	read := false
	for _, lane := range m.lanes {
		cfg, err := m.config(lane)
		if err != nil {
			continue // it is said when its turn comes
		}
		read = true
		missing = slices.DeleteFunc(missing, func(name string) bool { _, ok := cfg.Gate(name); return ok })
		there, _ := known(cfg, names)
		if len(there) == 0 && len(names) > 0 || o.all && len(names) == 0 && len(cfg.Gates) == 0 {
			continue
		}
		picked, err := pick(cfg, o, there)
		if err == nil {
			err = o.check(picked)
		}
		if err != nil {
			return err
		}
	}
	for _, lane := range m.lanes {
		if cfg, err := m.config(lane); err == nil && len(missing) > 0 && nowhere == nil {
			nowhere = noGate(cfg, missing[0])
		}
	}
	if !read && len(names) == 0 && !o.all {
		return coded{gates.ExitNothing, "no gate selected", "name gates, or --all"}
	}
	return nowhere
}

// known are the names of gates that a configuration has, and the others.
func known(cfg *config.Config, names []string) (there, missing []string) {
	for _, name := range names {
		if _, ok := cfg.Gate(name); ok {
			there = append(there, name)
		} else {
			missing = append(missing, name)
		}
	}
	return there, missing
}

// gatesOf gives one lane its turn. Its configuration is read only now: lanes are
// worked on while others have theirs.
func (a *app) gatesOf(ctx context.Context, m meant, lane worktrees.Lane, o gateOptions, names []string) laneRow {
	row := laneRow{lane: lane}
	said := func(code int, why string) laneRow {
		a.console.note("lane " + lane.Name + ": " + why)
		row.why, row.codes = why, append(row.codes, code)
		return row
	}
	ownFault := func(code int) int { // of a lane that was asked for by its name
		if o.lanes.every {
			return 0
		}
		return code
	}
	if ctx.Err() != nil {
		return said(exitCode(context.Cause(ctx), true), "not run")
	}
	if isGone(lane) {
		row.removed = true
		return said(gates.ExitNothing, "it was removed meanwhile") // it was selected, also among all
	}
	cfg, err := m.config(lane)
	switch {
	case errors.Is(err, config.ErrNotFound):
		return said(ownFault(gates.ExitConfig), "it has no "+config.FileName)
	case err != nil:
		row = said(gates.ExitConfig, "its "+config.FileName+" is wrong")
		a.console.raw(err.Error())
		return row
	}
	row.workspace = cfg.Workspace.Name
	there, missing := known(cfg, names)
	if len(missing) > 0 {
		why := "it has no gate " + strings.Join(missing, ", ")
		row = said(ownFault(gates.ExitNothing), why)
	}
	picked, err := pick(cfg, o, there)
	if err != nil {
		if len(missing) == 0 {
			return said(ownFault(gates.ExitNothing), err.Error())
		}
		return row
	}
	row.why = ""
	a.console.note(fmt.Sprintf("lane %s (%s)", lane.Name, lane.Root))
	r, err := a.runIn(ctx, cfg, lane, o, picked)
	r.codes = append(row.codes, r.codes...)
	if row.laneRun = r; err != nil {
		return said(exitCode(err, true), err.Error())
	}
	return row
}

// listLanes lists the gates of several lanes.
func (a *app) listLanes(m meant, o gateOptions) error {
	var codes []int
	for _, lane := range m.lanes {
		cfg, err := m.config(lane)
		switch {
		case errors.Is(err, config.ErrNotFound) && o.lanes.every:
			a.console.note("lane " + lane.Name + " has no " + config.FileName)
			continue
		case err != nil:
			a.console.note("lane " + lane.Name + ":")
			a.console.raw(err.Error())
			codes = append(codes, gates.ExitConfig)
			continue
		case !o.json:
			fmt.Fprintf(a.out, "lane %s\n", printable(lane.Name))
		}
		if err := a.listGatesOf(cfg, lane.Name, o.json); err != nil {
			return err
		}
	}
	return coded{code: gates.WorstExit(codes...)}
}

// endLanes closes the answer, and says what came of it.
func (a *app) endLanes(t laneTable, o gateOptions) error {
	codes := append(t.codes(), t.torn)
	if o.junit != "" {
		if err := junit.WriteFile(o.junit, t.suites()); err != nil {
			a.console.note(err.Error())
			codes = append(codes, gates.ExitUnexpected)
		}
	}
	code := gates.WorstExit(codes...)
	_ = a.console.settle()
	var err error
	if o.json {
		err = a.jsonLine(t.summary(code))
	} else {
		err = t.print(a.out)
	}
	if err != nil {
		return err
	}
	return coded{code: code}
}
