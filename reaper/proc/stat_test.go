package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// line builds a stat line around a command name.
func line(pid int, comm string) string {
	return fmt.Sprintf("%d (%s) S 7 8 9 34816 8 4194304 1 2 3 4 100 20 30 4 20 0 1 0 4242 1 2 3\n", pid, comm)
}

func TestParseStatNames(t *testing.T) {
	for _, comm := range []string{"bash", "a b", "x) S 1 1", "((", "new\nline", "", "tmux: server"} {
		got, err := ParseStat([]byte(line(12, comm)))
		if err != nil {
			t.Errorf("%q: %v", comm, err)
			continue
		}
		want := Stat{PID: 12, Comm: comm, State: 'S', PPID: 7, PGRP: 8, Session: 9, TTY: 34816, TPGID: 8, CPU: 120, Waited: 34, Threads: 1, Start: 4242}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", comm, diff)
		}
	}
}

func TestParseStatRefuses(t *testing.T) {
	for _, text := range []string{"", "12", "12 (x", "x (y) S 1", "12 (x) S 1 2 3", "12 (x) SS" + line(12, "x")[8:], "12 (x) S a b c d e f g h i j k l m n o p q r s t"} {
		if got, err := ParseStat([]byte(text)); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

// The real thing, next to the fixtures: ourselves.
func TestStatOfSelf(t *testing.T) {
	s, err := Real.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if s.PID != os.Getpid() || s.PPID != os.Getppid() || s.Start == 0 {
		t.Errorf("got %+v, want pid %d with parent %d", s, os.Getpid(), os.Getppid())
	}
}

func TestTableIsStrictAboutGarbage(t *testing.T) {
	root := t.TempDir()
	put := func(pid, text string) {
		dir := filepath.Join(root, pid)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("12", line(12, "x"))
	if err := os.Mkdir(filepath.Join(root, "99"), 0o755); err != nil { // vanished: no stat any more
		t.Fatal(err)
	}
	got, err := Root(root).Table()
	if err != nil || len(got) != 1 || got[12].Comm != "x" {
		t.Fatalf("got %v, %v; want process 12 alone", got, err)
	}
	put("13", "rubbish")
	if _, err := Root(root).Table(); err == nil {
		t.Error("a garbled stat must not look like an absent process")
	}
	if _, err := Root(filepath.Join(root, "none")).Table(); err == nil {
		t.Error("a missing /proc must not look like an empty machine")
	}
}

func TestBelowSurvivesALoop(t *testing.T) {
	table := Table{2: {PID: 2, PPID: 3}, 3: {PID: 3, PPID: 2}, 4: {PID: 4, PPID: 3}}
	var got []int
	for _, s := range table.Below(2) {
		got = append(got, s.PID)
	}
	if diff := cmp.Diff([]int{3, 4}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGone(t *testing.T) {
	if _, err := Real.Stat(1 << 30); !errors.Is(err, ErrGone) {
		t.Errorf("got %v, want ErrGone", err)
	}
}

func FuzzParseStat(f *testing.F) {
	for _, s := range []string{line(1, "init"), line(2, "a) b"), "1 () Z", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseStat(data)
		if err == nil && s.State == 0 {
			t.Errorf("%q was parsed without a state", data)
		}
	})
}
