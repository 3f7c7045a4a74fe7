package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"gpuci/gates"
)

// withSignals ends the context on the first Ctrl-C, TERM or hang-up, politely,
// and closes hurry on the second: what runs is then ended at once. It also
// takes SIGPIPE, so that a closed stdout or stderr is an error of a write and
// not the end of gpuci with a gate still running. Notify and not Ignore: an
// ignored signal would be inherited by every child.
func withSignals(parent context.Context, say func(string)) (ctx context.Context, hurry <-chan struct{}, stop func()) {
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
	go func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case s := <-signals:
				switch n {
				case 0:
					say("stopping; once more ends it at once")
					cancel(gates.Signalled{Exit: signalExit(s)})
				case 1:
					close(now)
				}
			}
		}
	}()
	return ctx, now, func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		close(done)
		cancel(nil)
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
