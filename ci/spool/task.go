package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/worktrees"
)

// Handed is a task as a scheduler gets it.
type Handed struct {
	Cookie string
	Dir    string   // of the task
	Argv   []string // what the job runs, without a shell: gpuci ci task DIR
	Output string   // pattern of the file for what the job itself says: "%j" in it is its id, any other % is doubled
}

// Hand puts a task into the place, with all that its order names. It can be done again for
// a task that was handed before: what is there stays. It may take long where the content
// is large, or an archive is to be built. The error is an *executor.Loss where it is of
// this task alone: its content cannot go along, its archive cannot be made.
func (s *Spool) Hand(ctx context.Context, t executor.Task, carry Carry) (Handed, error) {
	if !cookieForm.MatchString(t.Cookie) {
		return Handed{}, fmt.Errorf("hand a task over: %q is no cookie", t.Cookie)
	}
	if h, ok, err := s.Handed(t.Cookie); ok || err != nil {
		return h, err
	}
	if err := s.makeNight(); err != nil { // somebody may have taken it for one that was left behind
		return Handed{}, fmt.Errorf("hand gate %s over: %w", t.Gate.Name, err)
	}
	o, err := s.put(ctx, t, carry)
	if err == nil && !s.complete(o) { // somebody cleaned up before there was an order that names it
		s.program, s.content = "", make(map[string]string)
		if err = errors.Join(os.RemoveAll(s.task(t.Cookie)), s.makeNight()); err == nil {
			o, err = s.put(ctx, t, carry)
		}
	}
	if err != nil && ctx.Err() != nil { // whatever that has made of it
		return Handed{}, fmt.Errorf("hand gate %s over: %w", t.Gate.Name, ctx.Err())
	}
	if err != nil {
		return Handed{}, handError(t, err)
	}
	return s.handed(o), nil
}

// put puts a task there, and all that it needs.
func (s *Spool) put(ctx context.Context, t executor.Task, carry Carry) (Order, error) {
	o, err := s.order(ctx, t, carry)
	if err == nil {
		err = s.makeTask(ctx, t, o)
	}
	return o, err
}

// complete says whether all is there that an order names.
func (s *Spool) complete(o Order) bool {
	paths := []string{s.place.program(o.Program), filepath.Join(s.night, "results")}
	if o.Past {
		paths = append(paths, filepath.Join(s.night, pastName))
	}
	if o.Archive != "" {
		paths = append(paths, s.place.archive(o.Archive))
	} else {
		c, err := s.place.content(o.Content)
		if err != nil {
			return false
		}
		for _, key := range c.keys(o.Content) {
			paths = append(paths, filepath.Join(s.place.dir, "contents", key))
		}
	}
	return !slices.ContainsFunc(paths, func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil
	})
}

// handError tells what is of the place, for all tasks, from what is of one.
func handError(t executor.Task, err error) error {
	var loss *executor.Loss
	err = fmt.Errorf("hand gate %s over: %w", t.Gate.Name, err)
	lose := func(o gates.Outcome, kind string, next ...string) error {
		return &executor.Loss{Outcome: o, Kind: kind, Why: err.Error(), Next: next}
	}
	var no *gates.NotBundledError
	switch {
	case errors.As(err, &loss):
		return loss
	case full(err), errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return err
	case errors.Is(err, worktrees.ErrAltered):
		return lose(gates.Refused, "altered", "let nobody write there meanwhile, and run it again")
	case errors.Is(err, worktrees.ErrGone):
		return lose(gates.Broken, executor.KindContent, "its commit is gone from the repository: run the gate at one that is there")
	case errors.As(err, &no):
		return lose(gates.Broken, "not-bundled", no.Next, `carry = "sources" in [gate.slurm] takes the sources along instead`)
	case errors.As(err, new(*archiveError)):
		return lose(gates.Broken, "not-bundled", "gpuci kernels bundle "+t.Gate.Name+" says more")
	}
	return lose(gates.Broken, executor.KindContent, "mend that; the gate runs here without --on slurm")
}

// full says that there is no room, also in the words of git.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || strings.Contains(err.Error(), "No space left on device") || strings.Contains(err.Error(), "Disk quota exceeded")
}

