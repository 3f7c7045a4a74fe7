package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
	"gpuci/gates"
)

const taskGates = `
[[gate]]
name = "numbers"
build = "mkdir -p target && cp value target/value"
run = """echo "read $(cat target/value)"; echo "worst rel $(cat target/value)"; echo "gpuci:metric name=steps value=7 chunks=4"; echo "took=3 asked=3" """
reader = "none"

  [[gate.bar]]
  metric = "worst-rel"
  pattern = 'worst rel (?P<value>[0-9.eE+-]+)'
  max = 0.5

  [[gate.witness]]
  pattern = 'took=(?P<took>\d+) asked=(?P<asked>\d+)'
  holds = "took == asked"

[[gate]]
name = "red"
run = "cat value; false"
reader = "none"

[[gate]]
name = "unbuilt"
build = ["false"]
run = ["true"]
reader = "none"

[[gate]]
name = "moves"
run = "git commit -q --allow-empty -m x"
reader = "none"

[[gate]]
name = "waits"
run = "echo started; exec sleep 600"
reader = "none"

[[gate]]
name = "within"
run = 'echo "speed $(cat value)"'
reader = "none"

  [[gate.bar]]
  metric = "speed"
  pattern = 'speed (?P<value>[0-9.]+)'
  within = "10%"
  better = "lower"
`

// What comes back from a node is what a run here gives, but for where it was.
func TestTaskIsAsHere(t *testing.T) {
	ts := newTaskStage(t, taskGates)
	ts.write(t, "value", "0.25\n")
	ts.commit("value")
	for gate, want := range map[string]gates.Outcome{"numbers": gates.Green, "red": gates.Red, "unbuilt": gates.BuildFailed} {
		here, there := ts.local(gate), ts.verdict(ts.task(gate))
		if there.Outcome != want || there.Exit != want.ExitCode() {
			t.Errorf("gate %s is %s, %+v", gate, there.Outcome, there.Findings)
		}
		ts.wantAlike(here, there)
		ts.wantFiled(there)
	}
	if n := len(ts.results()); n != 6 {
		t.Errorf("%d results of 3 gates, here and there", n)
	}
}

// wantAlike holds two verdicts of one gate against each other.
func (ts *taskStage) wantAlike(here, there gates.Verdict) {
	ts.t.Helper()
	elsewhere := []string{"Run", "Started", "Seconds", "Dir", "Log", "Used", "Steps", "Command", "Commands", "Stall", "StallUnknown", "Sweep", "Links", "Next"}
	where := []string{"Root", "Tools", "Gpuci", "Products"}
	if diff := cmp.Diff(here, there, cmpopts.IgnoreFields(gates.Verdict{}, elsewhere...), cmpopts.IgnoreFields(gates.Bound{}, where...), cmpopts.IgnoreUnexported(gates.Bound{})); diff != "" {
		ts.t.Errorf("gate %s, here and on a node: %s", here.Gate, diff)
	}
	for i, s := range here.Steps {
		if there.Steps[i].Name != s.Name || there.Steps[i].State != s.State {
			ts.t.Errorf("step %+v here, %+v there", s, there.Steps[i])
		}
	}
}

