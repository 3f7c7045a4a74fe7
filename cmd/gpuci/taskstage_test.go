package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/ci/spool"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// taskStage is a lane and a shared place, with a scheduler that the test is itself.
type taskStage struct {
	stage
	t       *testing.T
	options spool.Options
	spool   *spool.Spool
	tasks   int
	path    string // $PATH of a node; "" is the one here
}

// oddName is a directory that every shell, regular expression and format would read as
// something else.
const oddName = "a lane's \"own\" $(false) `false` %j\n#"

// newTaskStage makes one whose gpuci.toml is text, in a directory with an odd name.
func newTaskStage(t *testing.T, text string) *taskStage {
	t.Helper()
	gpuci, err := binary() // before the home of the go command is another one
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	top := filepath.Dir(s.dir)
	s.dir = filepath.Join(top, oddName, "lane")
	for _, dir := range []string{s.dir, filepath.Join(top, oddName, "shared"), filepath.Join(top, "scratch of a node")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range s.env { // the head is in the test's own process
		if name, value, _ := strings.Cut(v, "="); name == "HOME" || strings.HasPrefix(name, "XDG_") || name == "GPUCI_MACHINE_FILE" {
			t.Setenv(name, value)
		}
	}
	ts := &taskStage{stage: s, t: t}
	ts.git("init", "-q", "-b", "main")
	ts.git("config", "user.name", "Test")
	ts.git("config", "user.email", "test@example.org")
	ts.write(t, "gpuci.toml", text)
	ts.write(t, ".gitignore", "/target/\n")
	ts.commit("first")
	lane := ts.lane()
	ts.options = spool.Options{
		Shared: filepath.Join(top, oddName, "shared"), Night: "20240501T000000Z-test", Here: lane, State: filepath.Join(lane.CommonDir, "gpuci"),
		Scratch: filepath.Join(top, "scratch of a node"), Program: gpuci, Version: "test", Note: func(text string) { t.Log(text) },
	}
	ts.options.Past = gates.NewPast(t.Context(), history.Options{State: ts.options.State})
	t.Cleanup(func() { _ = ts.options.Past.Close() })
	ts.open()
	return ts
}

func (ts *taskStage) open() {
	ts.t.Helper()
	var err error
	if ts.spool, err = spool.Open(ts.options); err != nil {
		ts.t.Fatal(err)
	}
}

func (ts *taskStage) git(args ...string) string {
	ts.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = ts.dir, ts.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (ts *taskStage) commit(text string) {
	ts.t.Helper()
	ts.git("add", "-A")
	ts.git("commit", "-qm", text)
}

func (ts *taskStage) lane() worktrees.Lane {
	ts.t.Helper()
	lane, err := worktrees.Find(ts.t.Context(), ts.dir)
	if err != nil {
		ts.t.Fatal(err)
	}
	return lane
}

// bare gives the nodes a $PATH with these programs alone.
func (ts *taskStage) bare(programs ...string) {
	ts.t.Helper()
	ts.path = ts.t.TempDir()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(ts.path, name))
		}
		if err != nil {
			ts.t.Fatal(err)
		}
	}
}

// task is one of a gate at the lane as it is.
func (ts *taskStage) task(gate string) executor.Task {
	ts.t.Helper()
	ctx, lane := ts.t.Context(), ts.lane()
	cfg, err := config.Load(config.DefaultSources(filepath.Join(ts.dir, config.FileName)))
	if err != nil {
		ts.t.Fatal(err)
	}
	st, err := worktrees.ReadState(ctx, lane)
	if err != nil {
		ts.t.Fatal(err)
	}
	d, err := worktrees.ReadDraft(ctx, lane, st)
	if err != nil {
		ts.t.Fatal(err)
	}
	i := slices.IndexFunc(cfg.Gates, func(g config.Gate) bool { return g.Name == gate })
	ts.tasks++
	return executor.Task{
		Cookie: "gpuci-test-" + strconv.Itoa(ts.tasks), Gate: cfg.Gates[i], Config: cfg,
		Head: executor.Head{Lane: "main", Branch: st.Branch, Root: lane.Root, Commit: st.Commit, Tree: d.Tree, Dirty: st.Dirty},
	}
}

