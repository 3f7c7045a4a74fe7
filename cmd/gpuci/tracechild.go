package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/gates"
	"gpuci/reaper/proc"
)

// tracedEnd is how a program that was traced ended.
type tracedEnd struct {
	exit  proc.Exit
	pid   int
	code  int  // gpuci's
	stuck bool // something of it would not end
}

// atOnce bounds what a program may still do after a second Ctrl-C; gpuci itself leaves
// after lastWait.
const atOnce = 2 * time.Second

// runTraced runs a program to its end. Unlike a build it is not ended by the first Ctrl-C:
// it may have a checkpoint to write, or ask, and how it ends is its own to say.
func (a *app) runTraced(ctx context.Context, c child, through *passing) (tracedEnd, error) {
	command := proc.Command{Argv: c.argv, Dir: c.dir, Env: c.env, Interactive: true, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if through != nil {
		command.Stdout, command.Stderr = through.stdout, cmp.Or(through.stderr, os.Stderr)
		command.Stdin = cmp.Or(through.stdin, os.Stdin)
	}
	p, err := proc.Start(context.WithoutCancel(ctx), command)
	if err != nil {
		return tracedEnd{}, notStarted(c.argv, err)
	}
	if through != nil {
		through.begin()
	}
	var r proc.Result
	select {
	case <-p.Done():
	case <-ctx.Done():
		r = a.stopTraced(context.Cause(ctx), p)
	}
	for _, s := range r.Stuck {
		a.console.note(fmt.Sprintf("%s (pid %d, state %c) does not end: SIGKILL is sent and waits", s.Comm, s.PID, s.State))
	}
	left := lasting(p.Release(), settleFor)
	if through != nil {
		through.end(len(left)+len(r.Stuck) > 0)
	}
	a.leave(left)
	if len(r.Stuck) == 0 && r.Err == nil {
		<-p.Done()
	}
	end := tracedEnd{p.Exit(), p.Identity.PID, shellCode(p.Exit()), len(r.Stuck) > 0}
	if end.exit.Code < 0 && end.exit.Signal == 0 { // it does not end
		end.code = exitCode(context.Cause(ctx), true)
	}
	return end, nil
}

// stopTraced does what a signal to gpuci asks for. After Ctrl-C the program has the time
// that it takes; a second one ends it. By all else it is ended as everything of gpuci's.
func (a *app) stopTraced(cause error, p *proc.Process) proc.Result {
	var sig gates.Signalled
	if !errors.As(cause, &sig) || sig.Exit != gates.ExitInterrupt {
		return p.End(proc.Limits{Grace: childGrace}, a.hurry)
	}
	if !foreground() { // else the terminal has sent it to the program as well
		_ = proc.Real.Signal(p.Identity, unix.SIGINT) // it may have ended
	}
	select {
	case <-p.Done():
		return proc.Result{}
	case <-a.hurry:
	}
	return p.End(proc.Limits{Settle: afterInterrupt, Grace: afterInterrupt, Kill: atOnce}, nil)
}

// foreground says whether we have a terminal whose Ctrl-C goes to us and to what we start.
func foreground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
