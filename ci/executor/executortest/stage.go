// Package executortest holds executors to what package executor promises.
package executortest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// Stage is a real repository with gates, and all that an executor for it needs. What the
// gates write goes to Out, which nodes must see.
type Stage struct {
	Here   worktrees.Lane
	Config *config.Config
	State  string
	Past   *gates.Past
	Night  string
	Out    string
	count  int
}

// gatesToml are the gates of a stage. Each says that it ran; the slow one says who it is,
// and goes on until it is told to end or there is a file "go".
const gatesToml = `
[workspace]
name = "stage"

[[gate]]
name = "green"
run = "echo green >> '%[1]s/ran'; echo 'gpuci:metric name=answer value=42'"
reader = "none"

[[gate]]
name = "red"
run = "echo red >> '%[1]s/ran'; echo what it says; exit 1"
reader = "none"

[[gate]]
name = "slow"
run = "echo slow >> '%[1]s/ran'; echo it begins; echo $$ > '%[1]s/pid.part'; mv '%[1]s/pid.part' '%[1]s/pid'; while ! test -e '%[1]s/go'; do sleep 0.05; done"
reader = "none"
timeout = "5m"
`

// NewStage makes one below base, which nodes must see under the same path.
func NewStage(t testing.TB, base string) *Stage {
	t.Helper()
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, filepath.Join(base, name))
	}
	for name, value := range map[string]string{
		"GPUCI_MACHINE_FILE": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
		"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t",
	} {
		t.Setenv(name, value)
	}
	s := &Stage{Out: filepath.Join(base, "out"), Night: gates.NewID(time.Now())}
	repo := filepath.Join(base, "repo $(touch no) 'q\"\nn")
	for _, dir := range []string{s.Out, repo} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, config.FileName), fmt.Appendf(nil, gatesToml, s.Out), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "one"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	s.read(t, repo)
	return s
}

// read finds what a gpuci in the repository would.
func (s *Stage) read(t testing.TB, repo string) {
	t.Helper()
	ctx := context.Background()
	var err error
	if s.Here, err = worktrees.Find(ctx, repo); err != nil {
		t.Fatal(err)
	}
	if s.Config, err = config.Load(config.DefaultSources(filepath.Join(s.Here.Root, config.FileName))); err != nil {
		t.Fatal(err)
	}
	s.State, _ = gates.StateDir(s.Here, s.Config.Root)
	s.Past = gates.NewPast(ctx, history.Options{State: s.State})
	t.Cleanup(func() { _ = s.Past.Close() })
}

// Task is one of a gate at the commit of the repository, under a cookie of its own.
func (s *Stage) Task(t testing.TB, gate string) executor.Task {
	t.Helper()
	ctx := context.Background()
	g, ok := s.Config.Gate(gate)
	if !ok {
		t.Fatalf("there is no gate %s", gate)
	}
	st, err := worktrees.ReadState(ctx, s.Here)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := worktrees.ContentID(ctx, s.Here, st)
	if err != nil {
		t.Fatal(err)
	}
	s.count++
	id := gates.NewID(time.Now())
	return executor.Task{
		Cookie: fmt.Sprintf("gpuci-%s-%d-%s", s.Night, s.count, id[len(id)-8:]), Gate: *g, Config: s.Config, Dir: ".",
		Head: executor.Head{Lane: s.Here.Name, Branch: st.Branch, Root: s.Here.Root, Commit: st.Commit, Tree: tree, Dirty: st.Dirty},
	}
}

// Ran are the gates that ran, in their order.
func (s *Stage) Ran() string {
	data, _ := os.ReadFile(filepath.Join(s.Out, "ran"))
	return strings.Join(strings.Fields(string(data)), " ")
}

// Begun waits until the slow gate runs, and gives its pid.
func (s *Stage) Begun(t testing.TB) int {
	t.Helper()
	var pid int
	for range 1200 {
		if data, err := os.ReadFile(filepath.Join(s.Out, "pid")); err == nil {
			if _, err := fmt.Sscan(string(data), &pid); err == nil {
				return pid
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the slow gate did not begin within a minute")
	return 0
}

// Go lets the slow gate end.
func (s *Stage) Go(t testing.TB) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Out, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}
