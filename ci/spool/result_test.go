package spool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// A result that is not what its node wrote, of this attempt at this task, is broken: it is
// never believed, and leaves nothing here.
func TestHostileResults(t *testing.T) {
	type scene struct {
		*stage
		s      *Spool
		task   executor.Task
		result string
		run    string // directory of the run's files
	}
	for name, do := range map[string]func(c scene) error{
		"torn":         func(c scene) error { return os.Truncate(c.result, 100) },
		"empty":        func(c scene) error { return os.Truncate(c.result, 0) },
		"no JSON":      func(c scene) error { return os.WriteFile(c.result, []byte("green"), 0o600) },
		"another type": func(c scene) error { return os.WriteFile(c.result, []byte(`{"type":"verdict"}`), 0o600) },
		"another's":    func(c scene) error { return os.Chown(c.result, 12345, 12345) },
		"a link":       func(c scene) error { return moveAndLink(c.result) },
		"a pipe":       func(c scene) error { return errors.Join(os.Remove(c.result), syscall.Mkfifo(c.result, 0o600)) },
		"of other task": func(c scene) error {
			other := c.done(c.s)
			return os.Rename(c.s.result(other.Cookie, firstAttempt), c.result)
		},
		"of other attempt": func(c scene) error {
			return os.Rename(c.result, c.s.result(c.task.Cookie, Attempt{Job: "7", Restart: 1}))
		},
		"of other order": func(c scene) error {
			path := filepath.Join(c.s.task(c.task.Cookie), orderName)
			data, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, append(data, '\n'), 0o600))
		},
		"a log cut":           func(c scene) error { return os.Truncate(filepath.Join(c.run, "run.log"), 1) },
		"a log gone":          func(c scene) error { return os.Remove(filepath.Join(c.run, "run.log")) },
		"a log linked":        func(c scene) error { return moveAndLink(filepath.Join(c.run, "run.log")) },
		"a verdict repainted": func(c scene) error { return repaint(filepath.Join(c.run, verdictName)) },
		"no run":              func(c scene) error { return os.RemoveAll(c.run) },
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			s := st.open()
			task := st.done(s)
			c := scene{st, s, task, s.result(task.Cookie, firstAttempt), filepath.Join(s.task(task.Cookie), firstAttempt.run())}
			if err := do(c); err != nil {
				t.Fatal(err)
			}
			at := firstAttempt
			if name == "of other attempt" {
				at.Restart = 1
			}
			out, err := s.Take(task, at)
			var loss *executor.Loss
			if name == "no run" || name == "a log gone" { // it may be on its way still
				if err == nil || errors.As(err, &loss) {
					t.Errorf("taken: %+v, %v", out, err)
				}
				if ahead := time.Now().Add(time.Hour); os.Chtimes(c.result, ahead, ahead) != nil { // the file server's clock
					t.Fatal("cannot change its time")
				}
				s.missed[Result{task.Cookie, at}] = time.Now().Add(-lateFiles)
				out, err = s.Take(task, at)
			}
			if !errors.As(err, &loss) || loss.Outcome != gates.Broken || loss.Kind != "torn" {
				t.Errorf("taken: %+v, %v", out, err)
			}
			if runs := st.runs(); len(runs) > 0 {
				t.Errorf("the history has %v", runs)
			}
			if left, _ := os.ReadDir(filepath.Join(st.o.State, "runs")); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

// moveAndLink puts a link to a file in its place.
func moveAndLink(path string) error {
	return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
}

// repaint makes a verdict another one.
func repaint(path string) error {
	data, err := os.ReadFile(path)
	return errors.Join(err, os.WriteFile(path, []byte(strings.Replace(string(data), `"outcome":"green"`, `"outcome":"known red"`, 1)), 0o600))
}

// What a result says is read without anything being recorded here, for it may not count.
func TestReadRecordsNothing(t *testing.T) {
	st := newStage(t)
	s := st.open()
	task := st.done(s)
	if out, err := s.Read(task, firstAttempt); err != nil || out.Verdict != nil || out.Exit != 0 || out.Node == "" {
		t.Errorf("%+v, %v", out, err)
	}
	if left, _ := os.ReadDir(filepath.Join(st.o.State, "runs")); len(left) > 0 || len(st.runs()) > 0 {
		t.Errorf("it left %v and %v", left, st.runs())
	}
}

// A node whose clock is wrong is named: its runs are told of in another order than they were.
func TestClocks(t *testing.T) {
	for want, by := range map[string]time.Duration{"1h0m0s ahead": time.Hour, "1h0m0s behind": -time.Hour, "": 0} {
		st := newStage(t)
		s := st.open()
		task := st.task()
		j := st.begin(st.hand(s, task), firstAttempt)
		v := st.run(j, task)
		v.Started = time.Now().Add(by)
		if _, err := j.Deliver(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Take(task, firstAttempt); err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(st.notes, "; "); strings.Contains(said, "the clock of") != (by != 0) || by < 0 != strings.Contains(said, "behind") {
			t.Errorf("%s: noted %q", want, said)
		}
	}
}
