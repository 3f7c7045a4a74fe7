package falsify

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// stage is a real repository with a gpuci.toml, and a place for all that is written.
type stage struct {
	t    testing.TB
	dir  string
	home string
}

func newStage(t testing.TB, files map[string]string) *stage {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"GPUCI_MACHINE_FILE": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "XDG_CONFIG_HOME": home,
		"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t",
	} {
		t.Setenv(name, value)
	}
	s := &stage{t, filepath.Join(home, "repo"), home}
	for name, text := range files {
		s.write(name, text)
	}
	s.git("init", "-q", "-b", "main")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "begin")
	return s
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// past is the repository's history.
func (s *stage) past() *gates.Past {
	p := gates.NewPast(s.t.Context(), history.Options{State: filepath.Join(s.home, "state")})
	s.t.Cleanup(func() { _ = p.Close() })
	return p
}

// options are those of the first gate.
func (s *stage) options() Options {
	s.t.Helper()
	lane, err := worktrees.Find(s.t.Context(), s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	cfg, err := config.Load(config.DefaultSources(filepath.Join(s.dir, config.FileName)))
	if err != nil {
		s.t.Fatal(err)
	}
	past := s.past()
	return Options{
		Gate: cfg.Gates[0], Lane: lane, Root: cfg.Root, ScratchDir: filepath.Join(s.home, "scratch"), Past: past,
		Note: func(text string) { s.t.Log(text) },
		Prepare: func(worktrees.Lane, string) (gates.Options, error) {
			return gates.Options{State: filepath.Join(s.home, "state"), History: past, Base: cfg.Workspace.Base, Kernels: gates.KernelSets(cfg, cfg.Gates[0])}, nil
		},
	}
}

// falsify plants all faults, or those that are named.
func (s *stage) falsify(only ...string) *Report {
	s.t.Helper()
	o := s.options()
	o.Only = only
	before := s.lane()
	r, err := Run(s.t.Context(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	if now := s.lane(); now != before {
		s.t.Errorf("the lane was\n%s\nand is\n%s", before, now)
	}
	if left, _ := os.ReadDir(o.ScratchDir); len(left) > 0 {
		s.t.Errorf("left in %s: %v", o.ScratchDir, left)
	}
	return r
}

// lane is all that there is to see of the lane: files with their times, git's books.
func (s *stage) lane() string {
	s.t.Helper()
	out, err := exec.Command("bash", "-c", `cd "$1" && find . -path ./.git -prune -o -printf '%p %m %s %T@\n' | sort; find . -type f -path './.git/*' -prune -o -type f -exec sha256sum {} + | sort; sha256sum .git/index .git/HEAD; git --no-optional-locks status --porcelain; git for-each-ref; git worktree list`, "bash", s.dir).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// want holds outcomes, in the order of the faults, against what came.
func (s *stage) want(r *Report, outcomes ...string) {
	s.t.Helper()
	var got []string
	for _, p := range r.Planted {
		got = append(got, p.Outcome)
		s.t.Logf("%s: %s: %s %q", p.Fault, p.Outcome, p.Why, p.Next)
		if p.Outcome != gates.FaultCaught && len(p.Next) == 0 {
			s.t.Errorf("%s: nothing to do next", p.Fault)
		}
	}
	if strings.Join(got, ", ") != strings.Join(outcomes, ", ") {
		s.t.Errorf("%q, want %q; broken: %q", got, outcomes, r.Broken)
	}
}

// log is what a trial printed in one of its steps.
func (s *stage) log(p Planted, name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(p.Log), name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// needs skips a test whose tool is not here.
func needs(t testing.TB, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs " + tool)
		}
		t.Skip("needs " + tool)
	}
}
