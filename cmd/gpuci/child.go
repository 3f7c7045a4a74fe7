package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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
}

const (
	// childGrace is what a command may take to tidy up after SIGTERM. cargo and
	// make are done in a moment; a container that is stopped takes ten seconds.
	childGrace = 10 * time.Second
	// afterInterrupt is what it may take after a Ctrl-C, which the terminal has
	// sent to it as well, before it is asked again by SIGTERM.
	afterInterrupt = time.Second
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
		return 0, false, notStarted(c.argv[0], err)
	}
	watched := c.begin(ctx, p)
	if endedByItself(ctx, p) {
		watched()
		a.leave(p.Release())
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

// startError says that a command could not be started.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

// notStarted says why a command could not be started, with the exit codes of a
// shell.
func notStarted(name string, err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		err = coded{127, fmt.Sprintf("%s: there is no such command", name), "look at its name and at PATH"}
	case errors.Is(err, fs.ErrPermission):
		err = coded{126, fmt.Sprintf("%s may not be executed", name), "chmod +x, or name the program that runs it"}
	case errors.Is(err, unix.ENOEXEC):
		err = coded{126, fmt.Sprintf("%s is no program", name), "give it a #! line, or name the shell: sh " + name}
	}
	return startError{err}
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
