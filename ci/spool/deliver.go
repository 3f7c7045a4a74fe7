package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/history"
)

// deliverTime is how long it is tried to give back what came of a task: a shared disk that
// is full or away for a moment takes nobody's night.
const (
	deliverTime  = time.Minute
	deliverAgain = time.Second
)

// Deliver gives back the verdict of the gate, with the files of its run. A verdict whose
// record does not come back whole is no green. The exit code is that of the task; an error
// says that nothing was given back.
func (j *Job) Deliver(ctx context.Context, v gates.Verdict) (exit int, err error) {
	if err := j.writeJob(v.Dir); err != nil {
		v.Spoil("its record is not whole: "+err.Error(), "make room on the node")
	}
	if moved := j.Moved(ctx); moved != "" {
		v.Spoil(fmt.Sprintf("it moved its lane to %.10s: a gate is to leave HEAD where it is", moved), "")
	}
	if v.Bound.Tree != j.Tree && !v.Bound.Unread && v.Outcome != gates.Interrupted {
		v.Spoil(fmt.Sprintf("it judged the content %.10s, and was to judge %.10s", v.Bound.Tree, j.Tree), "")
	}
	r := j.report()
	r.Tree, r.Run = j.Tree, v.Run
	err = j.again(func() (err error) {
		r.Files, err = j.putRun(v)
		return err
	})
	if err != nil {
		v.Spoil("its record did not come back: "+err.Error(), "make room in the shared directory")
		r.Notes = append(r.Notes, "the files of the run are lost: "+err.Error())
		if r.Files, err = j.putVerdict(v); err != nil {
			return ExitUndelivered, fmt.Errorf("give back what came of task %s: %w", j.Cookie, err)
		}
	}
	r.Exit = v.Exit
	return r.Exit, j.give(r)
}

// Fail gives back that the gate could not be run.
func (j *Job) Fail(f *Failure) (exit int, err error) {
	r := j.report()
	r.Failed, r.Outcome, r.Content, r.Next, r.Exit = f.Text, f.Outcome, f.Content, f.Next, f.Outcome.ExitCode()
	return r.Exit, j.give(r)
}

// Stop gives back that the task was told to stop by a signal before there was a verdict.
func (j *Job) Stop(by string, exit int) error {
	r := j.report()
	r.Stopped, r.Exit = by, exit
	return j.give(r)
}

func (j *Job) report() report {
	return report{
		Type: reportType, Schema: reportSchema, Cookie: j.Cookie, Attempt: j.Attempt, Order: j.sum,
		Node: j.node, Notes: j.notes,
	}
}

// give writes the result.
func (j *Job) give(r report) error {
	path := filepath.Join(filepath.Dir(filepath.Dir(j.dir)), "results", j.Cookie+"."+j.Attempt.String()+".json")
	err := j.again(func() error {
		r.Ended = time.Now()
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		return j.place.write(path, append(data, '\n'))
	})
	if err != nil {
		return fmt.Errorf("give back what came of task %s: %w", j.Cookie, err)
	}
	return nil
}

// again tries until it works, for a time. What no time mends is not tried again.
func (j *Job) again(do func() error) error {
	patience := j.Patience
	if patience == 0 {
		patience = deliverTime
	}
	for end := time.Now().Add(patience); ; time.Sleep(min(deliverAgain, patience)) {
		err := do()
		if err == nil || time.Now().After(end) || errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
}

// writeJob says in the directory of a run by whom it was done.
func (j *Job) writeJob(dir string) error {
	data, err := json.Marshal(executor.Job{Executor: "slurm", ID: j.Attempt.Job, Node: j.node, Attempt: j.Restart + 1, Cookie: j.Cookie, ByHand: j.ByHand})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, executor.JobName), append(data, '\n'), 0o644)
}

// putRun copies the directory of the run into the place, with the verdict as it is now.
func (j *Job) putRun(v gates.Verdict) (list []file, err error) {
	to := filepath.Join(j.dir, j.Attempt.run())
	if err := os.RemoveAll(to); err != nil { // of a try before
		return nil, err
	}
	root, err := os.OpenRoot(v.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		at := filepath.Join(to, path)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.Mkdir(at, 0o700)
		case !e.Type().IsRegular() || path == verdictName:
			return nil
		}
		f, err := root.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		one, err := putFile(at, f)
		one.Path = path
		list = append(list, one)
		return err
	})
	if err != nil {
		return nil, err
	}
	more, err := j.putVerdict(v)
	if err == nil {
		err = syncTree(to)
	}
	return append(list, more...), err
}

const verdictName = "verdict.json"

// putVerdict writes the verdict alone.
func (j *Job) putVerdict(v gates.Verdict) ([]file, error) {
	to := filepath.Join(j.dir, j.Attempt.run())
	if err := os.Mkdir(to, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	data, err := history.Marshal(v)
	if err != nil {
		return nil, err
	}
	if err := j.place.write(filepath.Join(to, verdictName), append(data, '\n')); err != nil {
		return nil, err
	}
	return []file{{verdictName, int64(len(data) + 1), sumOf(append(data, '\n'))}}, nil
}
