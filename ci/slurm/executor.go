package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
	"gpuci/gates/config"
)

// Options say which cluster it is, and where.
type Options struct {
	Config config.Slurm
	Spool  *spool.Spool // the place that the nodes see; nil where Gone says why there is none
	Gone   error        // then jobs can be ended, and nothing else
	Dir    string       // a directory of this night's on this machine, not on the shared place
	Env    []string     // the user's, without gpuci's shims; jobs get what of it means something on a node
	Note   func(string) // one line for who watches; may be nil

	// How long a result may take to be seen here once its job has ended; 0 is 90 s: NFS
	// looks at a directory anew after at most 60 s (acdirmax).
	Settle time.Duration
}

const defaultSettle = 90 * time.Second

// place is what package spool does here.
type place interface {
	Hand(context.Context, executor.Task, spool.Carry) (spool.Handed, error)
	Results() ([]spool.Result, error)
	Begun(cookie string) ([]spool.Begun, error)
	Read(executor.Task, spool.Attempt) (spool.Outcome, error)
	Take(executor.Task, spool.Attempt) (spool.Outcome, error)
	Log(cookie string, a spool.Attempt) string
	Last(cookie string, a spool.Attempt, lines int) []string
	Withdraw(cookie string) error
	Drop(cookie string) error
	Close() error
}

// Executor hands tasks to Slurm, each as one job.
type Executor struct {
	o       Options
	place   *patient
	client  *Client
	cluster Cluster
	jobs    map[string]*job // by cookie
	order   []string        // of their cookies
	polls   polls
	away    bool      // slurmctld gave no answer when it was last asked for anything
	mute    time.Time // when accounting began to give no answer; zero while it does
	blind   time.Time // when the place began to be unreadable; zero while it is not
}

var _ executor.Executor = (*Executor)(nil)

// ErrNoShared says that the configuration names no shared directory.
var ErrNoShared = errors.New(`[slurm] has no shared: add shared = "/shared/gpuci", a directory that this machine and the nodes have under the same path`)

// New asks the cluster who it is. The error says what is missing, and what to do.
func New(ctx context.Context, o Options) (*Executor, error) {
	switch {
	case o.Gone != nil:
		return newExecutor(ctx, o, nowhere{o.Gone})
	case o.Config.Shared == "":
		return nil, ErrNoShared
	case o.Spool == nil:
		return nil, errors.New("open a spool first")
	}
	return newExecutor(ctx, o, o.Spool)
}

func newExecutor(ctx context.Context, o Options, p place) (*Executor, error) {
	if o.Settle == 0 {
		o.Settle = defaultSettle
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	e := &Executor{o: o, place: newPatient(p), client: &Client{Env: o.Env}, jobs: make(map[string]*job)}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the directory of this night: %w", err)
	}
	var err error
	if e.cluster, err = e.client.Cluster(ctx); err != nil {
		return nil, fmt.Errorf("ask Slurm for its configuration: %w", err)
	}
	return e, nil
}

// lookEvery is how often it is looked whether a result has come. Slurm itself is asked
// less often: see polls.
const lookEvery = 500 * time.Millisecond

// Limits are those of [slurm].
func (e *Executor) Limits() executor.Limits {
	return executor.Limits{InFlight: e.o.Config.InFlight, Every: lookEvery}
}

// Drop removes what the place has of a task. What is in one that cannot be read is left to
// the next gpuci, which tidies up.
func (e *Executor) Drop(cookie string) error {
	if !e.blind.IsZero() {
		return nil
	}
	e.place.within(context.Background())
	return e.place.Drop(cookie)
}

// Close lets go of the place. Jobs go on.
func (e *Executor) Close() error { return e.place.Close() }

// job is a task that is with Slurm, or on its way there.
type job struct {
	task    executor.Task
	handed  spool.Handed // none of one that was adopted
	adopted bool
	id      string          // "" until it is known
	told    executor.Status // what was given last

	try     tries
	submit  time.Time      // when its last attempt came into the queue
	since   time.Time      // when it began to wait there
	restart int            // how often it was begun again, as far as is known
	attempt spool.Attempt  // the last that is known to have begun; Job is "" for none
	start   time.Time      // as the queue had it when attempt was looked for
	end     *executor.Loss // why we have cancelled it; nil where we have not
	gone    time.Time      // when Slurm first said that it had ended
	clear   int            // how often it was found under an id that had not claimed it
	said    string         // why its result could not be recorded, as people were told
}

// tries are those of handing over one job.
type tries struct {
	n     int
	next  time.Time
	first time.Time
	why   string
}

// track notes a task.
func (e *Executor) track(t executor.Task) *job {
	j := &job{task: t}
	if e.jobs[t.Cookie] == nil {
		e.order = append(e.order, t.Cookie)
	}
	e.jobs[t.Cookie] = j
	return j
}

func (e *Executor) forget(cookie string) {
	delete(e.jobs, cookie)
	for i, c := range e.order {
		if c == cookie {
			e.order = append(e.order[:i:i], e.order[i+1:]...)
			return
		}
	}
}

// Submit puts the task into the place and hands it over. Where Slurm does not take it now,
// it is tried again by Look, and waits meanwhile.
func (e *Executor) Submit(ctx context.Context, t executor.Task) error {
	carry := spool.Sources
	if t.Gate.Slurm != nil && t.Gate.Slurm.Carry == config.CarryBundle {
		carry = spool.Archive
	}
	e.place.within(ctx)
	h, err := e.place.Hand(ctx, t, carry)
	if err != nil {
		return err
	}
	j := e.track(t)
	j.handed = h
	if e.away { // each sbatch would wait for it: the look that finds it back hands all over
		j.since, j.try.why = time.Now(), "slurmctld does not answer"
		return nil
	}
	if err := e.send(ctx, j); err != nil {
		e.forget(t.Cookie)
		return err
	}
	return nil
}

// The times between tries, and the most that a cluster may be away before a task is given
// up: a controller that fails over, or is restarted for an update, is back by then.
const (
	firstTry = time.Second
	mostTry  = 30 * time.Second
	mostAway = 15 * time.Minute
)

// send hands a job over once. The error is one that ends the task, or all of them.
func (e *Executor) send(ctx context.Context, j *job) error {
	id, err := e.sbatch(ctx, j.task, j.handed)
	now := time.Now()
	j.since = now
	if err == nil {
		j.id, j.try.why = id, ""
		return nil
	}
	waits := errors.Is(err, errUnclear) || errors.Is(err, errNotNow) || errors.Is(err, errLimit)
	if !waits {
		return err
	}
	if j.try.first.IsZero() {
		j.try.first = now
	}
	e.away = !errors.Is(err, errLimit)
	j.try.n++
	j.try.why = err.Error()
	j.try.next = now.Add(min(mostTry, firstTry<<min(j.try.n-1, 10)))
	away := now.Sub(j.try.first)
	switch {
	case errors.Is(err, errLimit) && !e.others(j):
		return refused(kindRefused, j.try.why, "run it again when other jobs of yours have ended: squeue --me")
	case !errors.Is(err, errLimit) && away > mostAway:
		return refused(kindRefused, fmt.Sprintf("%s, for %s", j.try.why, away.Round(time.Second)), "see whether the cluster is up: scontrol ping", "run it again")
	}
	return nil
}

// others says whether a job of ours is with Slurm beside this one.
func (e *Executor) others(j *job) bool {
	for _, o := range e.jobs {
		if o != j && o.id != "" {
			return true
		}
	}
	return false
}
