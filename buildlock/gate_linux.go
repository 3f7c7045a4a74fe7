package buildlock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

const (
	gateFile = "gate"
	// gateTime is how long whoever has the gate may show no sign of life. The
	// gate is held for a fraction of a millisecond, or for as long as a slow disk
	// takes; one that does nothing for longer was stopped, or hangs.
	gateTime = 20 * time.Second
	// gateLook is how often that one is looked at.
	gateLook = time.Second
)

// enter takes the gate of the queue: numbers are given and stale tickets
// removed only by who has it.
func (q queue) enter(ctx context.Context) (leave func(), err error) {
	return q.enterWithin(ctx, DefaultWait)
}

// enterWithin is enter for somebody who waits for so long (negative: as long as
// it takes) while whoever has the gate is at work. Not to wait at all means the
// line, not the gate.
func (q queue) enterWithin(ctx context.Context, wait time.Duration) (leave func(), err error) {
	path := filepath.Join(q.path, gateFile)
	limit := max(wait, gateTime)
	if wait < 0 {
		limit = never
	}
	for {
		if err := q.make(gateFile, ""); err != nil {
			return nil, err
		}
		gate := flock.New(path, flock.SetFlag(os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK))
		if err := lockGate(ctx, gate, gateTime, limit); err != nil {
			return nil, err
		}
		if same(gate, path) {
			return func() { _ = gate.Close() }, nil
		}
		_ = gate.Close() // somebody removed it in between: that lock locks nobody out
		if !q.still() {
			return nil, errRemoved
		}
	}
}

func same(gate *flock.Flock, path string) bool {
	open, err := gate.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(open, named)
}

// lockGate waits for the gate: for limit in all, and for patience behind one
// that shows no sign of life. It does so in another goroutine, since flock(2)
// cannot be given up: a gate that comes too late is given back there.
func lockGate(ctx context.Context, gate *flock.Flock, patience, limit time.Duration) error {
	if ok, err := gate.TryLock(); ok || err != nil {
		return err
	}
	got, late := make(chan error), make(chan struct{})
	go func() {
		err := gate.Lock()
		select {
		case got <- err:
		case <-late:
			_ = gate.Close()
		}
	}()
	look, out := time.NewTicker(min(gateLook, patience/4)), time.NewTimer(limit)
	defer look.Stop()
	defer out.Stop()
	p := pulse{path: gate.Path(), moved: time.Now()}
	for {
		select {
		case err := <-got:
			return err
		case <-ctx.Done():
			close(late)
			return context.Cause(ctx)
		case <-out.C:
			close(late)
			p.look(time.Now())
			return fmt.Errorf("%s is held by %s, and was not let go in %s: the disk below it may be slow; end that process if it hangs", gate.Path(), p.holder, short(limit))
		case now := <-look.C:
			if p.look(now) < patience {
				continue
			}
			close(late)
			return fmt.Errorf("%s is held for over %s by %s, which is stopped or hangs: let it go on (kill -CONT), or end it", gate.Path(), patience, p.holder)
		}
	}
}
