package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// reaperWatchOptions are the flags of `gpuci reaper watch`.
type reaperWatchOptions struct {
	laneFlags
	json bool
}

func (a *app) reaperWatchCommand() *cobra.Command {
	var o reaperWatchOptions
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "tell when something leaks, and when it is gone",
		Long: `watch looks every two seconds and prints a line when a process of this lane has
lost its build, and one when it is gone. What is leaked when it starts is told
first. It ends nothing; gpuci reaper sweep does.

Examples:
  gpuci reaper watch
  gpuci reaper watch --every-lane --json | jq 'select(.event == "leaked")'

Exit codes: 130 and 143 when a signal ends it, 0 when nobody reads what it says
any more; 4 no such lane, or no lane here, 64 usage, 69 the process table cannot
be read, or the file system of a lane does not answer, 78 configuration.`,
		Args: noLaneWord,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.reaperWatch(cmd.Context(), o) },
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

// reaperRound is how long the lanes and runs are taken to be what they were: a
// new worktree is not waited for longer than somebody builds in it.
const reaperRound = 30 * time.Second

// errRound says that they are to be looked up again.
var errRound = errors.New("a round is over")

func (a *app) reaperWatch(parent context.Context, o reaperWatchOptions) error {
	a.json = o.json
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	a.whenUnread(func(err error) { cancel(fmt.Errorf("print: %w", err)) })
	w := &leakWatch{app: a, stop: cancel, json: o.json, leaks: make(map[bearer]leak)}
	for first := true; ; first = false {
		g, err := a.ground(ctx, o.laneFlags)
		if err == nil {
			err = g.known()
		}
		switch {
		case err == nil:
			w.ground = g
		case first && parent.Err() == nil && ctx.Err() != nil: // nobody reads any more
			return context.Cause(ctx)
		case first:
			return err
		}
		if first {
			a.noteTorn(g)
			a.console.note("watching" + swept{ground: g}.where() + "; nothing is ended")
		}
		round, end := context.WithTimeoutCause(ctx, reaperRound, errRound)
		err = reaper.Watch(round, w.options(), 0, w.see)
		end()
		if !errors.Is(err, errRound) {
			_ = a.console.settle()
			return reaperError(ctx, err)
		}
		w.sift()
	}
}

// bearer is one process.
type bearer struct {
	pid   int
	start uint64
}

// leak is a process that was told to be leaked.
type leak struct {
	reaper.Judged
	since   time.Time
	doubted bool // the last look let it be, though it lives
}

// leakWatch tells what has changed.
type leakWatch struct {
	ground
	app   *app
	stop  context.CancelCauseFunc
	json  bool
	leaks map[bearer]leak
}

// see compares a judgement with what was told, and says whether it must see the
// next one too.
func (w *leakWatch) see(j reaper.Judgement) (again bool) {
	now := make(map[bearer]bool)
	for _, s := range j.Judged {
		key := bearer{s.PID, s.Start}
		if !s.Leaked {
			continue
		}
		now[key] = true
		if _, told := w.leaks[key]; !told {
			w.leaks[key] = leak{Judged: s, since: time.Now()}
			w.tell("leaked", w.leaks[key])
		}
	}
	w.sift()
	return w.doubt(now)
}

// sift tells of those that are gone.
func (w *leakWatch) sift() {
	for _, key := range w.told() {
		if gone(key) {
			w.drop("gone", key)
		}
	}
}

// doubt tells of those that live and that two looks in a row let be: something
// speaks for them now. One look can fall among processes that just end, of which
// the parent or the program is gone before they are; one that SIGKILL waits for
// is looked at until it is gone. It says whether there are any to look at again.
func (w *leakWatch) doubt(leaked map[bearer]bool) (again bool) {
	for _, key := range w.told() {
		l := w.leaks[key]
		ends := !leaked[key] && ending(key)
		if !leaked[key] && !ends && l.doubted {
			w.drop("spared", key)
			continue
		}
		l.doubted = !leaked[key] && !ends
		w.leaks[key] = l
		again = again || !leaked[key]
	}
	return again
}

// told are those that were told to be leaked, in the order of their pids.
func (w *leakWatch) told() []bearer {
	return slices.SortedFunc(maps.Keys(w.leaks), func(x, y bearer) int { return cmp.Or(x.pid-y.pid, cmp.Compare(x.start, y.start)) })
}

// drop tells what became of one, and forgets it.
func (w *leakWatch) drop(event string, key bearer) {
	w.tell(event, w.leaks[key])
	delete(w.leaks, key)
}

func gone(key bearer) bool {
	now, err := proc.Real.Stat(key.pid)
	return errors.Is(err, proc.ErrGone) || err == nil && (now.Start != key.start || now.Zombie())
}

// ending says that SIGKILL waits for one to run, or that it is gone by now.
func ending(key bearer) bool {
	return gone(key) || pending(proc.Real, key.pid)
}

// leakLine is an event in `gpuci reaper watch --json`; its type is "event".
type leakLine struct {
	suspectLine           // as of when it was seen to be leaked
	Event       string    `json:"event"` // leaked, gone or spared
	Time        time.Time `json:"time"`
	Seconds     float64   `json:"leaked-seconds"` // since it was told to be leaked
}

func (w *leakWatch) tell(event string, l leak) {
	at := time.Now()
	var err error
	if w.json {
		err = w.app.jsonLine(leakLine{w.line("event", l.Judged), event, at, round(at.Sub(l.since).Seconds())})
	} else {
		_, err = fmt.Fprintln(w.app.out, at.Format("15:04:05"), buildlock.Printable(l.text(event, at)))
	}
	if err != nil {
		w.stop(fmt.Errorf("print: %w", err))
	}
}

// text is one event.
func (l leak) text(event string, at time.Time) string {
	s := suspect{Judged: l.Judged}
	who := fmt.Sprintf("%s (%s)", s.Program(), s.who())
	switch after := buildlock.Round(at.Sub(l.since)); event {
	case "leaked":
		return fmt.Sprintf("leaked: %s, %c, %s old, %s: %s", who, s.State, buildlock.Round(s.Age), s.dirText(), shortWhy(s.Judged))
	case "gone":
		return fmt.Sprintf("gone: %s of lane %s, %s after it was seen", who, s.Lane, after)
	}
	return fmt.Sprintf("leaked no longer: %s of lane %s, which lives", who, s.Lane)
}