// wantFiled says that a run of a node is recorded here as one of ours.
func (ts *taskStage) wantFiled(v gates.Verdict) {
	ts.t.Helper()
	if want := filepath.Join(ts.options.State, "runs", v.Run); v.Dir != want || filepath.Dir(v.Log) != want {
		ts.t.Errorf("it is in %s, its log %s; want %s", v.Dir, v.Log, want)
	}
	for _, name := range []string{"verdict.json", "started.json", "job.json", filepath.Base(v.Log)} {
		if _, err := os.Stat(filepath.Join(v.Dir, name)); err != nil {
			ts.t.Error(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(v.Dir, "verdict.json"))
	if err != nil || strings.Contains(string(data), ts.options.Scratch+"/runs") {
		ts.t.Errorf("its record is %s, %v", data, err)
	}
	for _, r := range ts.results() {
		if r.Run == v.Run && r.Lane == "main" && r.Branch == v.Bound.Branch && r.Commit == v.Bound.Commit && r.Dir == v.Dir {
			return
		}
	}
	ts.t.Errorf("run %s is not in the history as one of lane main", v.Run)
}

// What is not committed goes along, and is what is judged.
func TestTaskOfUncommitted(t *testing.T) {
	ts := newTaskStage(t, taskGates)
	ts.write(t, "value", "0.25\n")
	ts.commit("value")
	ts.write(t, "value", "0.75\n")
	ts.write(t, "new\n'file\"$(false)", "\x00\xff\r\n")
	here, there := ts.local("numbers"), ts.verdict(ts.task("numbers"))
	if there.Outcome != gates.Red {
		t.Errorf("it is %s: %+v", there.Outcome, there.Findings)
	}
	ts.wantAlike(here, there)
	if there.Bound.Changes == "" || there.Bound.Tree == "" {
		t.Errorf("it is bound to %+v", there.Bound)
	}
}

// A gate that moves HEAD has judged nobody knows what.
func TestTaskThatMovesItsLane(t *testing.T) {
	ts := newTaskStage(t, taskGates)
	ts.git("config", "--global", "user.email", "test@example.org")
	ts.git("config", "--global", "user.name", "test")
	v := ts.verdict(ts.task("moves"))
	if v.Outcome != gates.Broken || !strings.Contains(v.Findings[0].Text, "it moved its lane to ") {
		t.Errorf("it is %s: %+v", v.Outcome, v.Findings)
	}
}

// Numbers are held on a node against those of the history here: of runs before the night,
// and of those that came in it.
func TestTaskKnowsThePast(t *testing.T) {
	ts := newTaskStage(t, taskGates)
	ts.write(t, "value", "100")
	ts.commit("value")
	first := ts.local("within")
	if first.Outcome != gates.Green {
		t.Fatalf("the first is %s: %+v", first.Outcome, first.Findings)
	}
	against := func(v gates.Verdict) string {
		if len(v.Bars) != 1 || len(v.Bars[0].Held) != 1 {
			t.Fatalf("its bars are %+v", v.Bars)
		}
		return v.Bars[0].Held[0].Run
	}
	ts.write(t, "value", "105")
	ts.commit("slower")
	second := ts.verdict(ts.task("within"))
	if second.Outcome != gates.Green || against(second) != first.Run {
		t.Errorf("the second is %s, held against %s: %+v", second.Outcome, against(second), second.Findings)
	}
	ts.write(t, "value", "114")
	ts.commit("slower still")
	if third := ts.verdict(ts.task("within")); third.Outcome != gates.Green || against(third) != second.Run {
		t.Errorf("the third is %s, held against %s, and the second was %s: %+v", third.Outcome, against(third), second.Run, third.Findings)
	}
	ts.git("checkout", "-q", "-b", "side")
	ts.write(t, "value", "150")
	ts.commit("far too slow")
	if v := ts.verdict(ts.task("within")); v.Outcome != gates.Red {
		t.Errorf("the branch is %s: %+v", v.Outcome, v.Findings)
	}
}

// Another job finds the claim of the first and runs nothing; a job that is begun again
// has an attempt of its own; and one that comes after the task was withdrawn does nothing.
func TestTaskIsRunByOneJob(t *testing.T) {
	ts := newTaskStage(t, taskGates)
	ts.write(t, "value", "1")
	ts.commit("value")
	task := ts.task("red")
	h := ts.hand(task)
	if again := ts.hand(task); !cmp.Equal(h, again) {
		t.Errorf("handed over again: %+v, first %+v", again, h)
	}
	run := func(at spool.Attempt, want int) string {
		t.Helper()
		code, _, stderr := runCommand(t, ts.job(h, at))
		if code != want {
			t.Errorf("attempt %s exits with %d, not %d: %s", at, code, want, stderr)
		}
		return stderr
	}
	first, other, again := spool.Attempt{Job: "7"}, spool.Attempt{Job: "8"}, spool.Attempt{Job: "7", Restart: 1}
	run(first, gates.Red.ExitCode())
	if said := run(other, spool.ExitIdle); !strings.Contains(said, "job 7 has it") {
		t.Errorf("the second job said %q", said)
	}
	run(first, spool.ExitIdle) // the same attempt twice: nobody knows what became of the first
	run(again, gates.Red.ExitCode())
	results, err := ts.spool.Results()
	if want := []spool.Result{{Cookie: task.Cookie, Attempt: first}, {Cookie: task.Cookie, Attempt: again}}; err != nil || !slices.Equal(results, want) {
		t.Errorf("results %v, %v; want %v", results, err, want)
	}
	begun, err := ts.spool.Begun(task.Cookie)
	if err != nil || len(begun) != 2 || begun[0].Attempt != first || begun[1].Attempt != again || begun[1].Node == "" {
		t.Errorf("begun %+v, %v", begun, err)
	}
	for _, at := range []spool.Attempt{again, again} {
		if _, err := ts.spool.Take(task, at); err != nil {
			t.Error(err)
		}
	}
	if n := len(ts.results()); n != 1 {
		t.Errorf("a result that was taken twice is %d results", n)
	}
	if last := ts.spool.Last(task.Cookie, again, 5); !slices.Contains(last, "1") {
		t.Errorf("its last lines are %q", last)
	}
	if err := ts.spool.Drop(task.Cookie); err != nil {
		t.Error(err)
	}
	if results, err := ts.spool.Results(); err != nil || len(results) > 0 {
		t.Errorf("a task that was dropped has left %v, %v", results, err)
	}

	late := ts.task("red")
	if err := errors.Join(ts.spool.Withdraw(late.Cookie), ts.spool.Withdraw(late.Cookie)); err != nil {
		t.Fatal(err)
	}
	h.Argv[len(h.Argv)-1] = strings.ReplaceAll(h.Dir, task.Cookie, late.Cookie)
	run(first, spool.ExitIdle)
	withdrawn := ts.task("red")
	h = ts.hand(withdrawn)
	if err := ts.spool.Withdraw(withdrawn.Cookie); err != nil {
		t.Fatal(err)
	}
	run(first, spool.ExitIdle)
	if begun, err := ts.spool.Begun(withdrawn.Cookie); err != nil || len(begun) > 0 {
		t.Errorf("begun %v, %v", begun, err)
	}
}

// SIGTERM ends the gate, leaves nothing behind and says neither red nor green: also where
// it goes to every process of the job, as schedulers send it.
func TestTaskIsStopped(t *testing.T) {
	for name, all := range map[string]bool{"gpuci alone": false, "every process": true} {
		t.Run(name, func(t *testing.T) {
			ts := newTaskStage(t, taskGates)
			task := ts.task("waits")
			h, at := ts.hand(task), spool.Attempt{Job: "9"}
			cmd := ts.job(h, at)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			eventually(t, "the gate to start", func() bool {
				return slices.Contains(ts.spool.Last(task.Cookie, at, 3), "started")
			})
			if all {
				for _, pid := range below(t, cmd.Process.Pid) {
					_ = syscall.Kill(pid, syscall.SIGTERM)
				}
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != spool.ExitStopped {
				t.Errorf("it exits with %d", code)
			}
			out, err := ts.spool.Take(task, at)
			if err != nil || out.Verdict != nil || out.Stopped == "" || out.Exit != spool.ExitStopped {
				t.Errorf("%+v, %v", out, err)
			}
			if n := len(ts.results()); n != 0 {
				t.Errorf("%d results", n)
			}
			ts.wantScratchEmpty()
		})
	}
}

// A task whose node kills it leaves its checkout behind, which the next one there removes,
// and no result.
func TestTaskIsKilled(t *testing.T) {
	ts := newTaskStage(t, taskGates)
	ts.write(t, "value", "1")
	ts.commit("value")
	task, at := ts.task("waits"), spool.Attempt{Job: "9"}
	cmd := ts.job(ts.hand(task), at)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	eventually(t, "the gate to start", func() bool { return slices.Contains(ts.spool.Last(task.Cookie, at, 3), "started") })
	list := append(below(t, cmd.Process.Pid), cmd.Process.Pid)
	for _, pid := range slices.Backward(list) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = cmd.Wait()
	left, err := os.ReadDir(ts.options.Scratch)
	if err != nil || len(left) != 1 {
		t.Fatalf("what a killed task leaves is %v, %v", left, err)
	}
	if results, err := ts.spool.Results(); err != nil || len(results) > 0 {
		t.Errorf("results %v, %v", results, err)
	}
	if begun, err := ts.spool.Begun(task.Cookie); err != nil || len(begun) != 1 {
		t.Errorf("begun %v, %v", begun, err)
	}
	ts.verdict(ts.task("red")) // which wants that nothing is left
}

// What is not the content of the order is not judged.
func TestTaskOfAnotherContent(t *testing.T) {
	ts := newTaskStage(t, taskGates)
	ts.write(t, "value", "1")
	ts.commit("value")
	task := ts.task("red")
	h := ts.hand(task)
	path := filepath.Join(h.Dir, "order.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.ReplaceAll(string(data), task.Head.Tree, strings.Repeat("0", len(task.Head.Tree)))
	if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	runCommand(t, ts.job(h, spool.Attempt{Job: "1"}))
	out, err := ts.spool.Take(task, spool.Attempt{Job: "1"})
	if err != nil || out.Failed == nil || out.Failed.Kind != executor.KindContent || out.Failed.Outcome != gates.Broken || out.Verdict != nil {
		t.Errorf("%+v, %v", out, err)
	}
	if n := len(ts.results()); n != 0 {
		t.Errorf("%d results", n)
	}
	ts.wantScratchEmpty()
}
