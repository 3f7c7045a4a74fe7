package slurm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
)

// errHangs says that a question to the place was not answered. A network file system whose
// server is gone lets who asks wait, for ever and beyond the reach of a signal.
var errHangs = errors.New("the shared directory does not answer: is its file server there?")

// How long a question to the place may take, how long one that the end of its context cuts
// may take to put things in order, and how long one is waited for in the end.
const (
	hangTime  = 30 * time.Second
	cutTime   = 300 * time.Millisecond
	closeTime = 15 * time.Second
)

// patient asks a place for no longer than who calls may wait, so that gpuci can be told to
// end, and ends its jobs, while the place hangs. What was not answered goes on beside it,
// and nothing else is asked meanwhile.
type patient struct {
	place
	ctx  context.Context // of the call that asks
	busy chan struct{}   // holds something while a question is not answered
	most time.Duration   // hangTime
}

func newPatient(p place) *patient {
	return &patient{place: p, ctx: context.Background(), busy: make(chan struct{}, 1), most: hangTime}
}

// within says whose questions the next ones are.
func (p *patient) within(ctx context.Context) { p.ctx = ctx }

// ask asks, for as long as that may take. With 0 that is until it is answered, or the
// context ends, and what hangs before it is waited for, too.
func ask[T any](p *patient, most time.Duration, do func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	var none T
	if err := p.turn(most == 0); err != nil {
		return none, err
	}
	came := make(chan answer, 1)
	go func() {
		v, err := do()
		<-p.busy
		came <- answer{v, err}
	}()
	var late, cut <-chan time.Time
	if most > 0 {
		late = time.After(most)
	}
	done := p.ctx.Done()
	for {
		select {
		case a := <-came:
			return a.v, a.err
		case <-done:
			done, cut = nil, time.After(cutTime)
		case <-cut:
			return none, fmt.Errorf("%w: %w", errHangs, context.Cause(p.ctx))
		case <-late:
			return none, errHangs
		}
	}
}

// turn waits until nothing is asked, or says that something is.
func (p *patient) turn(wait bool) error {
	select {
	case p.busy <- struct{}{}:
		return nil
	default:
	}
	if !wait {
		return errHangs
	}
	select {
	case p.busy <- struct{}{}:
		return nil
	case <-p.ctx.Done():
		return fmt.Errorf("%w: %w", errHangs, context.Cause(p.ctx))
	}
}

// tell is ask of what has no answer but an error.
func (p *patient) tell(most time.Duration, do func() error) error {
	_, err := ask(p, most, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// Hand may take long: a content is packed, an archive is built.
func (p *patient) Hand(ctx context.Context, t executor.Task, c spool.Carry) (spool.Handed, error) {
	return ask(p, 0, func() (spool.Handed, error) { return p.place.Hand(ctx, t, c) })
}

func (p *patient) Results() ([]spool.Result, error) { return ask(p, p.most, p.place.Results) }

func (p *patient) Begun(cookie string) ([]spool.Begun, error) {
	return ask(p, p.most, func() ([]spool.Begun, error) { return p.place.Begun(cookie) })
}

func (p *patient) Read(t executor.Task, a spool.Attempt) (spool.Outcome, error) {
	return ask(p, p.most, func() (spool.Outcome, error) { return p.place.Read(t, a) })
}

// Take may take long: the recordings of a run are gigabytes.
func (p *patient) Take(t executor.Task, a spool.Attempt) (spool.Outcome, error) {
	return ask(p, 0, func() (spool.Outcome, error) { return p.place.Take(t, a) })
}

func (p *patient) Last(cookie string, a spool.Attempt, lines int) []string {
	all, _ := ask(p, p.most, func() ([]string, error) { return p.place.Last(cookie, a, lines), nil })
	return all
}

func (p *patient) Withdraw(cookie string) error {
	return p.tell(p.most, func() error { return p.place.Withdraw(cookie) })
}

func (p *patient) Drop(cookie string) error {
	return p.tell(p.most, func() error { return p.place.Drop(cookie) })
}

// Close waits for what is still asked: a build that is told to end takes a while.
func (p *patient) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	p.within(ctx)
	return p.tell(0, p.place.Close)
}