// order is that of a task whose other things are in the place.
func (s *Spool) order(ctx context.Context, t executor.Task, carry Carry) (o Order, err error) {
	o = Order{
		Type: orderType, Schema: orderSchema, Cookie: t.Cookie, Night: s.o.Night, At: time.Now(),
		Gate: t.Gate.Name, Config: gates.SettingsID(t.Gate), Dir: t.Dir, Args: t.Args, Strict: t.Strict, ByHand: t.ByHand,
		Lane: t.Head.Lane, Branch: t.Head.Branch, Commit: t.Head.Commit, Tree: t.Head.Tree,
		Version: s.o.Version, Scratch: s.o.Scratch, NoPressure: s.o.NoPressure, Verbose: s.o.Verbose,
	}
	if o.Commit == "" {
		return o, errors.New("its branch has no commit yet: commit something first")
	}
	lane := s.laneOf(ctx, t.Head)
	if o.Base, err = worktrees.BaseOf(ctx, lane, s.o.Named); err != nil && !errors.Is(err, worktrees.ErrNoBase) {
		return o, err
	}
	if o.Program, err = s.putProgram(); err != nil {
		return o, err
	}
	if o.Past, err = s.putPast(ctx); err != nil && (ctx.Err() != nil || full(err)) {
		return o, fmt.Errorf("take the history along: %w", err)
	} else if err != nil { // here, too, a gate is run then, and says what it cannot tell
		s.note("nodes know nothing of the past: %v", err)
	}
	if carry == Archive {
		err = s.archive(ctx, t, lane, &o)
		return o, err
	}
	pack := worktrees.PackOptions{Commit: o.Commit, Base: o.Base}
	if t.Head.Dirty {
		if pack.Draft, err = draftOf(ctx, lane, t.Head); err != nil {
			return o, err
		}
	}
	o.Content, err = s.putContent(ctx, lane, pack)
	return o, err
}

// draftOf reads what is not committed in a lane, which is to be what the task is about.
func draftOf(ctx context.Context, l worktrees.Lane, h executor.Head) (worktrees.Draft, error) {
	st, err := worktrees.ReadState(ctx, l)
	if err != nil {
		return worktrees.Draft{}, err
	}
	d, err := worktrees.ReadDraft(ctx, l, st)
	switch {
	case err != nil:
		return worktrees.Draft{}, err
	case d.Tree == "":
		return worktrees.Draft{}, errors.New("git could not commit all of it: a repository in it has changes of its own, or a file cannot be read")
	case d.Commit != h.Commit || d.Tree != h.Tree:
		return worktrees.Draft{}, fmt.Errorf("%w: its content was %.10s and is %.10s", worktrees.ErrAltered, h.Tree, d.Tree)
	}
	return d, nil
}

// laneOf is the lane that a content is of, or one of the same repository where it is gone.
func (s *Spool) laneOf(ctx context.Context, h executor.Head) worktrees.Lane {
	if h.Root != "" {
		if l, err := worktrees.Find(ctx, h.Root); err == nil && l.CommonDir == s.o.Here.CommonDir {
			return l
		}
	}
	return s.o.Here
}

// makeTask makes the directory of a task, with its order in it.
func (s *Spool) makeTask(ctx context.Context, t executor.Task, o Order) error {
	data, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	whole := func() bool {
		_, err := s.place.readOrder(s.task(t.Cookie))
		return err == nil
	}
	return s.place.makeDir(s.task(t.Cookie), whole, func(dir string) error {
		if len(t.Gate.Faults) > 0 && o.Past {
			if err := s.putReads(ctx, t.Gate.Name, dir); err != nil {
				return err
			}
		}
		return writeExclusive(filepath.Join(dir, orderName), data)
	})
}

func (s *Spool) task(cookie string) string { return filepath.Join(s.night, "tasks", cookie) }

func (s *Spool) handed(o Order) Handed {
	dir := s.task(o.Cookie)
	return Handed{
		Cookie: o.Cookie, Dir: dir, Argv: []string{filepath.Join(s.place.program(o.Program), programName), "ci", "task", dir},
		Output: strings.ReplaceAll(dir, "%", "%%") + "/job.%j.out",
	}
}

// Handed finds a task that was handed before, by this process or another.
func (s *Spool) Handed(cookie string) (h Handed, ok bool, err error) {
	if !cookieForm.MatchString(cookie) {
		return Handed{}, false, fmt.Errorf("find a task: %q is no cookie", cookie)
	}
	o, err := s.place.readOrder(s.task(cookie))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Handed{}, false, nil
	case err != nil:
		return Handed{}, false, fmt.Errorf("find task %s: %w", cookie, err)
	}
	return s.handed(o), true, nil
}

// withdrawnName is a file of a task that nobody is to begin any more.
const withdrawnName = "withdrawn"

// Withdraw sees to it that a job which turns up for a task from now on runs nothing, also
// where the task was not handed over. Where the place of the night is gone no job can.
func (s *Spool) Withdraw(cookie string) error {
	if !cookieForm.MatchString(cookie) {
		return fmt.Errorf("withdraw a task: %q is no cookie", cookie)
	}
	dir := s.task(cookie)
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = s.place.writeNew(filepath.Join(dir, withdrawnName), nil)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("withdraw task %s: %w", cookie, err)
	}
	return nil
}

// Drop removes a task's directory and its results, once its outcome is in the books, or
// nothing comes of it any more. No job of it may be left.
func (s *Spool) Drop(cookie string) error {
	if !cookieForm.MatchString(cookie) {
		return fmt.Errorf("drop a task: %q is no cookie", cookie)
	}
	var errs []error
	begun, err := s.Begun(cookie)
	errs = append(errs, err)
	for _, b := range begun { // a result is of one that has begun
		if err := os.Remove(s.result(cookie, b.Attempt)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, os.RemoveAll(s.task(cookie)))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("drop task %s: %w", cookie, err)
	}
	return nil
}
