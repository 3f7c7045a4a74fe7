package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/junit"
	"gpuci/worktrees"
)

// runGates runs gates in one lane, and ends with what came of them.
func (a *app) runGates(ctx context.Context, cfg *config.Config, lane worktrees.Lane, o gateOptions, list []config.Gate) error {
	answer := a.out
	if o.learn { // the answer is the patch; what came of the gate is said beside it
		a.out = a.console
		defer func() { a.out = answer }()
	}
	r, err := a.runIn(ctx, cfg, lane, o, list)
	if err != nil {
		return err
	}
	unwritten := func(err error) {
		if err != nil {
			a.console.note(err.Error())
			r.codes = append(r.codes, gates.ExitUnexpected)
		}
	}
	if o.junit != "" {
		unwritten(junit.WriteFile(o.junit, junitSuites(cfg.Workspace.Name, r.done, r.notRun)))
	}
	if o.learn && len(r.done) == 1 {
		_ = a.console.settle()
		a.out = answer
		unwritten(a.learn(cfg, list[0], r.done[0]))
	}
	code := gates.WorstExit(r.codes...)
	a.summary(r.done, r.notRun, code, o)
	return coded{code: code}
}

// laneRun is what came of the gates of one lane.
type laneRun struct {
	done    []gates.Verdict
	notRun  []string // gates that were not reached
	removed bool     // the lane is not there any more
	codes   []int
}

// take notes what came of a gate, and prints it.
func (r *laneRun) take(a *app, v gates.Verdict, o gateOptions) {
	_ = a.console.settle()
	r.done = append(r.done, v)
	r.codes = append(r.codes, v.Exit)
	if err := a.print(v, o); err != nil && !unheard(err) {
		a.console.note("print the outcome: " + err.Error())
		r.codes = append(r.codes, gates.ExitUnexpected)
	}
}

// runIn runs gates in one lane, and prints each outcome.
func (a *app) runIn(ctx context.Context, cfg *config.Config, lane worktrees.Lane, o gateOptions, list []config.Gate) (r laneRun, err error) {
	state, note := gates.StateDir(lane, cfg.Root)
	if note != "" {
		a.console.note(note)
	}
	if o.on != "" {
		return a.runElsewhere(ctx, cfg, lane, o, state, list)
	}
	queue := a.gateQueue(cfg, lane)
	rule, err := place{config: cfg}.rule(ownEnv(), o.noPressure)
	if err != nil {
		return r, err
	}
	if o.card.gpu != "" && slices.ContainsFunc(list, func(g config.Gate) bool { return g.Card.Count > 0 }) {
		if err := o.card.meant(ctx, a.gateCards(cfg, queue.Values.LockDir, lane, o.card)); err != nil {
			return r, err
		}
	}
	past := gates.NewPast(ctx, a.historyOptions(cfg, lane))
	defer past.Close()
	reach := a.reach(ctx, lane)
	for i, g := range list {
		if len(list) > 1 {
			a.console.note("gate " + g.Name)
		}
		opt := a.options(cfg, lane, o, g, state, queue, rule, past)
		opt.Reach = reach
		v := gates.Run(ctx, opt)
		r.take(a, v, o)
		if r.removed = isGone(lane); r.removed {
			a.console.note(fmt.Sprintf("lane %s was removed while gate %s ran: what came of it says nothing", lane.Name, g.Name))
			r.notRun = a.leftOut(list[i+1:], false)
			break
		}
		if ctx.Err() != nil || !o.keepGoing && gates.WorstExit(r.codes...) != 0 {
			r.notRun = a.leftOut(list[i+1:], ctx.Err() == nil)
			break
		}
	}
	if ctx.Err() != nil { // also after the last command: what stands stands, and a script stops
		if late := len(r.notRun) == 0 && len(r.done) > 0 && r.done[len(r.done)-1].Outcome != gates.Interrupted; late {
			a.console.note("the signal came after the last command had ended: the outcome stands")
		}
		r.codes = append(r.codes, exitCode(context.Cause(ctx), true))
	}
	return r, nil
}

// reach is what a command that is offered needs to be about a lane, from where we stand.
func (a *app) reach(ctx context.Context, lane worktrees.Lane) gates.Reach {
	r := gates.Reach{Dir: a.dir}
	dir, err := a.standing()
	if err != nil {
		return r
	}
	here, err := findLane(ctx, dir)
	if err == nil && here.Root != "" && lane.Root != "" && here.Root != lane.Root {
		r.Lane = lane.Name
	}
	return r
}

// leftOut names the gates that were not reached.
func (a *app) leftOut(rest []config.Gate, goOn bool) (names []string) {
	if len(rest) == 0 {
		return nil
	}
	for _, g := range rest {
		names = append(names, g.Name)
	}
	text := "not run: " + strings.Join(names, ", ")
	if goOn {
		text += " (--keep-going runs them all the same)"
	}
	a.console.note(text)
	return names
}
