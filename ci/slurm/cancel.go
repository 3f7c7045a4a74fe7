package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Cancel tells slurmctld to end jobs. Of one that has ended already nothing is said.
func (c *Client) Cancel(ctx context.Context, ids ...string) error {
	for some := range slices.Chunk(ids, 500) { // a command line of some thousand bytes
		if _, err := c.ask(ctx, "scancel", append([]string{"--quiet"}, some...)...); err != nil {
			return err
		}
	}
	return nil
}

// cancelTime is how long a cancellation may take: who ends gpuci follows TERM by KILL
// after as little as 2.5 s.
const cancelTime = 1800 * time.Millisecond

// Cancel ends tasks by the ids that are known, and by the names that they have in the
// queue. An sbatch that is still under way is waited for; where it takes too long its job
// finds that the task was withdrawn, and runs nothing.
func (e *Executor) Cancel(ctx context.Context, cookies []string) error {
	ctx, cancel := context.WithTimeout(ctx, cancelTime)
	defer cancel()
	ids := make(map[string]bool)
	for _, c := range cookies {
		if j := e.jobs[c]; j != nil {
			j.end = refused(kindCancelled, "gpuci was told to cancel it")
			if j.id != "" {
				ids[j.id] = true
			}
		}
	}
	failed := e.cancelIDs(ctx, ids)
	kept := e.withdraw(ctx, cookies)
	busy := e.sbatchesEnd(ctx)
	left, err := e.cancelNamed(ctx, cookies)
	e.polls = polls{hot: true} // what came of it is worth a look at once
	if busy {                  // else nothing can come that it would keep from beginning
		err = errors.Join(err, kept)
	}
	if failed = errors.Join(failed, err); failed != nil {
		return fmt.Errorf("cancel jobs: %w", failed)
	}
	if len(left) > 0 {
		return fmt.Errorf("cancel jobs: still in the queue: %s; scancel them by hand", strings.Join(left, ", "))
	}
	if busy {
		return errors.New("cancel jobs: an sbatch has not ended; a job that still comes of it runs nothing")
	}
	return nil
}

// withdraw sees to it that a job which still comes of a task runs nothing, as far as the
// place answers in time.
func (e *Executor) withdraw(ctx context.Context, cookies []string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, cancelTime/3)
	defer cancel()
	e.place.within(ctx)
	for _, c := range cookies {
		if err = errors.Join(err, e.place.Withdraw(c)); errors.Is(err, errHangs) {
			break
		}
	}
	return err
}

func (e *Executor) cancelIDs(ctx context.Context, ids map[string]bool) error {
	if len(ids) == 0 {
		return nil
	}
	list := make([]string, 0, len(ids))
	for id := range ids {
		list = append(list, id)
	}
	slices.Sort(list)
	return e.client.Cancel(ctx, list...)
}

// cancelNamed cancels what is in the queue under these names until nothing is, and says
// what is left when time is up.
func (e *Executor) cancelNamed(ctx context.Context, cookies []string) (left []string, err error) {
	for {
		rows, err := e.queue(ctx)
		if err != nil {
			return left, err
		}
		ids := make(map[string]bool)
		left = nil
		for _, c := range cookies {
			for _, r := range rows[c] {
				if !r.State.ended() && r.State != "COMPLETING" {
					ids[r.ID] = true
					left = append(left, r.ID)
				}
			}
		}
		if len(ids) == 0 {
			return nil, nil
		}
		if err := e.cancelIDs(ctx, ids); err != nil {
			return left, err
		}
		select {
		case <-ctx.Done():
			return left, nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// sbatchesEnd waits until no sbatch of this night is under way, ours or one of a process
// before us, and says whether one still is.
func (e *Executor) sbatchesEnd(ctx context.Context) (busy bool) {
	for {
		f, err := e.holding(unix.LOCK_EX | unix.LOCK_NB)
		if err == nil {
			_ = f.Close()
			return false
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return true
		}
		deadline, ok := ctx.Deadline()
		if ok && time.Until(deadline) < cancelTime/3 { // the rest is for what they have brought
			return true
		}
		select {
		case <-ctx.Done():
			return true
		case <-time.After(20 * time.Millisecond):
		}
	}
}
