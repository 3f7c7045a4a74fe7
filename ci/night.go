package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
	Until           string   // "07:00"; "" is Config's where all lanes are meant, "none" is no end

	Note  func(string) // one line a change for who watches; may be nil
	Clock Clock
}

// NoEnd is an Until that has no end, whatever the configuration says.
const NoEnd = "none"

// nightly says that all lanes are meant.
func (o *Options) nightly() bool { return len(o.Lanes)+len(o.Branches) == 0 }

// night is one on its way.
type night struct {
	o          Options
	clock      Clock
	books      books
	plan       Plan
	due        due
	journal    *journal
	scratchDir string
	past       *past
	jobs       []*work
	notes      []string // what is wrong with the night as a whole, for the report
	codes      []int    // and what that makes of its exit code
}

// Run spends a night and gives its report, in which everything stands that it came
// to or did not come to. ctx ends it early, with a gates.Signalled for its cause;
// then it can be resumed.
//
// The error is a *BusyError where one goes on already, an *UnknownError for a lane,
// a branch or a gate that is not there, and wraps ErrNoNight where there is none to
// resume, ErrNoPlace where nothing can be written down.
func Run(ctx context.Context, o Options) (Report, error) {
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
	if err := n.prepare(ctx); err != nil {
		return Report{}, err
	}
	for _, w := range n.jobs { // first, so that a short night tells of all that
		n.stand(ctx, w)
	}
	n.o.Past.Rest()
	over, cancel := n.due.within(ctx)
	defer cancel()
	n.payDebts(over)
	for _, w := range n.jobs {
		n.spend(over, w)
	}
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