func (ts *taskStage) hand(t executor.Task) spool.Handed {
	ts.t.Helper()
	carry := spool.Sources
	if t.Gate.Slurm != nil {
		carry = spool.Carry(t.Gate.Slurm.Carry)
	}
	h, err := ts.spool.Hand(ts.t.Context(), t, carry)
	if err != nil {
		ts.t.Fatal(err)
	}
	return h
}

// job is what a scheduler would start of a task.
func (ts *taskStage) job(h spool.Handed, at spool.Attempt) *exec.Cmd {
	cmd := exec.Command(h.Argv[0], h.Argv[1:]...)
	cmd.Dir, cmd.WaitDelay = "/", 10*time.Second
	cmd.Env = append(slices.Clone(ts.env), "SLURM_JOB_ID="+at.Job, "SLURM_RESTART_COUNT="+strconv.Itoa(at.Restart))
	if ts.path != "" {
		cmd.Env = append(cmd.Env, "PATH="+ts.path)
	}
	return cmd
}

// does runs a task to its end and takes its result.
func (ts *taskStage) does(t executor.Task) spool.Outcome {
	ts.t.Helper()
	h, at := ts.hand(t), spool.Attempt{Job: "7"}
	code, stdout, stderr := runCommand(ts.t, ts.job(h, at))
	if stdout != "" {
		ts.t.Errorf("a job printed %q", stdout)
	}
	out, err := ts.spool.Take(t, at)
	if err != nil {
		ts.t.Fatalf("%v\nexit %d: %s", err, code, stderr)
	}
	if out.Exit != code {
		ts.t.Errorf("it exits with %d, and its result says %d: %s", code, out.Exit, stderr)
	}
	ts.wantScratchEmpty()
	return out
}

// verdict is what came of a task, which must have come to a verdict.
func (ts *taskStage) verdict(t executor.Task) gates.Verdict {
	ts.t.Helper()
	out := ts.does(t)
	if out.Verdict == nil {
		ts.t.Fatalf("no verdict: %+v", out)
	}
	return *out.Verdict
}

// wantScratchEmpty says that no task has left anything on its node.
func (ts *taskStage) wantScratchEmpty() {
	ts.t.Helper()
	entries, err := os.ReadDir(ts.options.Scratch)
	if err != nil || len(entries) > 0 {
		ts.t.Errorf("left in the node's scratch directory: %v, %v", entries, err)
	}
}

// results are the runs that the history here has.
func (ts *taskStage) results() (list []history.Result) {
	ts.t.Helper()
	store, err := ts.options.Past.Store()
	if err != nil {
		ts.t.Fatal(err)
	}
	defer store.Rest()
	for r, err := range store.Results(ts.t.Context(), history.Query{}) {
		if err != nil {
			ts.t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// local is the verdict of the same gate here.
func (ts *taskStage) local(gate string) (v gates.Verdict) {
	ts.t.Helper()
	_, stdout, stderr := runCommand(ts.t, ts.command(ts.t, "gate", gate, "--json"))
	for line := range strings.Lines(stdout) {
		if strings.Contains(line, `"type":"verdict"`) {
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				ts.t.Fatal(err)
			}
			return v
		}
	}
	ts.t.Fatalf("no verdict of gate %s\n%s%s", gate, stdout, stderr)
	return v
}

// below are the processes that descend from one, the nearest first.
func below(t *testing.T, pid int) (list []int) {
	t.Helper()
	threads, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range threads {
		data, _ := os.ReadFile(path) // a thread may have ended
		for _, word := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(word); err == nil {
				list = append(append(list, child), below(t, child)...)
			}
		}
	}
	return list
}
