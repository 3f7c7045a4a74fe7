package buildlock

import (
	"context"
	"sync"
	"time"
)

// Turn is what is known of a ticket whose turn it is.
type Turn struct {
	Held   func(why string) // to be told why the work is held back; with "" that it takes a moment to find out
	Behind time.Duration    // waited in line, behind tickets that were held back themselves
}

// admitError is an error that Options.Admit gave: not one of the directory.
type admitError struct{ error }

func (e admitError) Unwrap() error { return e.error }

// admit asks whether the machine may take our work, in our turn. The ticket may
// be declared void meanwhile, and the directory removed, as in line.
func (w *wait) admit(ctx context.Context) error {
	asked, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { w.watch(asked, cancel) })
	began := time.Now()
	alone, err := w.o.Admit(asked, Turn{
		Held:   func(why string) { w.t.note(granted{Held: Clip(why), Looking: why == ""}) },
		Behind: w.behind,
	})
	cause := context.Cause(asked)
	cancel(nil)
	watching.Wait()
	switch {
	case err != nil && cause != nil:
		return cause
	case err != nil:
		return admitError{err}
	}
	if alone {
		w.o.Slots = 1
		w.began, w.looked = w.began.Add(time.Since(began)), time.Now() // it did not wait for the lock meanwhile
		w.foreign, w.idle = false, false
		w.t.note(granted{}) // it waits for others now
		return w.untilFirst(ctx)
	}
	return w.t.check()
}

// watch ends the asking when the ticket is none any more.
func (w *wait) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := w.t.check(); err != nil {
				cancel(err)
				return
			}
		}
	}
}
