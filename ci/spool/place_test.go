package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a shared directory must be; with root every file can be given away.
func TestPlace(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(shared, ours string) (string, error)
		want string
	}{
		"relative": {func(shared, ours string) (string, error) { return "shared", nil }, "no absolute path"},
		"missing":  {func(shared, ours string) (string, error) { return shared + "/none", nil }, "no such file"},
		"a file": {func(shared, ours string) (string, error) {
			return shared + "/f", os.WriteFile(shared+"/f", nil, 0o600)
		}, "no directory"},
		"everybody's": {func(shared, ours string) (string, error) { return shared, os.Chmod(shared, 0o777) }, "chmod +t"},
		"a link in its place": {func(shared, ours string) (string, error) {
			return shared, os.Symlink(t.TempDir(), ours)
		}, "is no directory"},
		"another's": {func(shared, ours string) (string, error) {
			return shared, errors.Join(os.Mkdir(ours, 0o700), os.Chown(ours, 12345, 12345))
		}, "belongs to uid 12345"},
		"others may write": {func(shared, ours string) (string, error) {
			return shared, errors.Join(os.Mkdir(ours, 0o700), os.Chmod(ours, 0o770))
		}, "others may write"},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			var err error
			if st.o.Shared, err = c.do(st.o.Shared, filepath.Join(st.o.Shared, fmt.Sprintf("gpuci-%d", os.Getuid()))); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(st.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("opened it: %v; want %q", err, c.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	st := newStage(t)
	st.o.Night = "../night"
	if _, err := Open(st.o); err == nil {
		t.Error("a night that leads out of the place")
	}
	st.o.Night = "night-1"
	s, bad := st.open(), "../../results"
	task := st.task()
	task.Cookie = bad
	_, err := s.Hand(t.Context(), task, Sources)
	_, _, err2 := s.Handed(bad)
	_, err3 := s.Begun(bad)
	_, err4 := s.Take(task, firstAttempt)
	if err == nil || err2 == nil || err3 == nil || err4 == nil || s.Drop(bad) == nil || s.Withdraw(bad) == nil {
		t.Errorf("a cookie that leads out of the place: %v, %v, %v, %v", err, err2, err3, err4)
	}
	if _, err := Begin(t.TempDir(), Attempt{Job: "7/.."}); err == nil {
		t.Error("a job that leads out of the task")
	}
}
