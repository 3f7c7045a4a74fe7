package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// A shell between a killed driver and its compiler (all of ninja's edges, where
// /bin/sh does not exec its last command) may as well be somebody's script: it is
// let be, and said with all that one has to know to end it.
func TestReaperShells(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, dir := s.lanes(t)
	b := s.makeBy(t, dir, strings.ReplaceAll(makefile, ".map\n", ".map; true\n"))
	b.orphan()
	code, out, said := s.in(dir).run(t, "reaper", "sweep")
	if code != 0 || b.alive() != len(b.below) || strings.Count(out, "let be: ") != 3 {
		t.Fatalf("exit %d, %d of %d alive:\n%s%s", code, b.alive(), len(b.below), out, said)
	}
	kill := regexp.MustCompile(`if what started these shells is gone \(ninja, a script\): kill (\d+ \d+ \d+); then sweep again`).FindStringSubmatch(out)
	if kill == nil {
		t.Fatalf("no way out:\n%s", out)
	}
	boot, err := proc.Real.BootID()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Fields(kill[1]) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		shell, err := proc.Real.Stat(pid)
		if err != nil || shell.Comm != "sh" {
			t.Fatalf("%d is %q, %v", pid, shell.Comm, err)
		}
		if err := proc.Real.Signal(shell.Identity(boot), unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	code, out, said = s.in(dir).run(t, "reaper", "sweep")
	if code != 0 || b.alive() != 0 || strings.Contains(out, "let be") {
		t.Errorf("exit %d, %d alive:\n%s%s", code, b.alive(), out, said)
	}
}
