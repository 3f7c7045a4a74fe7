package executor

import (
	"context"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
)

// Task is one attempt of ours at one gate at one content.
type Task struct {
	Cookie string // its name wherever it is handed to: letters, digits and "-", at most 64 bytes; never used twice
	Gate   config.Gate
	Config *config.Config // that the gate is of, as the content has it; its Root is nowhere
	Head   Head
	Dir    string   // of gpuci.toml, from the root of the content
	Args   []string // after --; the verdict is partial then
	Strict bool     // any mark makes a green need attention
	ByHand bool     // with the environment of who waits for it: what comes of it stands in no night
}

// Head is the content that a task is about.
type Head struct {
	Lane   string // whose it is, as people know it
	Branch string // "" where it is detached
	Root   string // of the lane here; "" for a branch that no lane has out
	Commit string
	Tree   string // id of the whole content, with what is not committed
	Dirty  bool   // Tree is not the commit's: what is not committed goes along
}

// JobName is the file of a run that says which job elsewhere it was: a [Job].
const JobName = "job.json"

// Job is by whom a run was done.
type Job struct {
	Executor string `json:"executor"`
	ID       string `json:"id"`
	Node     string `json:"node"`
	Attempt  int    `json:"attempt"` // from 1
	Cookie   string `json:"cookie"`
	ByHand   bool   `json:"by-hand,omitempty"`
}

// Phase is how far a task has come.
type Phase string

// A task is handed over, waits (Status.Why says for what), runs, and is done: then
// it has a verdict or a loss.
const (
	Pending Phase = "pending"
	Running Phase = "running"
	Done    Phase = "done"
)

// Status is what is known of a task.
type Status struct {
	Cookie  string
	Phase   Phase
	ID      string         // by which people find it there: the number of a job, a run
	Why     string         // it is pending, in the scheduler's words
	Where   string         // the node, or this machine
	Attempt int            // how often it was begun there, from 1: a scheduler begins one again by itself
	Log     string         // a file here that its output goes to as it comes; "" while there is none
	Since   time.Time      // of the phase, by the clock of who knows it
	Verdict *gates.Verdict // of one that is done: what came of it
	Loss    *Loss          // of one that is done: why nothing came of it
}

// Loss is why a task has no verdict: it is never red and never green.
type Loss struct {
	Outcome gates.Outcome // Refused: run it again; Broken: something is to be mended first
	Kind    string        // KindContent, or "preempted", "node-fail", "out-of-memory", "time-limit", "cancelled", "held", "refused", "requeued-too-often", "lost"
	Why     string        // with who and when
	Next    []string      // what to do
}

// KindContent is the loss of a content that cannot be had where the gates are run:
// every other gate of it is lost for the same reason.
const KindContent = "content"

// Executor runs gates somewhere, and brings back what comes of them. Its methods are
// called by one goroutine.
type Executor interface {
	// Submit hands a task over. The cookie is written down by the caller before. One
	// that was handed over before, by a process that was killed in the middle of it, is
	// not handed over twice. An error that is a *Loss is of that task alone; another
	// one is of the executor: nothing more is handed over then.
	Submit(ctx context.Context, t Task) error

	// Look asks once about all tasks that are handed over and not done, and gives what
	// has changed since the last time; a task is given as done once. It does not wait. A
	// verdict is given once all of its run is here, in the history too. An error is of
	// this look alone: it is asked again.
	Look(ctx context.Context) ([]Status, error)

	// Adopt takes up tasks that a process before us may have handed over under these
	// cookies. What was never handed over, as far as can be seen, is given back, to be
	// submitted under the same cookie.
	Adopt(ctx context.Context, tasks []Task) (never []Task, err error)

	// Cancel ends tasks, also those whose handing over was cut short, and those of a
	// process before us that nobody has adopted. It returns once they are told to, within
	// two seconds, and says what may still be there.
	Cancel(ctx context.Context, cookies []string) error

	// Drop says that what came of a task is in the caller's books, or that nothing comes
	// of it any more: what the executor keeps of it elsewhere is not needed.
	Drop(cookie string) error

	// Limits are how many tasks may be with the executor at once, and how often it is
	// worth to Look.
	Limits() Limits

	// Close lets go of what the executor holds here. Tasks that run go on.
	Close() error
}

// Limits bound what is asked of an executor.
type Limits struct {
	InFlight int             // at least 1
	Every    time.Duration   // between two looks
	Changed  <-chan struct{} // ready where Look has news; nil where only looking tells
	Here     bool            // tasks run below this process: none outlives Close, and one that is cancelled is waited for
}

func (l *Loss) Error() string { return l.Why }
