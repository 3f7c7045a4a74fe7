package gates

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/buildlock/shim"
)

// Queue is how the links of a gate's commands queue with all others on this
// machine.
type Queue struct {
	Shims     shim.Directory // stand in front of the commands
	Values    shim.Values    // what they are told; a run fills in Command, Build and Log
	Unfit     error          // why there are none: the gate is refused
	Serialize bool           // the build waits for the build lock, too
	Wait      time.Duration  // the most that is waited, for the build lock and for each link
	Marks     string         // $GPUCI_TICKETS: what is held above us
	Note      func() string  // what a line about a wait ends with; may be nil
}

// LinkSum is what the verdict says of a gate's links.
type LinkSum struct {
	Ticketed int          `json:"ticketed"`                 // made under a ticket of their own
	Past     []links.Seen `json:"past,omitempty"`           // came past the shims and were seen, at least
	Unknown  int          `json:"ticket-unknown,omitempty"` // linkers of other users
	NotRun   int          `json:"not-run,omitempty"`        // had no ticket in time, or could have none
	Waited   float64      `json:"waited-seconds"`           // of all links together
	Longest  float64      `json:"longest-seconds"`          // of one
	Queued   float64      `json:"queued-seconds"`           // of the gate: behind others' links only, in no time limit
	Lock     float64      `json:"build-lock-seconds"`       // waited for the build lock
	Text     string       `json:"text"`                     // the same for people, in a line
}

// doQueue puts the shims in front of the commands. From here on a link of this
// gate waits for its turn on this machine.
func (f *flow) doQueue(ctx context.Context) StepState {
	q := f.opt.Queue
	if q == nil {
		return StepNone
	}
	if q.Unfit != nil {
		f.refuseQueue("its links cannot queue, and none runs past the queue: "+q.Unfit.Error(), buildlock.Remedy(q.Unfit, q.Values.LockDir))
		return StepFailed
	}
	log := f.openLog("links.jsonl")
	if log == nil {
		return StepFailed
	}
	if err := buildlock.ShareLinkLog(log); err != nil {
		f.mark(err.Error())
	}
	f.linkLog = log.Name()
	_ = log.Close()
	f.besideProtected(ctx)
	f.links = &links.Watch{
		Build: f.v.Run, LockDir: q.Values.LockDir, Slots: f.slots(), Limit: q.Wait, Log: f.linkLog,
		Outer: os.Getenv(shim.LogVar), Shims: q.Shims.Path,
		Waiting: f.sayWait,
	}
	f.pressure.queue(f.links)
	f.v.Links = &LinkSum{}
	return StepDone
}

func (f *flow) sayWait(l buildlock.Line) {
	if q := f.opt.Queue; l.Note == "" && q.Note != nil {
		l.Note = q.Note()
	}
	f.opt.note("%s", l)
}

// queued is the environment of a command with the shims in front.
func (f *flow) queued(argv, env []string) []string {
	if f.links == nil {
		return env
	}
	v := f.opt.Queue.Values
	v.Links = f.slots()
	if f.opt.Pressure != nil {
		v.Rule = f.opt.Pressure.Rule.String()
	}
	v.Budget = f.v.Run
	v.Command, v.Build, v.Log = buildlock.Clip(quoteArgv(argv)), f.v.Run, f.linkLog
	env = f.opt.Queue.Shims.CommandEnv(argv, env, filepath.Join(f.opt.Root, f.gate.Dir), v)
	if f.buildLock != nil {
		env = shim.With(env, shim.TicketsVar, f.buildLock.Mark(f.opt.Queue.Marks))
	}
	return env
}

