package ci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gpuci/gates"
)

// Files of a night whose gates run elsewhere.
const (
	awayName   = "on"     // what they run on; it is there while something may be there
	cancelName = "cancel" // somebody wants it to end: who, and when
)

// setAway writes down that something may be there, before anything is.
func (b books) setAway(night, on string) error {
	return gates.WriteWhole(filepath.Join(b.night(night), awayName), []byte(on+"\n"), 0o600)
}

// clearAway says that nothing is there any more.
func (b books) clearAway(night string) { _ = os.Remove(filepath.Join(b.night(night), awayName)) }

// away are the nights, and what was run by hand, of which something may be elsewhere, the
// oldest first.
func (b books) away() (names []string) {
	list, _ := filepath.Glob(filepath.Join(b.dir, "*", awayName))
	for _, path := range list {
		if name := filepath.Base(filepath.Dir(path)); nightForm.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// asked looks whether somebody wants a night to end.
func (b books) asked(night string) func() error {
	path := filepath.Join(b.night(night), cancelName)
	return func() error {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		return cancelled{strings.TrimSpace(string(data))}
	}
}

// cancelled is the end of a night that gpuci ci cancel brings.
type cancelled struct{ by string }

func (c cancelled) Error() string { return "cancelled by " + c.by }

// Unwrap makes it what SIGTERM is.
func (c cancelled) Unwrap() error { return gates.Signalled{Exit: gates.ExitTerminated} }

// hold locks a journal for as long as its process lives: it says that the night goes on.
func (j *journal) hold() error {
	err := syscall.Flock(int(j.f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLive
	}
	return err
}

// errLive says that another process goes on with a night.
var errLive = errors.New("it goes on: another gpuci runs it")

// sweep ends what killed gpucis have left elsewhere and nobody can go on with: what was run
// by hand, what was about to be ended, and, where this night takes the place of the last,
// that one's.
func (n *night) sweep(ctx context.Context) {
	for _, name := range n.books.away() {
		j, lines, err := openJournal(n.books.night(name))
		if err != nil {
			continue // it goes on, or is of no use to anybody
		}
		if len(lines) == 0 || lines[0].Plan == nil { // killed before it had a plan
			n.books.clearAway(name)
			_ = j.close()
			continue
		}
		plan := *lines[0].Plan
		open, interrupted := openOf(lines)
		switch {
		case len(open) == 0:
			n.books.clearAway(name)
		case interrupted, plan.Hand, plan.Nightly && n.o.nightly():
			n.note("night %s was killed and has left %s on %s, which are ended now", name, plural(len(open), "job"), plan.On)
			if err := endOpen(ctx, n.o.Open, n.books, j, plan, open, "the next gpuci"); err != nil {
				n.note("%v; gpuci ci cancel %s tries again", err, name)
			}
		default:
			n.note("night %s was killed and has %s on %s: gpuci ci run --resume=%s goes on with them, gpuci ci cancel %s ends them", name, plural(len(open), "job"), plan.On, name, name)
		}
		_ = j.close()
	}
}

// endOpen cancels what a dead gpuci has left, and writes that into its journal.
func endOpen(ctx context.Context, open Opener, b books, j *journal, plan Plan, lines []line, by string) error {
	ex, err := open(ctx, plan.On, plan.Night, b.night(plan.Night))
	if err != nil {
		return fmt.Errorf("end what night %s left: %w", plan.Night, err)
	}
	defer ex.Close()
	var cookies []string
	for _, l := range lines {
		cookies = append(cookies, l.Cookie)
	}
	if err := ex.Cancel(ctx, cookies); err != nil {
		return fmt.Errorf("end what night %s left: %w", plan.Night, err)
	}
	for _, c := range cookies {
		_ = ex.Drop(c)
	}
	now := time.Now()
	err = errors.Join(j.add(line{Type: cut, At: now, Cookies: cookies}), j.add(line{Type: stopped, At: now, Why: "cancelled by " + by}))
	if err == nil {
		b.clearAway(plan.Night)
	}
	return err
}
