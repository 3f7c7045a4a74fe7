package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates"
)

// The states of a check.
const (
	stateOK      = "ok"
	stateLost    = "lost"
	stateBroken  = "broken"
	stateUnknown = "unknown"
)

// check is one thing that was looked at. Its JSON is only ever added to.
type check struct {
	Type    string `json:"type"` // always "check"
	Group   string `json:"group"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Value   string `json:"value,omitempty"` // what is there, or why it is not
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Lost    string `json:"lost,omitempty"` // what is lost without it
	Get     string `json:"get,omitempty"`  // how to get it
	Exit    int    `json:"exit,omitempty"` // of gpuci, as no gate can run here for it

	brief bool // one of many of its kind: those that are ok share a line
	aside bool // told with -v only while it is ok
}

// fine is a check of something that is as it should be.
func fine(name, value string) check { return check{Name: name, State: stateOK, Value: value} }

// lost is one of something that gpuci does without.
func lost(name, value, without, get string) check {
	return check{Name: name, State: stateLost, Value: value, Lost: without, Get: get}
}

// broken is one of something that cannot stay as it is.
func broken(name, value, without, get string) check {
	return check{Name: name, State: stateBroken, Value: value, Lost: without, Get: get}
}

// unsure is one of something that could not be found out.
func unsure(name, value string) check { return check{Name: name, State: stateUnknown, Value: value} }

// stops says that no gate can run here for it.
func (c check) stops(exit int) check {
	c.Exit = exit
	return c
}

// at says where it is.
func (c check) at(path string) check {
	c.Path = path
	return c
}

// hidden leaves it out of what is told without -v, as long as it is ok.
func (c check) hidden() check {
	c.aside = c.State == stateOK
	return c
}

// group is a number of checks that are made one after the other.
type group struct {
	name string
	look func(context.Context) []check
}

// report is what came of all checks, group by group.
type report []check

// runGroups makes the checks of all groups beside each other, each within the
// limit: of a group that takes longer it is said that nothing is known.
func runGroups(ctx context.Context, list []group, limit time.Duration) (out report) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found := make([]chan []check, len(list))
	for i, g := range list {
		found[i] = make(chan []check, 1)
		go func() { found[i] <- g.look(ctx) }()
	}
	for i, g := range list {
		var checks []check
		select {
		case checks = <-found[i]:
		case <-time.After(limit): // from the last one on: all are bounded by twice that
			checks = []check{unsure(g.name, fmt.Sprintf("it did not answer within %v: is something of it on a server that does not answer?", limit))}
		}
		for _, c := range checks {
			c.Type, c.Group = "check", g.name
			out = append(out, c)
		}
	}
	return out
}

// count is how many are in a state.
func (r report) count(state string) (n int) {
	for _, c := range r {
		if c.State == state {
			n++
		}
	}
	return n
}

// exit is the exit code of all together.
func (r report) exit() int {
	var codes []int
	for _, c := range r {
		codes = append(codes, c.Exit)
	}
	return gates.WorstExit(codes...)
}

// first is what is to be put right before anything else: what keeps gates from
// running, then what is broken, then what is lost.
func (r report) first() (check, bool) {
	rank := func(c check) int {
		switch {
		case c.Exit != 0:
			return 0
		case c.State == stateBroken:
			return 1
		}
		return 2
	}
	var open report
	for _, c := range r {
		if c.State == stateBroken || c.State == stateLost {
			open = append(open, c)
		}
	}
	slices.SortStableFunc(open, func(a, b check) int { return cmp.Compare(rank(a), rank(b)) })
	if len(open) == 0 {
		return check{}, false
	}
	return open[0], true
}

// todo is one line of what to do about a check.
func (c check) todo() string {
	text := cmp.Or(c.Get, c.Value)
	text, _, _ = strings.Cut(text, "\n")
	return fmt.Sprintf("%s (%s): %s", c.Name, c.Group, text)
}
