package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// LandOptions say what is to be landed where, and hand in what ci cannot make by
// itself. All but Onto, Committed, DryRun, Verdict and Note are required.
type LandOptions struct {
	Here   worktrees.Lane // the lane we stand in
	Config *config.Config // of it: the base branch, the place of scratch lanes
	Lane   worktrees.Lane // whose commits
	Onto   string         // branch of the repository's own; "" is the base branch

	State     string // of the workspace, as gates.StateDir gives it
	Committed bool   // land the lane's commits though it has changes that are not committed
	DryRun    bool   // say what would be done

	// Queue waits for its turn among the landings of this repository, and returns
	// how to give it back.
	Queue func(ctx context.Context) (done func(), err error)
	// Prepare is how a gate runs in a scratch lane, as for a night.
	Prepare Prepare
	// History is where outcomes are looked up.
	History *gates.Past
	// Verdict is told each outcome.
	Verdict func(gates.Verdict)
	// Note is told one line for the person who watches.
	Note func(string)
}

func (o LandOptions) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// mostTries is how often a landing begins again because somebody else moved the
// base meanwhile. Landings queue, so that it is people who do, by hand.
const mostTries = 3

// Land puts the commits of a lane onto a branch: replayed on it in a scratch lane,
// judged there by the required gates, and the branch moved by fast-forward only if
// nothing is red that it is not red for itself. Whatever keeps it from that leaves
// everything as it was.
//
// The error is for what is no outcome of a landing: that there is no such branch,
// that the configuration is wrong, that nobody could be waited for.
func Land(ctx context.Context, o LandOptions) (Landing, error) {
	l := &landing{o: o, began: time.Now()}
	l.Type, l.Lane, l.Started = "landing", o.Lane.Name, l.began
	var err error
	if l.scratchDir, err = ScratchDir(o.Config, o.Here); err != nil {
		return l.Landing, err
	}
	if l.dir, err = dirOf(o.Here, o.Config); err != nil {
		return l.Landing, err
	}
	if !o.DryRun {
		done, err := o.Queue(ctx)
		if err != nil {
			return l.Landing, err
		}
		defer done()
		l.tidy(ctx)
	}
	err = l.land(ctx)
	l.Seconds = time.Since(l.began).Seconds()
	if ctx.Err() != nil && l.Outcome != Landed {
		l.interrupted(ctx)
		err = nil
	}
	if err == nil && !o.DryRun {
		l.write()
	}
	return l.Landing, err
}

// landing is one on its way.
type landing struct {
	Landing
	o          LandOptions
	began      time.Time
	dir        string // of gpuci.toml, from the root of a lane
	scratchDir string
	scratch    *worktrees.Scratch
	holder     worktrees.Lane     // in which Onto is checked out; the zero lane where it is in none
	cfg        *config.Config     // of what is to be landed
	baseCfg    *config.Config     // of Onto, nil where it has none
	red        map[string]baseRun // by gate
}

// land tries until the base stands still.
func (l *landing) land(ctx context.Context) error {
	defer l.removeScratch(ctx)
	for {
		l.Tries++
		l.Gates, l.red = nil, make(map[string]baseRun)
		err := l.try(ctx)
		switch {
		case !errors.Is(err, worktrees.ErrMoved):
			return l.outcomeOf(err)
		case l.Tries == mostTries:
			l.end(Refused, fmt.Sprintf("%s was moved by somebody else each of %d times", l.Onto, mostTries), "try again when nobody commits there by hand")
			return nil
		}
		l.o.note("%s was moved by somebody else meanwhile: once more from the start", l.Onto)
	}
}

// outcomeOf makes an outcome of the errors that are one.
func (l *landing) outcomeOf(err error) error {
	var conflict *worktrees.ConflictError
	var held *worktrees.HeldError
	var stuck *worktrees.StuckError
	if err != nil && l.noRoom(err) {
		return nil
	}
	switch {
	case errors.As(err, &conflict):
		l.Conflict = conflict.Paths
		l.end(Conflict, conflict.Error()+" of "+l.Onto, "git rebase "+l.Onto+", in lane "+l.Lane+"; then land it again")
		return nil
	case errors.As(err, &held):
		l.end(Refused, held.Error(), cmp.Or(held.Next, "commit or stash there, or finish what goes on; then land it again"))
		return nil
	case errors.As(err, &stuck):
		l.end(Refused, "the commits cannot be put onto "+l.Onto+": git says: "+stuck.Said, "git rebase "+l.Onto+", in lane "+l.Lane+", shows it; then land it again")
		return nil
	}
	return err
}

// try is one landing on the base as it is now.
func (l *landing) try(ctx context.Context) error {
	if err := l.look(ctx); err != nil || l.Outcome != "" {
		return err
	}
	if l.o.DryRun {
		return l.dry(ctx)
	}
	if err := l.replay(ctx); err != nil || l.Outcome != "" {
		return err
	}
	if err := l.judge(ctx); err != nil || l.Outcome != "" {
		return err
	}
	return l.move(ctx)
}
