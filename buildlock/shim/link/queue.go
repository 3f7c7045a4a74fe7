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
	"gpuci/pressure"
)

// queue waits for the plan's ticket and leaves it to the tool that the plan
// executes. What it gives back lets the ticket go again. A status other than 0
// says that the tool is not to be executed.
func (c Call) queue(plan *shim.Plan, home shim.Home) (release func(), status int) {
	o, err := c.options(*plan, home)
	if err != nil {
		c.noteFailure(*plan, o.Dir, err)
		return nil, c.fail(configuration, err)
	}
	var in pressure.Admitted
	if o.Admit, err = c.admit(*plan, o, &in); err != nil {
		c.noteFailure(*plan, o.Dir, err)
		return nil, c.fail(configuration, err)
	}
	quitQuietly()
	ticket, err := buildlock.Acquire(context.Background(), o)
	if err == nil {
		if err = ticket.Keep(); err != nil {
			_ = ticket.Release()
		}
	}
	if err != nil {
		c.noteFailure(*plan, o.Dir, err)
		return nil, c.refuse(o.Dir, err)
	}
	outcome := buildlock.Ticketed
	if ticket.Passed {
		outcome = buildlock.Passed
	}
	c.note(*plan, outcome, ticket, in)
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
		Dir: settings.LockDir, Lock: buildlock.Link, Slots: settings.Links, Wait: buildlock.DefaultWait, Marks: get(shim.TicketsVar),
		Who: buildlock.Who{Lane: get(shim.LaneVar), Root: get(shim.LaneRootVar), Command: get(shim.CommandVar), Build: get(shim.BuildVar)},
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
	o.Waiting = c.voice(plan)
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
	if len(plan.Args) == 0 {
		return plan.Tool
	}
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
func (c Call) refuse(dir string, err error) int {
	status, why := unfit, "not linked, as nothing runs without a ticket"
	var late *buildlock.BusyError
	switch {
	case errors.As(err, &late), errors.As(err, new(*buildlock.VoidedError)), errors.Is(err, buildlock.ErrOrder):
		status, why = busy, "not linked"
	case errors.Is(err, pressure.ErrRefused):
		return c.fail(busy, fmt.Errorf("not linked: %w; %s", err, blindRemedy))
	}
	err = fmt.Errorf("%s: %w", why, err)
	if remedy := buildlock.Remedy(err, dir); remedy != "" {
		err = fmt.Errorf("%w; %s", err, remedy)
	}
	if late != nil {
		err = fmt.Errorf("%w; %s says how long a link may wait", err, shim.WaitVar)
	}
	return c.fail(status, err)
}
