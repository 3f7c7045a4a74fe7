package worktrees

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// repo is a real repository in a directory of the test's own.
type repo struct {
	tb  testing.TB
	dir string
}

// alone shuts out the user's and the machine's git configuration, and the
// variables that a hook would have set around the test run.
func alone(tb testing.TB) {
	tb.Helper()
	needs(tb, "git")
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"} {
		tb.Setenv(name, "") // so that the value comes back afterwards
		os.Unsetenv(name)
	}
	tb.Setenv("HOME", tb.TempDir())
	tb.Setenv("XDG_CONFIG_HOME", "")
	tb.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	tb.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

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

// emptyRepo makes a repository without a commit.
func emptyRepo(tb testing.TB, options ...string) repo {
	tb.Helper()
	r := noRepo(tb)
	r.git(append([]string{"init", "-q", "-b", "trunk"}, options...)...)
	r.identify()
	return r
}

// noRepo makes a directory for a repository.
func noRepo(tb testing.TB) repo {
	tb.Helper()
	alone(tb)
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	r := repo{tb, filepath.Join(dir, "repo")}
	r.mkdir("")
	return r
}

// newRepo makes a repository with one commit of a few files of every kind. From the
// second on it is a copy of the first: these tests make hundreds, and git would be
// started seven times for each.
func newRepo(tb testing.TB) repo {
	tb.Helper()
	if len(firstRepo) > 0 {
		r := noRepo(tb)
		r.copied(firstRepo)
		r.settle()
		return r
	}
	r := emptyRepo(tb)
	for path, text := range map[string]string{
		"README":              "read me\n",
		"src/a.go":            "package a\n",
		"src/deep/er/b.go":    "package b\n",
		"src-x/c.go":          "package c\n",
		"with space/fi le":    "space\n",
		"with\nnewline/x\ny":  "newline\n",
		"ünï/cødé":            "not ascii\n",
		"[glob]*/:(top)?":     "magic\n",
		".gitignore":          "*.o\n/target/\n",
		"src/deep/.gitignore": "*.log\n!keep.log\n",
		"bin/tool":            "#!/bin/sh\n",
	} {
		r.write(path, text)
	}
	r.chmod("bin/tool", 0o755)
	r.symlink("README", "link")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	firstRepo = r.whole()
	r.settle()
	return r
}

// identify gives the repository an author.
func (r repo) identify() {
	r.git("config", "user.name", "Test")
	r.git("config", "user.email", "test@example.org")
}

// settle moves every file into the past and has git look again, so that stat
// data alone can clear them.
func (r repo) settle() {
	r.tb.Helper()
	past := time.Now().Add(-time.Hour)
	for _, path := range strings.Split(strings.TrimSuffix(r.git("ls-files", "-z"), "\x00"), "\x00") {
		if info, err := os.Lstat(r.path(path)); err == nil && info.Mode().IsRegular() {
			if err := os.Chtimes(r.path(path), past, past); err != nil {
				r.tb.Fatal(err)
			}
		}
	}
	r.git("status")
}

func (r repo) path(path string) string { return filepath.Join(r.dir, path) }

// git runs git and returns its output; it must succeed.
func (r repo) git(args ...string) string {
	r.tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.tb.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (r repo) check(err error) {
	r.tb.Helper()
	if err != nil {
		r.tb.Fatal(err)
	}
}

func (r repo) mkdir(path string) {
	r.tb.Helper()
	r.check(os.MkdirAll(r.path(path), 0o755))
}

func (r repo) write(path, text string) {
	r.tb.Helper()
	r.mkdir(filepath.Dir(path))
	r.check(os.WriteFile(r.path(path), []byte(text), 0o644))
}

func (r repo) chmod(path string, mode os.FileMode) {
	r.tb.Helper()
	r.check(os.Chmod(r.path(path), mode))
}

func (r repo) symlink(target, path string) {
	r.tb.Helper()
	r.mkdir(filepath.Dir(path))
	r.check(os.Symlink(target, r.path(path)))
}

// remove removes what is at path, if anything can be.
func (r repo) remove(path string) {
	r.tb.Helper()
	if err := os.RemoveAll(r.path(path)); !errors.Is(err, syscall.ENOTDIR) {
		r.check(err)
	}
}

func (r repo) rename(from, to string) {
	r.tb.Helper()
	r.mkdir(filepath.Dir(to))
	r.check(os.Rename(r.path(from), r.path(to)))
}

// lane finds the repository's lane.
func (r repo) lane() Lane {
	r.tb.Helper()
	l, err := Find(context.Background(), r.dir)
	r.check(err)
	return l
}

// state reads the lane's state and holds its Dirty against git's own word.
func (r repo) state() State {
	r.tb.Helper()
	st, err := ReadState(context.Background(), r.lane())
	r.check(err)
	told := r.git("--no-optional-locks", "status", "--porcelain", "--untracked-files=all", "--ignore-submodules=none")
	if st.Dirty != (told != "") {
		r.tb.Fatalf("Dirty = %v, git status says:\n%s", st.Dirty, told)
	}
	if st.Dirty != (st.Changes != "") || st.Dirty != (st.Count > 0) || st.Dirty != (len(st.Paths) > 0) {
		r.tb.Fatalf("inconsistent state: %+v", st)
	}
	if st.Count == 0 && st.Commit != "" && st.Commit != strings.TrimSpace(r.git("rev-parse", "HEAD")) {
		r.tb.Fatalf("wrong commit: %+v", st)
	}
	return st
}

// proven returns what the quick look leaves to ask git about.
func (r repo) proven() ([]string, error) {
	l := r.lane()
	ask, _, err := candidates(context.Background(), l, readHead(context.Background(), l).commit, nil)
	return ask, err
}

// wantProven fails the test unless the quick look alone clears the lane.
func (r repo) wantProven() {
	r.tb.Helper()
	if ask, err := r.proven(); err != nil || len(ask) > 0 {
		r.tb.Fatalf("not proven clean: %q, %v", ask, err)
	}
}
