package spool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/smalldisk"
	"gpuci/gates"
)

// sharedOn is a stage whose shared directory is a disk of its own.
func sharedOn(t *testing.T, disk string) *stage {
	t.Helper()
	st := newStage(t)
	st.o.Shared = disk
	if err := os.Chmod(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	return st
}

// A shared place that is full loses no verdict as long as somebody makes room in time, and
// says so where nobody does.
func TestFullPlace(t *testing.T) {
	disk := smalldisk.Run(t, "4m")
	if disk == "" {
		return
	}
	st := sharedOn(t, disk)
	s := st.open()
	task := st.task()
	j := st.begin(st.hand(s, task), firstAttempt)
	defer j.Close(context.Background())
	v := st.run(j, task)
	ballast := filepath.Join(disk, "ballast")
	fill := func() {
		t.Helper()
		f, err := os.Create(ballast)
		if err != nil {
			t.Fatal(err)
		}
		for block := make([]byte, 1<<16); len(block) > 0; block = block[:len(block)/2] {
			for {
				if _, err := f.Write(block); err != nil {
					break
				}
			}
		}
		_ = f.Close()
	}
	fill()
	j.Patience = 10 * time.Millisecond
	if code, err := j.Deliver(t.Context(), v); code != ExitUndelivered || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("delivered with %d, %v", code, err)
	}
	if list, err := s.Results(); err != nil || len(list) > 0 {
		t.Errorf("results %v, %v", list, err)
	}
	if _, err := s.Hand(t.Context(), st.task(), Sources); !errors.Is(err, syscall.ENOSPC) || errors.As(err, new(*executor.Loss)) {
		t.Errorf("handed over: %v", err)
	}
	j.Patience = time.Minute
	freed := make(chan struct{})
	go func() {
		defer close(freed)
		time.Sleep(50 * time.Millisecond) // while it is tried again
		_ = os.Remove(ballast)
	}()
	if code, err := j.Deliver(t.Context(), v); code != 0 || err != nil {
		t.Errorf("delivered with %d, %v", code, err)
	}
	<-freed
	if out, err := s.Take(task, firstAttempt); err != nil || out.Verdict == nil || out.Verdict.Outcome != gates.Green {
		t.Errorf("%+v, %v", out, err)
	}
}

// Where nothing can be written, nothing begins.
func TestReadOnlyPlace(t *testing.T) {
	disk := smalldisk.Run(t, "8m")
	if disk == "" {
		return
	}
	st := sharedOn(t, disk)
	s := st.open()
	task := st.task()
	h := st.hand(s, task)
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, open := Open(st.o)
	_, begin := Begin(h.Dir, firstAttempt)
	_, hand := s.Hand(t.Context(), st.task(), Sources)
	for what, err := range map[string]error{"open": open, "begin": begin, "hand": hand, "withdraw": s.Withdraw(task.Cookie), "drop": s.Drop(task.Cookie)} {
		if !errors.Is(err, syscall.EROFS) || errors.As(err, new(*executor.Loss)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
