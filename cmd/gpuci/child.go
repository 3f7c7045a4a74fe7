package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/reaper/proc"
)

// child is a command that has our terminal, stdin, stdout and stderr as they
// are: no pipe stands between.
type child struct {
	argv  []string
	dir   string
	env   []string
	watch func(context.Context, *proc.Process) // beside it, until it has ended; may be nil
	left  func([]proc.Stat)                    // told what it leaves in the background; may be nil
}

const (
	// childGrace is what a command may take to tidy up after SIGTERM. cargo and
	// make are done in a moment; a container that is stopped takes ten seconds.
	childGrace = 10 * time.Second
	// afterInterrupt is what it may take after a Ctrl-C, which the terminal has
	// sent to it as well, before it is asked again by SIGTERM.
	afterInterrupt = time.Second
	// settleFor is what something that a command left behind may take to end
	// before it is spoken of: mold's child, which gives its memory back after its
	// parent has ended, takes up to 33 ms.
	settleFor = 200 * time.Millisecond
)

// run runs the command to its end and returns its exit code as a shell tells
// it. A signal to gpuci ends everything that came of it; when the command ends
// by itself, what it left in the background is named and left alone. With
// stuck, something of it would not end.
func (a *app) run(ctx context.Context, c child) (code int, stuck bool, err error) {
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Command{
		Argv: c.argv, Dir: c.dir, Env: c.env, Interactive: true,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if err != nil {
		return 0, false, notStarted(c.argv, err)
	}
	watched := c.begin(ctx, p)
	if endedByItself(ctx, p) {
		watched()
		left := lasting(p.Release(), settleFor)
		a.leave(left)
		if c.left != nil {
			c.left(left)
		}
		return shellCode(p.Exit()), false, nil
	}
	cause := context.Cause(ctx)
	lim := proc.Limits{Grace: childGrace}
	var sig gates.Signalled
	if errors.As(cause, &sig) && sig.Exit == gates.ExitInterrupt {
		lim.Settle = afterInterrupt
	}
	r := p.End(lim, a.hurry)
	watched()
	for _, s := range r.Stuck {
		a.console.note(fmt.Sprintf("%s (pid %d, state %c) does not end: SIGKILL is sent and waits", s.Comm, s.PID, s.State))
	}
	return 0, len(r.Stuck) > 0, coded{code: exitCode(cause, true)}
}

// begin starts the watch, and returns what ends it.
func (c child) begin(ctx context.Context, p *proc.Process) (end func()) {
	if c.watch == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.watch(ctx, p)
	}()
	return func() {
		cancel()
		<-done
	}
}

// endedByItself waits for the command's end, or for a signal to us. A Ctrl-C
// goes to both of us, and the command can be the quicker one.
func endedByItself(ctx context.Context, p *proc.Process) bool {
	select {
	case <-ctx.Done():
		return false
	case <-p.Done():
	}
	if code := shellCode(p.Exit()); code == gates.ExitInterrupt {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(100 * time.Millisecond):
		}
	}
	return ctx.Err() == nil
}

// lasting are those processes that are still there after a moment.
func lasting(left []proc.Stat, moment time.Duration) []proc.Stat {
	left = slices.Clone(left)
	for end := time.Now().Add(moment); ; time.Sleep(5 * time.Millisecond) {
		left = slices.DeleteFunc(left, func(s proc.Stat) bool {
			now, err := proc.Real.Stat(s.PID)
			return errors.Is(err, proc.ErrGone) || err == nil && (now.Start != s.Start || now.Zombie())
		})
		if len(left) == 0 || time.Now().After(end) {
			return left
		}
	}
}

// leave names what goes on in the background.
func (a *app) leave(left []proc.Stat) {
	if len(left) == 0 {
		return
	}
	var names []string
	for _, s := range left {
		names = append(names, fmt.Sprintf("%s (pid %d)", s.Comm, s.PID))
	}
	a.console.note("left running in the background: " + strings.Join(names, ", "))
}

// shellCode is the exit code of a command as a shell tells it.
func shellCode(e proc.Exit) int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}

// under runs the command while the ticket, if there is one, is held. What would
// not end still has the ticket's file open, and with it the lock.
func (a *app) under(ctx context.Context, t *buildlock.Ticket, c child) (int, error) {
	code, stuck, err := a.run(ctx, c)
	if t == nil {
		return code, err
	}
	if stuck && !t.Passed {
		a.console.note(fmt.Sprintf("ticket %s is kept until it has ended", t.ID))
		return code, err
	}
	if rerr := t.Release(); rerr != nil {
		a.console.note(rerr.Error())
	}
	return code, err
}
