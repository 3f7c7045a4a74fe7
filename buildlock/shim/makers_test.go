package shim

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// child is a maker in a process of its own.
func (s shelf) child(program string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], program, s.root+"/data")
	cmd.Env = append(s.env("bin", "-"), playVar+"=maker")
	return cmd
}

// large makes a program that takes a while to copy.
func (s shelf) large(t *testing.T) string {
	t.Helper()
	return write(t, s.root+"/large", "#!/bin/sh\n"+strings.Repeat("#", 24<<20))
}

// TestMakeTogether: makers in processes of their own all end with the same
// whole directory.
func TestMakeTogether(t *testing.T) {
	s := newShelf(t)
	program := s.large(t)
	var wg sync.WaitGroup
	outs := make([]bytes.Buffer, 4)
	for i := range outs {
		cmd := s.child(program)
		cmd.Stdout, cmd.Stderr = &outs[i], &outs[i]
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("maker: %v: %s", err, &outs[i])
			}
		})
	}
	wg.Wait()
	for i := range outs {
		if outs[i].String() != outs[0].String() {
			t.Errorf("one made %q, another %q", &outs[0], &outs[i])
		}
	}
	s.wantWhole(t, program, strings.TrimSpace(outs[0].String()))
	s.clean(t)
}

func (s shelf) wantWhole(t *testing.T, program, path string) {
	t.Helper()
	in := s.maker(t, "bin")
	in.Program, in.Tools = program, s.list("bin")
	d := Directory{path, toolsOn(in.Env).names}
	if !d.whole(in) || !slices.Contains(d.Names, "gcc") {
		t.Errorf("%s is not whole", path)
	}
	want, err := contentID(program)
	got, gerr := contentID(path + "/gcc")
	if err != nil || gerr != nil || want != got {
		t.Errorf("the program of the shims is not a copy: %v, %v", err, gerr)
	}
}

// killedMaker is a shelf on which a maker was killed while it copied the
// program. A copy takes milliseconds, so it is tried until one is hit.
func killedMaker(t *testing.T) (s shelf, program string, left []string) {
	t.Helper()
	for range 50 {
		s = newShelf(t)
		program = s.large(t)
		cmd := s.child(program)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		for at := false; !at; {
			left, _ = filepath.Glob(s.root + "/data/" + unfinished + "*/" + ProgramName)
			select {
			case <-ended:
				at = true
			default:
				at = len(left) > 0
			}
		}
		_ = cmd.Process.Kill()
		<-ended
		left, _ = filepath.Glob(s.root + "/data/" + unfinished + "*/" + ProgramName)
		if whole, _ := filepath.Glob(s.root + "/data/[^.]*"); len(whole) == 0 && len(left) == 1 {
			return s, program, left
		}
	}
	t.Fatal("no maker was killed half way: this proved nothing")
	return s, program, left
}

// TestMakeKilled: a maker that is killed half way leaves no directory that
// could be taken for a whole one, and the next one makes it; what the dead one
// left goes when it is old.
func TestMakeKilled(t *testing.T) {
	s, program, left := killedMaker(t)
	old := time.Now().Add(-2 * abandonedAfter)
	if err := os.Chtimes(filepath.Dir(left[0]), old, old); err != nil {
		t.Fatal(err)
	}
	out, err := s.child(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	s.wantWhole(t, program, strings.TrimSpace(string(out)))
	s.clean(t)
}
