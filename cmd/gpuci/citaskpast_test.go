package main

import (
	"errors"
	"os"
	"os/exec"
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
	archives := &archiver{app: a, cfg: cfg, here: ts.lane(), noPressure: true, program: ts.options.Program}
	ts.options.Archive, ts.options.Closing = archives.make, archives.close
	ts.open()
}

// Gates of one content are built in one scratch lane, where what the first has built is
// there for the next; what a build changes of the content is not packed with another gate.
func TestArchivesOfOneContent(t *testing.T) {
	const gate = `
[[gate]]
name = "NAME"
build = "mkdir -p target && echo NAME >> target/built && printf '#!/bin/sh\ntrue\n' > target/NAME && chmod +x target/NAME && CHANGE"
run = ["target/NAME"]
reader = "none"
products = ["target/built"]
  [gate.slurm]
  carry = "bundle"
`
	text := "[workspace]\nname = \"packs\"\n"
	for name, change := range map[string]string{"one": "true", "two": "echo 2 > tracked", "three": "true"} {
		text += strings.NewReplacer("NAME", name, "CHANGE", change).Replace(gate)
	}
	ts := newTaskStage(t, text)
	ts.write(t, "tracked", "1\n")
	ts.commit("packed")
	ts.archives()
	for _, name := range []string{"one", "two", "three"} {
		h := ts.hand(ts.task(name))
		if code, _, stderr := runCommand(t, ts.job(h, spool.Attempt{Job: "1"})); code != 0 {
			t.Errorf("gate %s exits with %d: %s", name, code, stderr)
		}
	}
	for name, want := range map[string]string{"one": "one\n", "two": "one\ntwo\n", "three": "three\n"} {
		if got := ts.packed(name, "target/built"); got != want {
			t.Errorf("with gate %s what was built is %q, and not %q", name, got, want)
		}
	}
	if err := ts.spool.Close(); err != nil {
		t.Error(err)
	}
	if list := ts.git("worktree", "list", "--porcelain"); strings.Count(list, "HEAD ") != 1 {
		t.Errorf("there are worktrees left: %s", list)
	}
}

// packed is a file of the archive of a gate.
func (ts *taskStage) packed(gate, path string) string {
	ts.t.Helper()
	list, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(ts.options.Here.Root)), "*", "shared", "gpuci-*", "archives", "*.tar.gz"))
	if err != nil || len(list) == 0 {
		ts.t.Fatalf("there are no archives: %v", err)
	}
	for _, archive := range list {
		if exec.Command("tar", "xzOf", archive, "bundle/target/"+gate).Run() != nil {
			continue
		}
		out, err := exec.Command("tar", "xzOf", archive, "bundle/"+path).Output()
		if err != nil {
			ts.t.Fatal(err)
		}
		return string(out)
	}
	ts.t.Fatalf("no archive has gate %s", gate)
	return ""
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
