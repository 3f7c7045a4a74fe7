// Package local runs gates on this machine, in scratch lanes: checkouts of our own at the
// commits of tasks. One gate runs at a time. Gates of one content that are submitted one
// after the other share a scratch lane; the one of the content before is removed then,
// since there are disks for one.
//
// A task that nobody is there for any more, since its gpuci was killed, was killed with it
// or is ended by the next run in the workspace: Adopt gives all back.
package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// Options say where gates run. All but Note are required.
type Options struct {
	Here worktrees.Lane // from which scratch lanes are made
	Dir  string         // of scratch lanes
	For  string         // what they are for, to whoever finds one

	// Prepare gives the options under which a gate runs in a scratch lane: the queue of
	// the links, the pressure, the history. cfg.Root is the directory of gpuci.toml in it.
	// The gate, the lanes and the scratch lane's environment are filled in here.
	Prepare func(scratch worktrees.Lane, cfg *config.Config, g config.Gate) (gates.Options, error)

	Note func(string) // one line for who watches; may be nil
}

// Executor runs tasks here. Its methods are called by one goroutine, as
// [executor.Executor] has it.
type Executor struct {
	o       Options
	ctx     context.Context // of all that runs here: its cause is what ends a gate
	changed chan struct{}
	news    []executor.Status
	now     *running
	place   *place // of the content that ran last
}

// running is the task that runs.
type running struct {
	cookie string
	cancel context.CancelFunc
	done   chan executor.Status // of one
}

// New makes one. Whatever runs is ended with ctx, by its cause.
func New(ctx context.Context, o Options) *Executor {
	return &Executor{o: o, ctx: ctx, changed: make(chan struct{}, 1)}
}

// errBusy says that one gate runs at a time.
var errBusy = errors.New("submit a task: another one runs here, and gates run one at a time")

// Submit begins with a task.
func (e *Executor) Submit(_ context.Context, t executor.Task) error {
	if e.now != nil {
		return errBusy
	}
	ctx, cancel := context.WithCancel(e.ctx)
	r := &running{cookie: t.Cookie, cancel: cancel, done: make(chan executor.Status, 1)}
	e.now = r
	e.news = append(e.news, executor.Status{Cookie: t.Cookie, Phase: executor.Running, Attempt: 1, Since: time.Now()})
	e.wake()
	go func() {
		defer e.wake()
		st := executor.Status{Cookie: t.Cookie, Phase: executor.Done, Attempt: 1}
		st.Verdict, st.Loss = e.run(ctx, t)
		st.Since = time.Now()
		r.done <- st
	}()
	return nil
}

// wake says that Look has news.
func (e *Executor) wake() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// Look gives what has changed.
func (e *Executor) Look(context.Context) ([]executor.Status, error) {
	list := e.news
	e.news = nil
	if e.now == nil {
		return list, nil
	}
	select {
	case st := <-e.now.done:
		e.now.cancel()
		e.now = nil
		list = append(list, st)
	default:
	}
	return list, nil
}

// Adopt gives all back.
func (e *Executor) Adopt(_ context.Context, tasks []executor.Task) ([]executor.Task, error) {
	return tasks, nil
}

// Cancel ends what runs, as a signal would.
func (e *Executor) Cancel(_ context.Context, cookies []string) error {
	for _, c := range cookies {
		if e.now != nil && e.now.cookie == c {
			e.now.cancel()
		}
	}
	return nil
}

// Drop does nothing: all that came of a task is where it belongs.
func (e *Executor) Drop(string) error { return nil }

// Limits are those of one gate at a time.
func (e *Executor) Limits() executor.Limits {
	return executor.Limits{InFlight: 1, Every: time.Minute, Changed: e.changed, Here: true}
}

// Close ends what runs, and removes the scratch lane, also where ctx has ended.
func (e *Executor) Close() error {
	if e.now != nil {
		e.now.cancel()
		<-e.now.done
		e.now = nil
	}
	e.drop()
	return nil
}

func (e *Executor) note(format string, args ...any) {
	if e.o.Note != nil {
		e.o.Note(fmt.Sprintf(format, args...))
	}
}
