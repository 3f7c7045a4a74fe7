package ci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gpuci/gates"
)

// CancelOptions say what is to be ended. State and Open are required.
type CancelOptions struct {
	State string // directory of this user's nights
	Open  Opener
	Night string // or what was run by hand; "" is the only one there is
	Every bool   // all there are
	Wait  time.Duration
	Note  func(string) // may be nil
}

// Cancelled is a night whose jobs were ended.
type Cancelled struct {
	Night string `json:"night"`
	On    string `json:"on"`
	Hand  bool   `json:"hand,omitempty"`
	Jobs  int    `json:"jobs"`           // that might be there
	Live  bool   `json:"live,omitempty"` // its gpuci was there, and has ended it
}

// ErrNothingAway says that there is nothing to cancel.
var ErrNothingAway = errors.New("nothing was handed over that is not done")

// SeveralError says that there are several nights that could be meant.
type SeveralError struct{ Nights []string }

func (e *SeveralError) Error() string {
	return fmt.Sprintf("%d nights have jobs elsewhere", len(e.Nights))
}

// Cancel ends what nights, and gates that are run by hand, have elsewhere: by their gpuci
// where it lives, else by the cookies in their journals. None is signalled.
//
// The error wraps ErrNothingAway where there is nothing to end, and is a *SeveralError where it
// cannot be told what is meant.
func Cancel(ctx context.Context, o CancelOptions) (list []Cancelled, err error) {
	b := books{filepath.Join(o.State, "ci")}
	names := b.away()
	switch {
	case o.Night != "" && !slices.Contains(names, o.Night):
		return nil, fmt.Errorf("%w by night %s", ErrNothingAway, o.Night)
	case o.Night != "":
		names = []string{o.Night}
	case len(names) == 0:
		return nil, ErrNothingAway
	case len(names) > 1 && !o.Every:
		return nil, &SeveralError{names}
	}
	var errs []error
	for _, name := range names {
		c, err := b.cancel(ctx, o, name)
		if err == nil {
			list = append(list, c)
		}
		errs = append(errs, err)
	}
	return list, errors.Join(errs...)
}

// cancel ends one.
func (b books) cancel(ctx context.Context, o CancelOptions, name string) (c Cancelled, err error) {
	who := ourselves(time.Now())
	by := fmt.Sprintf("%s (gpuci ci cancel, pid %d)", who.User, who.PID)
	j, lines, err := openJournal(b.night(name))
	if errors.Is(err, errLive) {
		if c, err = b.ask(ctx, o, name, by); err != nil || !b.stillAway(name) {
			return c, err
		}
		j, lines, err = openJournal(b.night(name)) // it has ended and left something
	}
	if err != nil {
		return c, fmt.Errorf("cancel night %s: %w", name, err)
	}
	defer j.close()
	if len(lines) == 0 || lines[0].Plan == nil {
		b.clearAway(name) // it was killed before it handed anything over
		return Cancelled{Night: name}, nil
	}
	plan := *lines[0].Plan
	open, _ := openOf(lines)
	c.Night, c.On, c.Hand, c.Jobs = name, plan.On, plan.Hand, max(c.Jobs, len(open))
	if len(open) == 0 {
		b.clearAway(name)
		return c, nil
	}
	if err := endOpen(ctx, o.Open, b, j, plan, open, by); err != nil {
		return c, err
	}
	if plan.Hand {
		_ = os.RemoveAll(b.night(name))
	}
	return c, nil
}

// askedTime is how long a gpuci that lives may take to end what it has elsewhere: it looks
// once a second whether somebody wants that, and then has two seconds.
const askedTime = 15 * time.Second

// ask has the gpuci of a night end it.
func (b books) ask(ctx context.Context, o CancelOptions, name, by string) (c Cancelled, err error) {
	lines, _, err := readJournal(b.night(name))
	if err != nil || len(lines) == 0 || lines[0].Plan == nil {
		return c, fmt.Errorf("cancel night %s: %w", name, errLive)
	}
	open, _ := openOf(lines)
	c = Cancelled{Night: name, On: lines[0].Plan.On, Hand: lines[0].Plan.Hand, Jobs: len(open), Live: true}
	if err := gates.WriteWhole(filepath.Join(b.night(name), cancelName), []byte(by+"\n"), 0o600); err != nil {
		return c, fmt.Errorf("cancel night %s: %w", name, err)
	}
	ctx, stop := context.WithTimeout(ctx, max(o.Wait, askedTime))
	defer stop()
	for {
		j, _, err := openJournal(b.night(name))
		switch {
		case err == nil:
			return c, j.close()
		case !errors.Is(err, errLive):
			return c, nil // what was run by hand leaves nothing
		}
		select {
		case <-ctx.Done():
			return c, fmt.Errorf("cancel night %s: its gpuci (pid %d) does not answer; end it, then run gpuci ci cancel again", name, lines[0].PID)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (b books) stillAway(name string) bool { return slices.Contains(b.away(), name) }
