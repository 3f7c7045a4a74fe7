package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gpuci/gates"
	"gpuci/gates/config"
)

// unpack writes the files of an archive below a directory.
func unpack(t *testing.T, dir, archive string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInitRuns: a repository with a project of every kind, each with its real
// tool; what init writes is green at once, and each gate counts what ran.
func TestInitRuns(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "cargo", "cmake", "ctest", "python3", "make", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			needsTool(t, tool)
		}
	}
	if err := exec.Command("python3", "-c", "import pytest").Run(); err != nil {
		needsTool(t, "pytest")
	}
	w := workspace{dir: t.TempDir(), state: t.TempDir()}
	unpack(t, w.dir, "testdata/init.txtar")
	gitIn(t, w.dir, "init", "-q", "-b", "main")
	code, stdout, stderr := runCommand(t, w.command(t, "init"))
	if code != 0 || !strings.HasPrefix(stdout, "wrote gpuci.toml in ") || strings.Contains(stdout, "not ignored by git") {
		t.Fatalf("init: exit %d\n%s%s", code, stdout, stderr)
	}
	gitIn(t, w.dir, "add", "-A")
	gitIn(t, w.dir, "commit", "-q", "-m", "one")
	code, stdout, stderr = runCommand(t, w.command(t, "gate", "--all", "--keep-going"))
	if code != 0 {
		t.Fatalf("gate --all: exit %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{
		"green: unit, 2 passed in", "green: adjoint, 1 passed in", "green: gated, 1 passed in", "green: own in",
		"green: tools-go-tests, 1 passed in", "green: native-ctest, 2 passed in", "green: py-pytest, 2 passed in", "green: doc-make-check in",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	cmd := exec.Command("git", "status", "--porcelain")
	cmd.Dir = w.dir
	if out, err := cmd.Output(); err != nil || len(out) > 0 {
		t.Errorf("%v, the gates left\n%s", err, out)
	}
}

// TestInitOutsideGit: without a repository the workspace is where we are, and
// one further up is said.
func TestInitOutsideGit(t *testing.T) {
	w := workspace{dir: t.TempDir(), state: t.TempDir()}
	if err := os.WriteFile(filepath.Join(w.dir, "gpuci.toml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w.dir = filepath.Join(w.dir, "below")
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "Makefile"), []byte("test:\n\ttrue\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runCommand(t, w.command(t, "init"))
	if code != 0 || !strings.Contains(stderr, "this is no git repository") || !strings.Contains(stderr, "there is a gpuci.toml further up") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "gpuci.toml")); err != nil {
		t.Error(err)
	}
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// TestLearn: the output of a run becomes a patch that git applies, after which
// the gate is green with it and red when a number leaves its bar.
func TestLearn(t *testing.T) {
	const text = `[[gate]]
name = "tests"
run = "echo worst rel ${WORST:-6.3e-7} on d_g; echo fused kda=${FUSED:-8}/8 declined=0"
reader = "none"
`
	w := newWorkspace(t, text)
	if code, stdout, stderr := runCommand(t, w.command(t, "gate", "tests")); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	v := w.verdict(t)
	cfg, err := config.Load(config.Sources{Workspace: filepath.Join(w.dir, config.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	var out, notes bytes.Buffer
	a := &app{out: &out, console: newConsole(&notes)}
	if err := a.learn(cfg, cfg.Gates[0], v); err != nil {
		t.Fatal(err)
	}
	_ = a.console.settle()
	if !strings.Contains(notes.String(), "gpuci: proposed: bar worst-rel: max = 1e-5\n") {
		t.Errorf("notes\n%s", notes.String())
	}
	apply := exec.Command("git", "apply", "-")
	apply.Dir, apply.Stdin = w.dir, &out
	if text, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v: %s", err, text)
	}
	for env, want := range map[string]int{"": 0, "WORST=1e-3": 100, "WORST=nan": 102, "FUSED=7": 100} {
		cmd := w.command(t, "gate", "tests")
		if env != "" {
			cmd.Env = append(cmd.Env, env)
		}
		if code, stdout, _ := runCommand(t, cmd); code != want {
			t.Errorf("%q: exit %d, want %d\n%s", env, code, want, stdout)
		}
	}
}

// TestLearnWithoutARun: where no command ran there is nothing to learn, and
// that is said.
func TestLearnWithoutARun(t *testing.T) {
	a := &app{console: newConsole(&bytes.Buffer{})}
	for _, v := range []gates.Verdict{{}, {Dir: t.TempDir()}} {
		if err := a.learn(&config.Config{}, config.Gate{Name: "g"}, v); exitCode(err, true) != gates.ExitNothing {
			t.Errorf("%v", err)
		}
	}
}
