package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Job is a task on the node that runs it.
type Job struct {
	Order
	Attempt
	Patience time.Duration // how long what came of it is tried to be given back; a minute when 0

	place   place
	dir     string // of the task
	sum     string // of the order
	node    string
	log     *Log
	scratch *scratch
	notes   []string
}

// IdleError says that a job has nothing to do: it ends, and has done no harm.
type IdleError struct{ Why string }

func (e *IdleError) Error() string { return e.Why }

// Begin takes up the task of a directory, for one attempt: it is the one to claim it, or
// of the job that has. Another error than *IdleError is of the place: then nobody can be
// told anything. The job is to be closed.
func Begin(dir string, a Attempt) (*Job, error) {
	if _, ok := parseAttempt(a.String()); !ok {
		return nil, fmt.Errorf("begin a task: %q is no job and attempt", a)
	}
	j := &Job{Attempt: a, dir: filepath.Clean(dir)}
	j.node, _ = os.Hostname()
	if err := j.open(); err != nil {
		return nil, fmt.Errorf("begin task %s: %w", dir, err)
	}
	if err := j.claim(); err != nil {
		var idle *IdleError
		if errors.As(err, &idle) {
			return nil, err
		}
		return nil, fmt.Errorf("claim task %s: %w", dir, err)
	}
	return j, nil
}

// open finds the place that a task is in, and reads its order.
func (j *Job) open() error {
	night := filepath.Dir(filepath.Dir(j.dir)) // nights/NIGHT/tasks/COOKIE
	p, err := openPlace(filepath.Dir(filepath.Dir(night)))
	if err != nil {
		return err
	}
	j.place = p
	data, err := p.read(filepath.Join(j.dir, orderName), maxOrder)
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := os.Lstat(filepath.Join(j.dir, withdrawnName)); gone == nil {
			return &IdleError{"the task was withdrawn before it was handed over"}
		}
	}
	if err != nil {
		return err
	}
	if j.Order, err = parseOrder(data); err != nil {
		return err
	}
	j.sum = sumOf(data)
	if filepath.Base(j.dir) != j.Cookie || filepath.Base(night) != j.Night {
		return fmt.Errorf("its order is of task %s of night %s", j.Cookie, j.Night)
	}
	return nil
}

// claim is the first to claim the task, or finds that its job has done so, and writes down
// that this attempt begins.
func (j *Job) claim() error {
	if _, err := os.Lstat(filepath.Join(j.dir, withdrawnName)); err == nil {
		return &IdleError{"the task was withdrawn"}
	}
	b := Begun{Attempt: j.Attempt, Node: j.node, At: time.Now()}
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	path := filepath.Join(j.dir, claimName)
	err = j.place.writeNew(path, data)
	if errors.Is(err, fs.ErrExist) {
		err = j.claimedBy(path)
	}
	if err != nil {
		return err
	}
	err = j.place.writeNew(filepath.Join(j.dir, j.begun()), data)
	if errors.Is(err, fs.ErrExist) {
		return &IdleError{fmt.Sprintf("attempt %d of job %s has begun before, and nothing is known of its end", j.Restart+1, j.Attempt.Job)}
	}
	return err
}

// claimedBy says whether it is our job that has the task.
func (j *Job) claimedBy(path string) error {
	data, err := j.place.read(path, maxSmall)
	if err != nil {
		return err
	}
	var first Begun
	if err := json.Unmarshal(data, &first); err != nil {
		return fmt.Errorf("%s is torn: %w", claimName, err)
	}
	if first.Attempt.Job != j.Attempt.Job {
		return &IdleError{fmt.Sprintf("job %s has it, since %s, on %s: a task is run by one job", first.Attempt.Job, first.At.Format(time.RFC3339), first.Node)}
	}
	return nil
}

// Close removes what the task has on this node.
func (j *Job) Close(ctx context.Context) error {
	var errs []error
	if j.log != nil {
		errs = append(errs, j.log.close())
	}
	if j.scratch != nil {
		errs = append(errs, j.scratch.remove(ctx))
	}
	return errors.Join(errs...)
}
