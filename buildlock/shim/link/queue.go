package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// defaultWait is how long one link waits when nobody says; a build that links
// for longer than that one by one is stuck.
const defaultWait = 30 * time.Minute

// queue waits for the plan's ticket and leaves it to the tool that the plan
// executes. What it gives back lets the ticket go again. A status other than 0
// says that the tool is not to be executed.
func (c Call) queue(plan *shim.Plan, home shim.Home) (release func(), status int) {
	o, err := c.options(*plan, home)
	if err != nil {
		return nil, c.fail(configuration, err)
	}
	ticket, err := buildlock.Acquire(context.Background(), o)
	if err == nil {
		if err = ticket.Keep(); err != nil {
			_ = ticket.Release()
		}
	}
	if err != nil {
		c.note(*plan, outcomeOf(err), nil, err)
		return nil, c.refuse(err)
	}
	outcome := buildlock.Ticketed
	if ticket.Passed {
		outcome = buildlock.Passed
	}
	c.note(*plan, outcome, ticket, nil)
	marks, _ := shim.Lookup(plan.Env, shim.TicketsVar)
	plan.Env = shim.With(plan.Env, shim.TicketsVar, ticket.Mark(marks))
	return func() { _ = ticket.Release() }, 0
}

// options are the ticket's, from the environment and, for what it does not
// say, from the settings of our directory.
func (c Call) options(plan shim.Plan, home shim.Home) (buildlock.Options, error) {
	settings, err := home.Settings()
	if err != nil {
		return buildlock.Options{}, fmt.Errorf("read settings of the shims: %w", err)
	}
	get := func(name string) string { v, _ := shim.Lookup(c.Env, name); return v }
	o := buildlock.Options{
		Dir: settings.LockDir, Lock: buildlock.Link, Slots: settings.Links, Wait: defaultWait, Marks: get(shim.TicketsVar),
		Who: buildlock.Who{Lane: get(shim.LaneVar), Command: get(shim.CommandVar), Build: get(shim.BuildVar)},
	}
	if dir := get(shim.LockDirVar); dir != "" {
		o.Dir = dir
	}
	if o.Slots, err = slots(o.Slots, get(shim.LinksVar)); err != nil {
		return o, err
	}
	if wait := get(shim.WaitVar); wait != "" {
		if o.Wait, err = time.ParseDuration(wait); err != nil {
			return o, fmt.Errorf("read %s: %q is not a duration such as 30m", shim.WaitVar, wait)
		}
	}
	if o.Who.Command == "" {
		o.Who.Command = described(plan)
	}
	o.Who.Dir, _ = os.Getwd()
	o.Waiting = c.voice()
	return o, nil
}

// slots lowers a number of links by $GPUCI_LINKS.
func slots(n int, env string) (int, error) {
	if env == "" {
		return n, nil
	}
	m, err := strconv.Atoi(env)
	if err != nil || m < 1 {
		return 0, fmt.Errorf("read %s: %q is not a number of links, 1 or more", shim.LinksVar, env)
	}
	if n == 0 || m < n {
		return m, nil
	}
	return n, nil
}

// maxArgs is how many arguments tell people what a link was.
const maxArgs = 8

func described(plan shim.Plan) string {
	args := plan.Args[1:]
	if at := outputAt(args); at >= 0 { // what is linked says more than how
		return plan.Tool + " -o " + args[at]
	}
	return plan.Tool + " " + strings.Join(args[:min(len(args), maxArgs)], " ")
}

func outputAt(args []string) int {
	for i := range args {
		if args[i] == "-o" && i+1 < len(args) {
			return i + 1
		}
	}
	return -1
}

// refuse says why there is no ticket and what to do, and gives the status.
func (c Call) refuse(err error) int {
	var late *buildlock.BusyError
	var void *buildlock.VoidedError
	switch {
	case errors.As(err, &late):
		return c.fail(busy, fmt.Errorf("not linked: %w; see `gpuci lock status`, and set %s to wait longer", err, shim.WaitVar))
	case errors.As(err, &void):
		return c.fail(busy, fmt.Errorf("not linked: %w; start the build again", err))
	case errors.Is(err, buildlock.ErrOrder):
		return c.fail(busy, fmt.Errorf("not linked: %w", err))
	}
	return c.fail(unfit, fmt.Errorf("not linked, as nothing runs without a ticket: %w; see `gpuci lock status`, or set %s", err, shim.LockDirVar))
}

func outcomeOf(err error) string {
	if errors.As(err, new(*buildlock.BusyError)) {
		return buildlock.TimedOut
	}
	return buildlock.Failed
}
