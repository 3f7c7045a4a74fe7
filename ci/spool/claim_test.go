package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Of many jobs for one task, at one time, one runs it.
func TestClaimRace(t *testing.T) {
	st := newStage(t)
	s := st.open()
	for range 20 {
		task := st.task()
		h := st.hand(s, task)
		const jobs = 8
		errs := make(chan error, jobs)
		for n := range jobs {
			go func() {
				_, err := Begin(h.Dir, Attempt{Job: fmt.Sprint(100 + n)})
				errs <- err
			}()
		}
		won := 0
		for range jobs {
			var idle *IdleError
			if err := <-errs; err == nil {
				won++
			} else if !errors.As(err, &idle) {
				t.Errorf("a job ends with %v", err)
			}
		}
		if begun, err := s.Begun(task.Cookie); err != nil || won != 1 || len(begun) != 1 {
			t.Fatalf("%d jobs have the task; begun %v, %v", won, begun, err)
		}
	}
}

// A claim that is no file of ours is not overcome.
func TestHostileClaims(t *testing.T) {
	for name, do := range map[string]func(path string) error{
		"a link": func(path string) error { return os.Symlink("/dev/null", path) },
		"torn":   func(path string) error { return os.WriteFile(path, []byte(`{"job":`), 0o600) },
		"another's": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(`{"job":"7"}`), 0o600), os.Chown(path, 12345, 12345))
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			s := st.open()
			h := st.hand(s, st.task())
			if err := do(filepath.Join(h.Dir, claimName)); err != nil {
				t.Fatal(err)
			}
			if _, err := Begin(h.Dir, firstAttempt); err == nil {
				t.Error("the task was begun")
			}
			if begun, err := s.Begun(h.Cookie); err != nil || len(begun) > 0 {
				t.Errorf("begun %v, %v", begun, err)
			}
		})
	}
}

// A file server that was asked twice for one name says that it is there, and it is ours.
func TestLinkTwice(t *testing.T) {
	dir := t.TempDir()
	one, other, name := filepath.Join(dir, "one"), filepath.Join(dir, "other"), filepath.Join(dir, "name")
	for _, path := range []string{one, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := link(one, name); err != nil {
			t.Error(err)
		}
	}
	if err := link(other, name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another's: %v", err)
	}
}
