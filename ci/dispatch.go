package ci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// dispatch hands tasks to an executor. What it does is in the journal, on the disk, before
// it is done: whatever kills it, the cookies of all that may be there are known.
type dispatch struct {
	id     string // of the night, or of what is run by hand
	ex     executor.Executor
	limits executor.Limits
	clock  Clock
	add    func(line) (ok bool)
	note   func(format string, args ...any)
	watch  func(executor.Task, executor.Status) // may be nil
	output func(executor.Task) io.Writer        // of the gates as it comes; may be nil
	asked  func() error                         // whether somebody wants it to stop; may be nil

	out    map[string]*flight // what is with the executor, by cookie
	early  []landed           // came to something while it was handed over
	count  int                // of cookies
	looked time.Duration      // when it was asked last
	mute   string             // the error of the last look
	shut   error              // why nothing more is handed over
	stop   context.CancelCauseFunc
	at     func(string) // as of journal
	left   bool         // something may still be there
}

// flight is a task that is with the executor.
type flight struct {
	task executor.Task
	last executor.Status
	tail *tail
}

// landed is a task that came to something.
type landed struct {
	task   executor.Task
	status executor.Status
	cut    bool // it was cancelled by us
}

// cookie names a task wherever it is: by the night, a number, and enough chance that none
// is ever used twice, also by two processes that go on with one night.
func (d *dispatch) cookie() string {
	d.count++
	id := gates.NewID(time.Time{})
	return fmt.Sprintf("gpuci-%s-%d-%s", d.id, d.count, id[len(id)-8:])
}

func (d *dispatch) idle() bool { return len(d.out)+len(d.early) == 0 }

func (d *dispatch) room() int {
	if len(d.early) > 0 {
		return 0
	}
	return max(0, d.limits.InFlight-len(d.out))
}

// submit hands a task over, once its cookie is written down: of one that nobody knows of
// nothing could be ended. What runs here ends with us.
func (d *dispatch) submit(ctx context.Context, t executor.Task) {
	ok := d.add(line{Type: started, Lane: t.Head.Lane, Tree: t.Head.Tree, Gate: t.Gate.Name, Cookie: t.Cookie})
	if !ok && !d.limits.Here {
		d.shut = errUnwritten
		d.lose(t, &executor.Loss{Outcome: gates.Refused, Kind: "refused", Why: d.shut.Error()})
		return
	}
	d.take(t)
	d.hand(ctx, t)
}

// take counts a task as one that is with the executor.
func (d *dispatch) take(t executor.Task) {
	f := &flight{task: t}
	if d.output != nil {
		f.tail = &tail{out: d.output(t)}
	}
	d.out[t.Cookie] = f
}

// hand gives it to the executor. One that cannot be handed over is lost; where ctx was
// the reason, it may be there, and is cancelled with all the others.
func (d *dispatch) hand(ctx context.Context, t executor.Task) {
	err := d.ex.Submit(ctx, t)
	d.at("after submit")
	var loss *executor.Loss
	switch {
	case err == nil, ctx.Err() != nil:
		return
	case !errors.As(err, &loss):
		d.shut = err
		loss = &executor.Loss{Outcome: gates.Refused, Kind: "refused", Why: "it could not be handed over: " + err.Error()}
	}
	delete(d.out, t.Cookie)
	d.lose(t, loss)
}

// errUnwritten says why nothing is handed over.
var errUnwritten = errors.New("the journal cannot be written, and without it nobody would know of the job")

// lose gives a task as lost that is not with the executor.
func (d *dispatch) lose(t executor.Task, loss *executor.Loss) {
	d.early = append(d.early, landed{task: t, status: executor.Status{Cookie: t.Cookie, Phase: executor.Done, Loss: loss, Since: d.clock.Wall()}})
}

// wait waits until it is worth to look.
func (d *dispatch) wait(ctx context.Context) {
	if len(d.early) > 0 {
		return
	}
	timer := time.NewTimer(d.limits.Every - (d.clock.Ran() - d.looked))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-d.limits.Changed:
	case <-timer.C:
	}
}

// lookIfDue looks where it is time to, in the middle of handing over.
func (d *dispatch) lookIfDue(ctx context.Context) []landed {
	if len(d.early) == 0 && d.clock.Ran()-d.looked < d.limits.Every {
		return nil
	}
	return d.look(ctx)
}

// look asks for what has changed.
func (d *dispatch) look(ctx context.Context) []landed {
	list := d.early
	d.early = nil
	d.heed()
	news, err := d.ex.Look(ctx)
	d.looked = d.clock.Ran()
	d.complain(ctx, err)
	for _, st := range news {
		f := d.out[st.Cookie]
		if f == nil {
			continue
		}
		d.tell(f, st)
		if st.Phase == executor.Done {
			delete(d.out, st.Cookie)
			list = append(list, landed{task: f.task, status: st})
		}
	}
	for _, f := range d.out {
		if err == nil { // else the file may be where nobody answers
			f.tail.copy(f.last.Log)
		}
	}
	return list
}

// tell passes on what is new of a task. Its id there is written down once it is known.
func (d *dispatch) tell(f *flight, st executor.Status) {
	if st.ID != "" && st.ID != f.last.ID {
		d.add(line{Type: handed, Cookie: st.Cookie, ID: st.ID})
	}
	if st.Log == "" {
		st.Log = f.last.Log
	}
	f.last = st
	if st.Phase == executor.Done {
		f.tail.end(st.Log)
	}
	if d.watch != nil {
		d.watch(f.task, st)
	}
}

// adoptAgain is how long after a failure it is asked again what runs.
const adoptAgain = time.Second

// adopt takes up what a process before us handed over, once it can be told what runs: of
// what was not taken up nothing would ever be told. It gives what was never handed over.
func (d *dispatch) adopt(ctx context.Context, tasks []executor.Task) (never []executor.Task) {
	for {
		never, err := d.ex.Adopt(ctx, tasks)
		if d.complain(ctx, err); err == nil || ctx.Err() != nil {
			return never
		}
		d.heed()
		select {
		case <-ctx.Done():
		case <-time.After(adoptAgain):
		}
	}
}

// complain says once why a look failed, and that they go on.
func (d *dispatch) complain(ctx context.Context, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text == d.mute || ctx.Err() != nil {
		return
	}
	if d.mute = text; err != nil {
		d.note("what runs is not known now, and is asked for again: %v", err)
		return
	}
	d.note("it is known again what runs")
}

// heed ends all where somebody wants it to.
func (d *dispatch) heed() {
	if d.asked == nil || d.stop == nil {
		return
	}
	if why := d.asked(); why != nil {
		d.stop(why)
	}
}

// drop lets the executor forget a task that is in the journal.
func (d *dispatch) drop(cookie string) {
	if err := d.ex.Drop(cookie); err != nil {
		d.note("tidy up after a gate: %v", err)
	}
}