// takeBuildLock waits for the build lock where the workspace asks for it. The
// wait is not part of the build's time limit.
func (f *flow) takeBuildLock(ctx context.Context) bool {
	q := f.opt.Queue
	if f.links == nil || !q.Serialize && f.oneByOne == "" || f.buildLock != nil { // the kernels have taken it
		return true
	}
	t, err := buildlock.Acquire(ctx, buildlock.Options{
		Dir: q.Values.LockDir, Lock: buildlock.Build, Wait: q.Wait, Marks: q.Marks, Waiting: f.sayWait,
		Who: buildlock.Who{Lane: f.opt.Lane.Name, Root: f.opt.Lane.Root, Command: "gpuci gate " + f.gate.Name, Dir: f.opt.Root, Build: f.v.Run},
	})
	if err == nil {
		err = t.Keep()
	}
	switch {
	case err == nil:
		f.buildLock, f.v.Links.Lock = t, t.Waited.Seconds()
		return true
	case ctx.Err() != nil:
		return false
	}
	refuse := f.refuseQueue
	if errors.As(err, new(*buildlock.BusyError)) {
		refuse = f.refuseLate
	}
	refuse(err.Error(), buildlock.Remedy(err, q.Values.LockDir))
	return false
}

// refuseQueue refuses the gate for want of a lock, with what to do about it if
// the reason does not say so itself.
func (f *flow) refuseQueue(why, remedy string) {
	if remedy != "" {
		f.next(remedy)
	}
	f.refuse(why, "run the gate again once that is mended")
}

// refuseLate refuses it because a lock was not had in time: there is nothing to
// mend.
func (f *flow) refuseLate(why, remedy string) {
	f.owe(OweBox, why)
	f.next(remedy)
	f.refuse(why, "run the gate again once it is free; wait in [build] says how long that may take")
}

// endQueue gives the build lock up.
func (f *flow) endQueue() {
	if f.buildLock == nil {
		return
	}
	if err := f.buildLock.Release(); err != nil {
		f.mark("the build lock: " + err.Error())
	}
	f.buildLock = nil
}

// limited is ctx with a time limit in which waiting for others' links does not
// count.
func (f *flow) limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if f.links == nil {
		return context.WithTimeoutCause(ctx, limit, errTimeLimit)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	began, before := time.Now(), f.links.Queued(time.Now())
	go func() {
		for left := limit; left > 0; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(left):
			}
			now := time.Now()
			left = limit - (now.Sub(began) - (f.links.Queued(now) - before))
		}
		cancel(errTimeLimit)
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// linksOf turns what the shims wrote and what was seen into the verdict's sum,
// findings and marks.
func (f *flow) linksOf() {
	if f.links == nil {
		return
	}
	events, err := f.links.Events()
	if err != nil {
		f.mark("what the shims wrote of the links cannot be read: " + err.Error())
	}
	links.PassOn(events, os.Getenv(shim.LogVar))
	s := f.links.Sum(events)
	sum := f.v.Links
	sum.Ticketed, sum.Past, sum.Unknown, sum.NotRun, sum.Text = s.Ticketed, s.Past, s.Hidden, s.NotRun, s.String()
	sum.Waited, sum.Longest, sum.Queued = s.Waited.Seconds(), s.Longest.Seconds(), f.links.Queued(time.Now()).Seconds()
	for _, e := range s.Refused[:min(1, len(s.Refused))] { // the first says what the others would
		refuse := f.refuseQueue
		if e.Outcome == buildlock.TimedOut {
			refuse = f.refuseLate
		}
		refuse(fmt.Sprintf("%s was not linked: %s", e.Tool, e.Error), e.Remedy)
	}
	if s.Under != "" {
		f.mark("links ran under pressure, one at a time: " + s.Under)
	}
	if s.Blind != "" {
		f.mark("links: pressure: " + s.Blind)
	}
	for _, p := range s.Past {
		f.mark("links without a ticket: at least " + p.String())
	}
	if s.Removed {
		f.mark("links: " + links.RemovedText)
	}
	if d := f.opt.Queue.Shims; f.links.Broken() || !d.Whole() {
		f.mark("links: " + shim.BrokenText + d.Path)
	}
	if s.Hidden > 0 {
		f.mark(plural(s.Hidden, "linker") + " of other users, ticket unknown")
	}
}
