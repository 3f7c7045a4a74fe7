package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// Prepare gives the options under which a gate runs in a scratch lane: the queue of
// the links, the pressure, the history. cfg.Root is the directory of gpuci.toml in
// it. The night itself fills in the gate, the lanes and the scratch lane's
// environment.
type Prepare func(scratch worktrees.Lane, cfg *config.Config, g config.Gate) (gates.Options, error)

// Options say what a night is about. Here, Config, State, Past and Prepare are
// required.
type Options struct {
	Here    worktrees.Lane // from which the others are found
	Config  *config.Config // of here: which lanes, until when, the base branch, the place of scratch lanes
	State   string         // directory of this user's runs and nights
	Shared  string         // the same of the repository's owner; "" where that is State
	Past    *gates.Past
	Prepare Prepare

	Lanes, Branches []string // only these; where both are empty, the lanes that Config says
	Gates           []string // only these; none means all that are for nights
	Force           bool     // run what was judged before, too
	Resume          bool     // go on with the last night, if it did not end
	Some            bool     // with the last one of some lanes: it has their names
	Night           string   // with this one
	Until           string   // "07:00"; "" is Config's where all lanes are meant, "none" is no end

	// On names what runs the gates; "" is this machine, or what the night that is resumed
	// runs them on. Open gives it, for the night or what is run by hand of an id.
	On      string
	Open    Opener
	Version string // of gpuci

	Comparisons func() []Comparison // that are owed, of all lanes; may be nil

	Note   func(string)                  // one line a change for who watches; may be nil
	Watch  func(Event)                   // what is newly known of gates that run elsewhere; may be nil
	Output func(executor.Task) io.Writer // of gates that run elsewhere, as it comes; may be nil
	Clock  Clock

	step func(string) // see journal
}

// Opener gives the executor of a name for a night, or for what is run by hand, of an id;
// dir is a directory of its own here.
type Opener func(ctx context.Context, on, id, dir string) (executor.Executor, error)

// NoEnd is an Until that has no end, whatever the configuration says.
const NoEnd = "none"

// nightly says that all lanes are meant.
func (o *Options) nightly() bool { return len(o.Lanes)+len(o.Branches) == 0 && !o.Some }

// night is one on its way.
type night struct {
	o           Options
	clock       Clock
	books       books
	plan        Plan
	due         due
	journal     *journal
	scratchDir  string
	past        *past
	jobs        []*work
	open        []line   // of what a process before us handed over
	closed      []string // the cookies of what came to something
	interrupted bool     // that process was told to end what it had handed over
	d           *dispatch
	turns       []*turn
	notes       []string // what is wrong with the night as a whole, for the report
	codes       []int    // and what that makes of its exit code
}

// Run spends a night and gives its report, in which everything stands that it came
// to or did not come to. ctx ends it early, with a gates.Signalled for its cause;
// then it can be resumed.
//
// The error is a *BusyError where one goes on already, an *UnknownError for a lane,
// a branch or a gate that is not there, and wraps ErrNoNight where there is none to
// resume, ErrNoPlace where nothing can be written down.
func Run(ctx context.Context, o Options) (Report, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	n := &night{o: o, clock: machineClock(o.Clock), books: books{filepath.Join(o.State, "ci")}}
	var err error
	if n.scratchDir, err = ScratchDir(o.Config, o.Here); err != nil {
		return Report{}, err
	}
	if o.nightly() { // others need not wait for it, nor it for them
		lock, err := lockNight(o.State, cmp.Or(o.Shared, o.State), ourselves(n.clock.Wall()))
		if busy := (*BusyError)(nil); err != nil && !errors.As(err, &busy) {
			err = fmt.Errorf("%w: %w", ErrNoPlace, err)
		}
		if err != nil {
			return Report{}, err
		}
		defer lock.release()
		n.clear(ctx)
	}
	if err := n.begin(ctx); err != nil {
		return Report{}, err
	}
	defer n.journal.close()
	over, cancel := n.due.within(ctx)
	defer cancel()
	if err := n.connect(over, stop); err != nil {
		return Report{}, err
	}
	defer n.d.ex.Close()
	if err := n.prepare(ctx); err != nil {
		return Report{}, err
	}
	n.adopt(over)
	for _, w := range n.jobs { // first, so that a short night tells of all that
		n.stand(ctx, w)
	}
	n.o.Past.Rest()
	n.drive(over)
	n.disconnect()
	n.clear(context.WithoutCancel(ctx))
	return n.end(ctx), nil
}

// ErrNoPlace says that a night could not be written down.
var ErrNoPlace = errors.New("a night that cannot be written down is not begun")

func (n *night) note(format string, args ...any) {
	if n.o.Note != nil {
		n.o.Note(fmt.Sprintf(format, args...))
	}
}

// fault notes what is wrong with the night as a whole, and keeps it for the report.
func (n *night) fault(code int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	n.note("%s", text)
	n.notes, n.codes = append(n.notes, text), append(n.codes, code)
}

func hostName() string {
	name, _ := os.Hostname()
	return name
}

// exitOf is the exit code of a night that was stopped.
func exitOf(why error) int {
	if sig := (gates.Signalled{}); errors.As(why, &sig) {
		return sig.Exit
	}
	return gates.ExitInterrupt
}

// end closes the night and its books.
func (n *night) end(ctx context.Context) Report {
	r := n.report(ctx)
	last := line{Type: ended, Exit: r.Exit}
	if why := context.Cause(ctx); why != nil {
		last.Type, last.Why = stopped, why.Error()
		r.Stopped = why.Error()
		r.Exit = gates.WorstExit(r.Exit, exitOf(why))
	}
	n.add(last)
	if len(n.codes) > 0 {
		r.Notes, r.Exit = n.notes, gates.WorstExit(append(n.codes, r.Exit)...)
	}
	if err := n.books.keep(r); err != nil {
		n.note("%v", err)
	}
	n.books.prune()
	return r
}
