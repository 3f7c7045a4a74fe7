package inputs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/worktrees"
)

// needs skips a test whose tool is missing, and fails it where that counts.
func needs(tb testing.TB, tool string) {
	tb.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		tb.Fatalf("needs %s", tool)
	}
	tb.Skipf("needs %s", tool)
}

// repo is a lane in a repository of the test's own.
type repo struct {
	tb  testing.TB
	dir string
}

// newRepo makes a repository and commits what write puts there.
func newRepo(tb testing.TB, files map[string]string) repo {
	tb.Helper()
	needs(tb, "git")
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"} {
		tb.Setenv(name, "") // so that the value comes back afterwards
		os.Unsetenv(name)
	}
	tb.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	tb.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	r := repo{tb, filepath.Join(dir, "one")}
	for path, text := range files {
		r.write(path, text)
	}
	r.run("git", "init", "-q", "-b", "trunk")
	r.run("git", "config", "user.name", "Test")
	r.run("git", "config", "user.email", "test@example.org")
	r.commit()
	return r
}

func (r repo) path(path string) string { return filepath.Join(r.dir, path) }

func (r repo) check(err error) {
	r.tb.Helper()
	if err != nil {
		r.tb.Fatal(err)
	}
}

func (r repo) write(path, text string) {
	r.tb.Helper()
	r.check(os.MkdirAll(filepath.Dir(r.path(path)), 0o755))
	r.check(os.WriteFile(r.path(path), []byte(text), 0o644))
}

// touch gives a file a modification time.
func (r repo) touch(path string, when time.Time) {
	r.tb.Helper()
	r.check(os.Chtimes(r.path(path), when, when))
}

// run runs a command that must succeed and returns what it wrote.
func (r repo) run(argv ...string) string {
	r.tb.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.tb.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return string(out)
}

func (r repo) commit() string {
	r.tb.Helper()
	r.run("git", "add", "-A")
	r.run("git", "commit", "-qm", "x", "--allow-empty")
	return strings.TrimSpace(r.run("git", "rev-parse", "HEAD"))
}

// linked adds a second lane beside the first.
func (r repo) linked(name string) repo {
	r.tb.Helper()
	r.run("git", "worktree", "add", "-q", "--detach", "../"+name)
	return repo{r.tb, filepath.Join(filepath.Dir(r.dir), name)}
}

func (r repo) lane() worktrees.Lane {
	r.tb.Helper()
	l, err := worktrees.Find(r.tb.Context(), r.dir)
	r.check(err)
	return l
}

func (r repo) state() worktrees.State {
	r.tb.Helper()
	st, err := worktrees.ReadState(r.tb.Context(), r.lane())
	r.check(err)
	return st
}

// take takes the lane's snapshot.
func (r repo) take(in Inputs) Snapshot {
	r.tb.Helper()
	d, err := worktrees.ReadDraft(r.tb.Context(), r.lane(), r.state())
	r.check(err)
	raw, err := worktrees.ReadRaw(r.tb.Context(), r.lane(), d)
	r.check(err)
	s, err := Take(r.tb.Context(), r.lane(), Before{Draft: d, Raw: raw}, in)
	r.check(err)
	return s
}

// since compares the lane with a snapshot.
func (r repo) since(s Snapshot, own ...string) Change {
	r.tb.Helper()
	c, err := s.Since(r.tb.Context(), r.lane(), r.state(), own...)
	r.check(err)
	return c
}
