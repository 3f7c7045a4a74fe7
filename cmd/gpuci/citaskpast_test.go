package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
	"gpuci/gates"
	"gpuci/gates/config"
)

const falsifiedGate = `
[[gate]]
name = "sum"
run = ["sh", "sum.sh"]
reader = "none"

  [[gate.bar]]
  metric = "worst-rel"
  pattern = 'worst rel (?P<value>[0-9.eE+-]+)'
  max = 0.5

  [[gate.fault]]
  name = "big"
  replace = { file = "values", from = "rel=0.25", to = "rel=9" }
  must = "red"
`

// Whether a gate has shown that it can be red is known on a node as it is here, with what
// has changed since.
func TestTaskKnowsWhatWasFalsified(t *testing.T) {
	ts := newTaskStage(t, falsifiedGate)
	ts.write(t, "sum.sh", ". ./values; echo worst rel $rel\n")
	ts.write(t, "values", "rel=0.25\n")
	ts.write(t, "README.md", "1\n")
	ts.commit("sum")
	if v := ts.verdict(ts.task("sum")); v.Falsified == nil || !v.Falsified.Never {
		t.Errorf("before: %+v", v.Falsified)
	}
	if code, stdout, stderr := ts.run(t, "falsify", "sum"); code != 0 {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	ts.options.Night = "another" // a night has one snapshot
	ts.open()
	if v := ts.verdict(ts.task("sum")); v.Falsified == nil || !v.Falsified.Same || v.Falsified.Caught != 1 {
		t.Errorf("after: %+v", v.Falsified)
	}
	ts.write(t, "README.md", "2\n")
	ts.commit("prose")
	if v := ts.verdict(ts.task("sum")); v.Falsified == nil || !v.Falsified.Same {
		t.Errorf("with other prose: %+v", v.Falsified)
	}
	ts.write(t, "sum.sh", ". ./values; echo worst rel $rel #\n")
	ts.commit("another sum")
	here, there := ts.local("sum"), ts.verdict(ts.task("sum"))
	if there.Falsified == nil || there.Falsified.Changed != "sum.sh changed" {
		t.Errorf("with another sum.sh: %+v, here %+v", there.Falsified, here.Falsified)
	}
}

const archivedGate = `
[[gate]]
name = "packed"
build = "mkdir -p target && cp program.in target/program && chmod +x target/program"
run = ["target/program", "data"]
reader = "none"

  [[gate.bar]]
  metric = "speed"
  pattern = 'speed (?P<value>[0-9.]+)'
  within = "10%"
  better = "lower"

  [gate.slurm]
  carry = "bundle"
`

// A node without a toolchain runs what was built here, and holds its numbers against those
// of the base branch, though it has no repository.
func TestTaskOfAnArchive(t *testing.T) {
	ts := newTaskStage(t, "[workspace]\nname = \"packs\"\n"+archivedGate)
	ts.write(t, "program.in", "#!/bin/sh\n. ./$1\necho speed $speed\nls -a\n")
	ts.write(t, "data", "speed=100\n")
	ts.commit("packed")
	ts.archives()
	ts.bare("sh", "ls") // and no git
	first := ts.local("packed")
	if first.Outcome != gates.Green {
		t.Fatalf("here it is %s: %+v", first.Outcome, first.Findings)
	}
	ts.write(t, "data", "speed=105\n")
	ts.commit("slower")
	v := ts.verdict(ts.task("packed"))
	if v.Outcome != gates.Green || len(v.Bars) != 1 || len(v.Bars[0].Held) != 1 || v.Bars[0].Held[0].Run != first.Run || v.Bound.Bundle == "" {
		t.Errorf("it is %s: %+v, bars %+v, bound to %+v", v.Outcome, v.Findings, v.Bars, v.Bound)
	}
	if v.Bound.Commit != strings.TrimSpace(ts.git("rev-parse", "HEAD")) || v.Bound.Lane != "main" || v.Bound.Branch != "main" {
		t.Errorf("it is bound to %+v", v.Bound)
	}
	log, err := os.ReadFile(v.Log)
	if err != nil || !strings.Contains(string(log), ".gpuci-bundle") || strings.Contains(string(log), "program.in") {
		t.Errorf("it ran in %s, %v", log, err)
	}
	ts.git("checkout", "-q", "-b", "side")
	ts.write(t, "data", "speed=150\n")
	if v := ts.verdict(ts.task("packed")); v.Outcome != gates.Red || v.Bound.Changes == "" {
		t.Errorf("the branch is %s: %+v", v.Outcome, v.Findings)
	}
	ts.write(t, "program.in", "")
	ts.git("rm", "-q", "--cached", "program.in")
	if err := os.Remove(filepath.Join(ts.dir, "program.in")); err != nil {
		t.Fatal(err)
	}
	task := ts.task("packed")
	_, err = ts.spool.Hand(t.Context(), task, spool.Archive)
	var loss *executor.Loss
	if !errors.As(err, &loss) || loss.Outcome != gates.Broken || !strings.Contains(loss.Why, "it is not built") {
		t.Errorf("what cannot be built was handed over: %v", err)
	}
}

// archives has the stage make archives as `gpuci ci run --on slurm` does, with the gpuci
// that runs them.
func (ts *taskStage) archives() {
	ts.t.Helper()
	a := &app{console: newConsole(testOut{ts.t})}
	cfg, err := config.Load(config.DefaultSources(filepath.Join(ts.dir, config.FileName)))
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.options.Archive = archiver{app: a, cfg: cfg, here: ts.lane(), noPressure: true, program: ts.options.Program}.make
	ts.open()
}

// testOut is a log of the test.
type testOut struct{ t *testing.T }

func (o testOut) Write(data []byte) (int, error) {
	o.t.Logf("%s", data)
	return len(data), nil
}

// A gpuci.toml below the root, arguments, and a branch that no lane has out.
func TestTaskElsewhereInTheTree(t *testing.T) {
	ts := newTaskStage(t, "")
	if err := os.MkdirAll(filepath.Join(ts.dir, "below $(false)", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	const text = "[[gate]]\nname = \"args\"\nrun = ['sh', '-c', 'printf \"%s|\" \"$@\"; cat value', 'sh']\nreader = \"none\"\n"
	ts.write(t, "below $(false)/deep/gpuci.toml", text)
	ts.write(t, "below $(false)/deep/value", "of the branch\n")
	ts.git("checkout", "-q", "-b", "topic")
	ts.commit("below")
	dir := ts.dir
	ts.dir = filepath.Join(dir, "below $(false)", "deep")
	task := ts.task("args")
	ts.dir = dir
	ts.git("checkout", "-q", "main")
	task.Head.Lane, task.Head.Branch, task.Head.Root = "topic", "topic", ""
	task.Dir = "below $(false)/deep"
	task.Args = []string{"a b", "$(false)", "it's\n\"one\""}
	v := ts.verdict(task)
	log, err := os.ReadFile(v.Log)
	if want := "a b|$(false)|it's\n\"one\"|of the branch\n"; err != nil || string(log) != want {
		t.Errorf("it printed %q, %v; want %q", log, err, want)
	}
	if v.Outcome != gates.Green || !v.Partial || v.Bound.Lane != "topic" || v.Bound.Branch != "topic" {
		t.Errorf("it is %s, partial %v, bound to %+v", v.Outcome, v.Partial, v.Bound)
	}
}
