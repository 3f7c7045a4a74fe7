package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/reaper"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// ground is where the reaper is at work: the lanes of a repository, and which of
// them are meant.
type ground struct {
	lane  worktrees.Lane   // the one we stand in; the zero one outside of git
	lanes []worktrees.Tree // all of its repository, that one first, removed ones too
	meant map[string]bool  // lanes by their names
	torn  error            // why lanes may be missing
	rules reaper.Rules
	runs  map[string]reaper.Run
	state string // directory of the workspace's records
	note  string // why that is not where one looks for it
}

// ground finds out. Outside of git there are no lanes; what that means is the
// command's to say.
func (a *app) ground(ctx context.Context, f laneFlags) (ground, error) {
	if err := f.check(); err != nil {
		return ground{}, err
	}
	if err := a.answers(ctx); err != nil {
		return ground{}, err
	}
	p, err := a.place(ctx, true)
	if err != nil {
		return ground{}, err
	}
	g := ground{lane: p.lane, meant: make(map[string]bool), rules: gates.SweepRules(nil, nil)}
	if g.outside() {
		return g, f.refuse(g.errOutside())
	}
	g.state, g.note = gates.StateDir(p.lane, p.lane.Root)
	var leave []string
	g.runs, leave = gates.Runs(g.state)
	for _, gate := range p.config.Gates {
		leave = append(leave, gate.Leave...)
	}
	g.rules = gates.SweepRules(nil, leave)
	g.lanes, g.torn = gates.ListLanes(ctx, p.lane)
	if ctx.Err() != nil {
		return g, context.Cause(ctx)
	}
	slices.SortStableFunc(g.lanes, func(x, y worktrees.Tree) int { return rank(g.here(x)) - rank(g.here(y)) })
	if g.untold() {
		return g, f.refuse(g.errUntold())
	}
	if err := g.mean(f); err != nil {
		return g, err
	}
	g.rules.Tools = a.toolsOf(g, p.config)
	return g, nil
}

// rank sorts what is true before what is not.
func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// refuse is err if lanes were asked for.
func (l laneFlags) refuse(err error) error {
	if len(l.lanes) > 0 || l.every {
		return err
	}
	return nil
}

// mean notes which lanes are meant.
func (g ground) mean(f laneFlags) error {
	for _, t := range g.lanes {
		if f.every || len(f.lanes) == 0 && g.here(t) {
			g.meant[t.Name] = true
		}
	}
	for _, name := range f.lanes {
		if !slices.ContainsFunc(g.lanes, func(t worktrees.Tree) bool { return t.Name == name }) {
			return g.noLane(name)
		}
		g.meant[name] = true
	}
	return nil
}

func (g ground) outside() bool { return g.lane.Root == "" }

// untold says that the lanes could not be listed; why was said then.
func (g ground) untold() bool {
	return !slices.ContainsFunc(g.lanes, g.here)
}

// here says whether a lane is the one that we stand in.
func (g ground) here(t worktrees.Tree) bool { return !t.Removed && t.Root == g.lane.Root }

// known is the error where there is no lane to work for.
func (g ground) known() error {
	switch {
	case g.outside():
		return g.errOutside()
	case g.untold():
		return g.errUntold()
	}
	return nil
}

func (g ground) errOutside() error {
	return coded{gates.ExitNothing, "there are no lanes: this is no git worktree", "cd into the lane whose build was killed, or name its directory by -C; gpuci reaper list works anywhere"}
}

func (g ground) errUntold() error {
	text := fmt.Sprintf("which lanes there are cannot be told: git does not list %s among its worktrees", g.lane.Root)
	if g.torn != nil {
		text = "which lanes there are cannot be told: " + g.torn.Error()
	}
	hint := "git worktree list says what git knows; gpuci -C DIR works from another lane"
	var none *proc.SilentError
	if errors.As(g.torn, &none) || errors.Is(g.torn, context.DeadlineExceeded) {
		hint = silentHint
	}
	if refused := g.refusal(); refused != "" {
		text = "which lanes there are cannot be told: " + refused
		hint = "run it as that user, or trust the repository: git config --global --add safe.directory " + bourneQuote(g.lane.Root)
	}
	return coded{exitUnfit, text, hint}
}

// refusal is what it means that git works on no repository of another user's,
// "" where that is not why lanes may be missing.
func (g ground) refusal() string {
	if g.torn == nil || !strings.Contains(g.torn.Error(), "dubious ownership") {
		return ""
	}
	return fmt.Sprintf("git does not list the worktrees of %s, which is another user's", g.lane.Root)
}

// errTorn is the error of who would end something while lanes may be missing:
// one of these may be inside of another one, which its processes would be taken
// to belong to.
func (g ground) errTorn() error {
	if g.torn == nil {
		return nil
	}
	return coded{exitUnfit, "nothing is ended, for one of the lanes that cannot be told may be inside of another one: " + g.torn.Error(), "git worktree repair, or git worktree prune, puts git's list right"}
}

// noteTorn says why lanes may be missing.
func (a *app) noteTorn(g ground) {
	var why coded
	switch {
	case g.torn == nil:
	case g.untold() && errors.As(g.errUntold(), &why):
		a.console.note(why.text)
		a.console.note("hint: " + why.hint)
	default:
		a.console.note(g.torn.Error())
	}
}

// noLane says that there is no lane of a name, and which ones there are.
func (g ground) noLane(name string) error {
	var names []string
	for _, t := range g.lanes {
		names = append(names, t.Name)
	}
	return coded{gates.ExitNothing, fmt.Sprintf("there is no lane %q", name), nearHint(name, names, "the lanes are "+strings.Join(names, ", "))}
}

// options are the reaper's on this ground.
func (g ground) options() reaper.Options {
	o := reaper.Options{Wanted: func(lane string) bool { return g.meant[lane] }, Rules: g.rules, Runs: g.runs, Patient: true}
	for _, t := range g.lanes {
		o.Lanes = append(o.Lanes, gates.LaneOf(t))
	}
	return o
}

// root is the directory of a lane.
func (g ground) root(lane string) string {
	at := slices.IndexFunc(g.lanes, func(t worktrees.Tree) bool { return t.Name == lane })
	if at < 0 || lane == "" {
		return ""
	}
	return g.lanes[at].Root
}

// flags are those that mean the same lanes.
func (g ground) flags() (text string) {
	switch {
	case len(g.meant) == 1 && g.meant[g.lane.Name]:
		return ""
	case len(g.meant) == len(g.lanes):
		return " --every-lane"
	}
	for _, t := range g.lanes {
		if g.meant[t.Name] {
			text += " --lane " + t.Name
		}
	}
	return text
}
