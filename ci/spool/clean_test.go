package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gpuci/ci/executor"
)

// A content or a program that somebody has cleaned away since it was last asked about is
// put there again.
func TestHandAfterClean(t *testing.T) {
	st := newStage(t)
	s := st.open()
	st.hand(s, st.task())
	if err := os.RemoveAll(s.night); err != nil { // another gpuci, whose clock is another, has taken it for an old one
		t.Fatal(err)
	}
	for _, dir := range []string{"contents", "programs"} {
		if err := errors.Join(os.RemoveAll(filepath.Join(s.place.dir, dir)), os.Mkdir(filepath.Join(s.place.dir, dir), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	task := st.task()
	st.deliver(st.begin(st.hand(s, task), firstAttempt), task)
	if _, err := os.Stat(filepath.Join(s.place.program(s.program), programName)); err != nil {
		t.Error(err)
	}
}

// Where the place is gone, none is made in its stead: nodes would not see it, where a disk
// is no longer mounted. That is no task's own fault.
func TestHandWithoutPlace(t *testing.T) {
	st := newStage(t)
	s := st.open()
	if err := os.Rename(s.place.dir, s.place.dir+" away"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Hand(t.Context(), st.task(), Sources); !errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*executor.Loss)) {
		t.Errorf("handed over: %v", err)
	}
	if left, err := os.ReadDir(st.o.Shared); err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v", left, err)
	}
}

// What nobody needs goes, and nothing that somebody may.
func TestClean(t *testing.T) {
	st := newStage(t)
	s := st.open()
	kept, left, dropped := st.task(), st.task(), st.task()
	st.hand(s, kept)
	st.write(filepath.Join(st.dir, "file"), "2\n")
	st.git("commit", "-qam", "second")
	dropped.Head.Commit, dropped.Head.Tree = st.git("rev-parse", "HEAD"), st.git("rev-parse", "HEAD^{tree}")
	o, err := s.place.readOrder(st.hand(s, dropped).Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(dropped.Cookie); err != nil {
		t.Fatal(err)
	}
	before := st.o.Night
	st.o.Night = "night-0"
	st.open()
	st.o.Night = "night-old"
	abandoned := st.open()
	st.hand(abandoned, left)
	st.o.Night = before
	nights := filepath.Join(s.place.dir, "nights")
	part := filepath.Join(s.place.dir, "contents", partName())
	if err := os.Mkdir(part, 0o700); err != nil {
		t.Fatal(err)
	}
	all := func() []string {
		var names []string
		for _, dir := range append([]string{"nights"}, dirs...) {
			entries, _ := os.ReadDir(filepath.Join(s.place.dir, dir))
			for _, e := range entries {
				names = append(names, e.Name())
			}
		}
		return names
	}
	was := all()
	if err := s.Clean(t.Context()); err != nil || !slices.Equal(all(), was) {
		t.Fatalf("what is new was removed: %v, %v", all(), err)
	}
	age := func(path string, by time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, time.Now().Add(-by), time.Now().Add(-by)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"night-0", "night-old"} {
		for _, dir := range []string{"", "tasks", "results"} {
			age(filepath.Join(nights, name, dir), keepEmpty+time.Minute)
		}
	}
	for _, c := range []string{"contents", "programs"} {
		entries, err := os.ReadDir(filepath.Join(s.place.dir, c))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			age(filepath.Join(s.place.dir, c, e.Name()), keepThing+time.Hour)
		}
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		filepath.Join(nights, "night-0"): false, filepath.Join(nights, "night-old"): true, filepath.Join(nights, before): true,
		filepath.Join(s.place.dir, "contents", o.Content): false, s.place.program(o.Program): true, part: false, s.task(kept.Cookie): true,
	} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
	st.deliver(st.begin(st.hand(s, kept), firstAttempt), kept) // with all that it needs
}
