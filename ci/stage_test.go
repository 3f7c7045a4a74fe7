package ci

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// laneStage is a real repository with lanes, and a place for all that a night writes.
type laneStage struct {
	t    testing.TB
	dir  string // the main lane; the others stand beside it
	home string
}

// oneGate is a workspace with a gate that is red where there is a file "bad".
const oneGate = `
[[gate]]
name = "unit"
run = "test ! -e bad"
reader = "none"
`

func newStage(t testing.TB, toml string) *laneStage {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "GITHUB_ACTIONS"} {
		t.Setenv(name, "")
	}
	for name, value := range map[string]string{
		"GPUCI_MACHINE_FILE": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
		"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t",
	} {
		t.Setenv(name, value)
	}
	s := &laneStage{t, filepath.Join(home, "repo"), home}
	s.git(home, "init", "-q", "-b", "main", s.dir)
	s.commit("main", config.FileName, toml)
	return s
}

func (s *laneStage) git(dir string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// root is the directory of a lane.
func (s *laneStage) root(lane string) string {
	if lane == "main" {
		return s.dir
	}
	return filepath.Join(s.home, lane)
}

// lane adds one, at main's commit.
func (s *laneStage) lane(name string) {
	s.t.Helper()
	s.git(s.dir, "worktree", "add", "-q", "-b", name, s.root(name))
}

func (s *laneStage) write(lane, name, text string) {
	s.t.Helper()
	path := filepath.Join(s.root(lane), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// commit writes a file of a lane and commits it, and gives the commit.
func (s *laneStage) commit(lane, name, text string) string {
	s.t.Helper()
	s.write(lane, name, text)
	s.git(s.root(lane), "add", "-A")
	s.git(s.root(lane), "commit", "-q", "--allow-empty", "-m", name)
	return s.git(s.root(lane), "rev-parse", "HEAD")
}

// options are those of a night of all lanes; said collects its notes.
func (s *laneStage) options() (o Options, said *notes) {
	s.t.Helper()
	o, err := optionsIn(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = o.Past.Close() })
	said = &notes{}
	o.Note = said.add
	return o, said
}

// optionsIn are those of a night of all lanes of a repository.
func optionsIn(dir string) (Options, error) {
	ctx := context.Background()
	lane, err := worktrees.Find(ctx, dir)
	if err != nil {
		return Options{}, err
	}
	cfg, err := config.Load(config.DefaultSources(filepath.Join(dir, config.FileName)))
	if err != nil {
		return Options{}, err
	}
	state, _ := gates.StateDir(lane, cfg.Root)
	past := gates.NewPast(ctx, history.Options{State: state})
	return Options{
		Here: lane, Config: cfg, State: state, Past: past,
		Prepare: func(_ worktrees.Lane, cfg *config.Config, g config.Gate) (gates.Options, error) {
			return gates.Options{State: state, Workspace: cfg, History: past, Version: "test", KeepRuns: 500}, nil
		},
	}, nil
}

// notes are what a night said on the way.
type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, text)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.list, "\n")
}

// night spends one that must come to a report, and leaves nothing behind.
func (s *laneStage) night(change ...func(*Options)) Report {
	s.t.Helper()
	o, said := s.options()
	for _, c := range change {
		c(&o)
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		s.t.Fatalf("night: %v\n%s", err, said)
	}
	s.clean()
	return r
}

// clean says what scratch lanes there still are.
func (s *laneStage) clean() {
	s.t.Helper()
	if list := s.git(s.dir, "worktree", "list"); strings.Contains(list, "scratch") {
		s.t.Errorf("scratch lanes are left in git's books:\n%s", list)
	}
	left, _ := filepath.Glob(filepath.Join(s.home, ".cache", "gpuci", "scratch", "*", "*"))
	if len(left) > 0 {
		s.t.Errorf("scratch lanes are left on the disk: %q", left)
	}
}
