package spool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// A content that came torn is broken for all its gates; a node whose own disk is at fault
// refuses one.
func TestCheckOutFails(t *testing.T) {
	for name, c := range map[string]struct {
		do      func(st *stage, s *Spool, o Order) error
		content bool
		want    gates.Outcome
	}{
		"bundle torn": {func(st *stage, s *Spool, o Order) error {
			return os.Truncate(filepath.Join(s.place.dir, "contents", o.Content, bundleName), 100)
		}, true, gates.Broken},
		"bundle gone": {func(st *stage, s *Spool, o Order) error {
			return os.Remove(filepath.Join(s.place.dir, "contents", o.Content, bundleName))
		}, true, gates.Broken},
		"content gone": {func(st *stage, s *Spool, o Order) error {
			return os.RemoveAll(filepath.Join(s.place.dir, "contents", o.Content))
		}, true, gates.Broken},
		"no scratch": {func(st *stage, s *Spool, o Order) error {
			return errors.Join(os.Remove(st.o.Scratch), os.WriteFile(st.o.Scratch, nil, 0o600))
		}, false, gates.Refused},
		"no git": {func(st *stage, s *Spool, o Order) error { st.t.Setenv("PATH", "/none"); return nil }, false, gates.Refused},
		"scratch in a lane": {func(st *stage, s *Spool, o Order) error {
			return errors.Join(os.Remove(st.o.Scratch), os.Symlink(st.dir, st.o.Scratch))
		}, false, gates.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			s := st.open()
			task := st.task()
			h := st.hand(s, task)
			o, err := s.place.readOrder(h.Dir)
			if err == nil {
				err = c.do(st, s, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			j := st.begin(h, firstAttempt)
			_, err = j.CheckOut(t.Context())
			var f *Failure
			if !errors.As(err, &f) || f.Content != c.content || f.Outcome != c.want {
				t.Fatalf("it fails with %v", err)
			}
			exit, err := j.Fail(f)
			if err = errors.Join(err, j.Close(t.Context())); err != nil || exit != c.want.ExitCode() {
				t.Errorf("given back with %d, %v", exit, err)
			}
			out, err := s.Take(task, firstAttempt)
			if err != nil || out.Failed == nil || out.Failed.Outcome != c.want || (out.Failed.Kind == executor.KindContent) != c.content || out.Exit != exit {
				t.Errorf("%+v, %v", out, err)
			}
			if left, _ := filepath.Glob(filepath.Join(st.dir, "gpuci-*")); len(left) > 0 {
				t.Errorf("it left %v in the lane", left)
			}
		})
	}
}

// Many tasks that begin at once on one node, among what killed ones left, do each other
// no harm.
func TestManyCheckOuts(t *testing.T) {
	st := newStage(t)
	s := st.open()
	killed := make(chan *Job, 3)
	for range cap(killed) { // what is locked by nobody
		j := st.begin(st.hand(s, st.task()), firstAttempt)
		if _, err := j.CheckOut(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = j.scratch.lock.Unlock()
		killed <- j
	}
	const jobs = 12
	errs := make(chan error, jobs)
	for range jobs {
		h := st.hand(s, st.task())
		go func() {
			j, err := Begin(h.Dir, firstAttempt)
			if err == nil {
				_, err = j.CheckOut(context.Background())
				err = errors.Join(err, j.Close(context.Background()))
			}
			errs <- err
		}()
	}
	for range jobs {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(st.o.Scratch); err != nil || len(left) > 0 {
		t.Errorf("left on the node: %v, %v", left, err)
	}
}
