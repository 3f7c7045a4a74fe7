package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"gpuci/gates"
)

// lastWait is how long gpuci goes on after a second signal: long enough for what
// runs to be killed (the supervisor waits for 0.5 s then), and for the outcome to
// be written down on a slow disk.
const lastWait = 5 * time.Second

// signalled is what a gpuci does when it is told to stop.
type signalled struct {
	say  func(string)
	wait time.Duration // from the second signal to leave
	// leave ends gpuci where it stands: what hangs (a write that nobody reads, a
	// disk that does not answer) hears of no context. What runs below it then is
	// ended by the next gpuci in the workspace, as after SIGKILL.
	leave func(code int)
}

// watch ends the context on the first Ctrl-C, TERM or hang-up, politely, and
// closes hurry on the second: what runs is then ended at once, and gpuci itself
// when that takes too long, or on a third. It also takes SIGPIPE, so that a closed
// stdout or stderr is an error of a write and not the end of gpuci with a gate
// still running. Notify and not Ignore: an ignored signal would be inherited by
// every child.
func (d signalled) watch(parent context.Context) (ctx context.Context, hurry <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	now, pipes := make(chan struct{}), make(chan os.Signal, 1)
	signals := make(chan os.Signal, 2)
	signal.Notify(pipes, syscall.SIGPIPE)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // nohup, and a script's background job, mean it
			signal.Notify(signals, s)
		}
	}
	done := make(chan struct{})
	go d.take(signals, done, now, cancel)
	return ctx, now, func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		close(done)
		cancel(nil)
	}
}

// take takes signals until done. The exit code is that of the first one.
func (d signalled) take(signals <-chan os.Signal, done <-chan struct{}, now chan<- struct{}, cancel context.CancelCauseFunc) {
	code := 0
	var late <-chan time.Time
	for n := 0; ; {
		select {
		case <-done:
			return
		case <-late:
			d.leave(code)
			return
		case s := <-signals:
			switch n++; n {
			case 1:
				code = signalExit(s)
				d.tell("stopping; once more ends it at once")
				cancel(gates.Signalled{Exit: code})
			case 2:
				close(now)
				late = time.After(d.wait)
			default:
				d.leave(code)
				return
			}
		}
	}
}

// tell says something, and does not hang where stderr does.
func (d signalled) tell(text string) {
	said := make(chan struct{})
	go func() {
		d.say(text)
		close(said)
	}()
	select {
	case <-said:
	case <-time.After(100 * time.Millisecond):
	}
}

// signalExit is 130 for Ctrl-C; whoever sends TERM or closes the terminal
// gets 143.
func signalExit(s os.Signal) int {
	if s == os.Interrupt {
		return gates.ExitInterrupt
	}
	return gates.ExitTerminated
}
