package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"gpuci/buildlock/shim"
	"gpuci/pressure"
)

// diagnosis is what a gpuci doctor said in JSON.
type diagnosis struct {
	code   int
	checks map[string]check // by group/name; the first of each
	sum    doctorSum
	text   string
}

func (s stage) doctor(t *testing.T) diagnosis {
	t.Helper()
	code, stdout, stderr := s.run(t, "doctor", "--json")
	d := diagnosis{code: code, checks: make(map[string]check), text: stdout}
	if strings.TrimSpace(stderr) != "" {
		t.Errorf("stderr: %s", stderr)
	}
	for line := range strings.Lines(stdout) {
		var kind struct{ Type string }
		if err := json.Unmarshal([]byte(line), &kind); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		var c check
		switch kind.Type {
		case "check":
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if key := c.Group + "/" + c.Name; d.checks[key].Type == "" {
				d.checks[key] = c
			}
		case "summary":
			if err := json.Unmarshal([]byte(line), &d.sum); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("a line of type %q", kind.Type)
		}
	}
	if d.sum.Type == "" || d.sum.Exit != code {
		t.Errorf("exit %d, and the summary is %+v", code, d.sum)
	}
	return d
}

// want holds a check against what is to be in it.
func (d diagnosis) want(t *testing.T, key, state string, parts ...string) {
	t.Helper()
	c, ok := d.checks[key]
	if !ok {
		t.Errorf("nothing is said of %s in\n%s", key, d.text)
		return
	}
	text := strings.Join([]string{c.Value, c.Path, c.Version, c.Lost, c.Get}, "\n")
	missing := slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
	if c.State != state || missing {
		t.Errorf("%s: %+v, want it %s, with %q", key, c, state, parts)
	}
	if (state == stateLost || state == stateBroken) && c.Get == "" {
		t.Errorf("%s: how to get it is not said", key)
	}
}

// tools gives the stage a PATH of its own, with programs that print a text; the
// text of a script begins with #!.
func (s *stage) tools(t *testing.T, said map[string]string) (dir string) {
	t.Helper()
	dir = filepath.Join(filepath.Dir(s.dir), "bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range said {
		if !strings.HasPrefix(text, "#!") {
			text = "#!/bin/sh\necho '" + text + "'\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.env = shim.With(s.env, "PATH", dir)
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "RUSTC_WRAPPER", "RUSTFLAGS", "CARGO_HOME", nvccVariable} {
		s.env = shim.Without(s.env, name)
	}
	return dir
}

// git runs git in the stage's directory.
func (s stage) git(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v, %s", args, err, out)
	}
}

// On a machine with nothing: outside of git, without a tool, a word of each.
func TestDoctorBare(t *testing.T) {
	s := newStage(t)
	s.tools(t, nil)
	d := s.doctor(t)
	if d.code != 0 || d.sum.Broken != 0 {
		t.Errorf("exit %d, %+v", d.code, d.sum)
	}
	d.want(t, "gpuci/gpuci-link", stateOK, "beside gpuci")
	d.want(t, "gpuci/own file", stateOK, "not there")
	d.want(t, "workspace/lane", stateLost, "no git worktree", "git init")
	d.want(t, "workspace/gates", stateLost, "no gpuci.toml", "gpuci init")
	d.want(t, "git/git", stateLost, "not here", "apt-get install git")
	d.want(t, "locks/directory", stateOK, s.locks, "not there yet")
	d.want(t, "tools/cc", stateOK, "not here", "apt-get install gcc")
	d.want(t, "linkers/mold", stateOK, "apt-get install mold")
	d.want(t, "linkers/shims", stateOK, "none")
	d.want(t, "kernel/pressure", stateOK, "cpu, io, memory")
	d.want(t, "kernel/triggers", stateLost, "no file of the kernel's", "CAP_SYS_RESOURCE")
	d.want(t, "card/driver", stateOK, "there is no card")
	d.want(t, "card/cards", stateOK, "no gate here needs one")
	if _, told := d.checks["workspace/records"]; told {
		t.Error("where nothing is recorded, a place for it is told")
	}
}

// What a workspace names and what is not here is lost, each with a way to it.
func TestDoctorUses(t *testing.T) {
	s := newStage(t)
	s.tools(t, map[string]string{"git": "git version 2.20.1", "go": "go version go1.26.3 linux/amd64", "make": "#!/bin/sh\necho no >&2\nexit 2\n"})
	s.git(t, "init", "-q", "-b", "trunk")
	s.write(t, "Cargo.toml", "")
	s.write(t, "go.mod", "module m")
	s.write(t, ".gitattributes", "*.bin filter=lfs diff=lfs\n")
	s.write(t, "gpuci.toml", `
[[gate]]
name = "a"
run = "make -C . x && ninja"
reader = "none"
[[gate]]
name = "b"
needs = ["gpu"]
run = ["nonesuch-tool"]
reader = "none"
`)
	d := s.doctor(t)
	if d.code != 0 {
		t.Errorf("exit %d: gates can run", d.code)
	}
	d.want(t, "git/git", stateLost, "2.20.1", "2.36 is needed", "lanes cannot be listed")
	d.want(t, "tools/bash", stateLost, "not here", "apt-get install bash")
	d.want(t, "tools/cargo", stateLost, "there is a Cargo.toml", "rustup")
	d.want(t, "tools/ninja", stateLost, "gate a names it", "ninja-build")
	d.want(t, "tools/go", stateOK, "1.26.3")
	d.want(t, "tools/make", stateBroken, "exit status 2", "no")
	d.want(t, "tools/git-lfs", stateLost, ".gitattributes", "pointers")
	d.want(t, "tools/gdb", stateLost, "kernel's stacks")
	d.want(t, "tools/nonesuch-tool", stateLost, "gate b")
	d.want(t, "tools/meson", stateOK, "not here")
	d.want(t, "cuda/nvcc", stateLost, "gate b is for a card")
	d.want(t, "card/cards", stateLost, "refused: gates b need one")
	d.want(t, "workspace/lane", stateOK, "main", s.dir)
	d.want(t, "workspace/gates", stateOK, "2 gates")
	d.want(t, "workspace/base branch", stateLost, "none found", "base =")
	d.want(t, "workspace/records", stateOK, "free", filepath.Join(s.dir, ".git/gpuci"))
	d.want(t, "workspace/history", stateOK, "none yet")
	if _, err := os.Stat(filepath.Join(s.dir, ".git/gpuci")); err == nil {
		t.Error("the directory for the records was made")
	}
}

// In a lane of git's without git, no gate can run.
func TestDoctorWithoutGit(t *testing.T) {
	s := newStage(t)
	s.git(t, "init", "-q")
	s.tools(t, nil)
	d := s.doctor(t)
	if d.code != 69 || !strings.HasPrefix(d.sum.First, "git (git): apt-get install git") {
		t.Errorf("exit %d, %+v", d.code, d.sum)
	}
	d.want(t, "git/git", stateBroken, "worktree of git's")
	if d.checks["git/git"].Exit != 69 {
		t.Errorf("%+v", d.checks["git/git"])
	}
}

// A tool that hangs, with children of its own, is named, and gone afterwards.
func TestDoctorHangingTool(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	pid := filepath.Join(s.dir, "pid")
	s.tools(t, map[string]string{"cmake": "#!/bin/sh\necho $$ >" + pid + "\n/bin/sleep 1000\n", "ninja": "1.11.1"})
	d := s.doctor(t)
	d.want(t, "tools/cmake", stateBroken, "it hangs", askTime.String())
	d.want(t, "tools/ninja", stateOK, "1.11.1")
	if d.code != 0 {
		t.Errorf("exit %d", d.code)
	}
	if err := unix.Kill(s.pid(t, "pid"), 0); err != unix.ESRCH {
		t.Errorf("it is still there: %v", err)
	}
}

// Files of the configuration: what each sets, which one goes before, and each
// mistake whole. The lock directory is looked at all the same.
func TestDoctorConfiguration(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write(t, "../home/machine.toml", "links = 3\n[build]\nwait = \"1h\"\n")
	if err := os.MkdirAll(filepath.Join(s.dir, "../home/gpuci"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write(t, "../home/gpuci/config.toml", "[build]\nwait = \"10m\"\n")
	s.write(t, "gpuci.toml", "links = 5\n[[gate]]\nname = \"g\"\nrun = [\"true\"]\nreader = \"none\"\n")
	d := s.doctor(t)
	d.want(t, "gpuci/machine file", stateOK, "links", "build.wait (config.toml:2 goes before it)", "machine.toml")
	d.want(t, "gpuci/own file", stateOK, "sets build.wait", "config.toml")
	d.want(t, "gpuci/workspace file", stateOK, "1 gate", "gpuci.toml")
	d.want(t, "gpuci/links", stateLost, "links = 5 is not taken")
	d.want(t, "locks/links", stateOK, "the machine file says 3")
	if d.code != 0 {
		t.Errorf("exit %d", d.code)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = \"g\"\nrun = [\"true\"]\nreadr = \"none\"\n")
	d = s.doctor(t)
	d.want(t, "gpuci/configuration", stateBroken, "gpuci.toml:4:1: ", `readr = "none"`, "^^^^^")
	d.want(t, "locks/links", stateOK, "the machine file says 3")
	if d.code != 78 {
		t.Errorf("a wrong workspace file: exit %d", d.code)
	}
	_, text, _ := s.run(t, "doctor")
	if !strings.Contains(text, `   4 | readr = "none"`) || !strings.Contains(text, "gates cannot run here (exit 78)") {
		t.Errorf("the mistake is not shown as it is:\n%s", text)
	}
	s.write(t, "gpuci.toml", "")
	s.env = shim.With(s.env, shim.PressureVar, "nonsense")
	if d := s.doctor(t); d.code != 78 || d.checks["gpuci/environment"].State != stateBroken {
		t.Errorf("exit %d, %+v", d.code, d.checks["gpuci/environment"])
	}
}

// A lock directory that cannot be used keeps gates from running, and so does a
// place for the records that cannot be written.
func TestDoctorUnusable(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if err := os.Mkdir(s.locks, 0o755); err != nil {
		t.Fatal(err)
	}
	d := s.doctor(t)
	d.want(t, "locks/directory", stateBroken, "its mode is 0755", s.locks)
	if d.code != 69 {
		t.Errorf("exit %d", d.code)
	}
	if err := os.Remove(s.locks); err != nil {
		t.Fatal(err)
	}
	frozen := t.TempDir()
	if err := unix.Mount("none", frozen, "tmpfs", unix.MS_RDONLY, "size=1m"); err != nil {
		needsTool(t, "the right to mount a tmpfs")
	}
	t.Cleanup(func() { _ = unix.Unmount(frozen, 0) })
	s.env = shim.With(s.env, "XDG_STATE_HOME", frozen)
	s.write(t, "gpuci.toml", "")
	d = s.doctor(t)
	d.want(t, "workspace/records", stateBroken, "read-only", "XDG_STATE_HOME")
	if d.code != 69 {
		t.Errorf("exit %d", d.code)
	}
}

// Nothing is made and nothing is left: not in the home, not in the lane, not in
// the lock directory, and no cgroup.
func TestDoctorChangesNothing(t *testing.T) {
	s := newStage(t)
	s.git(t, "init", "-q")
	s.write(t, "gpuci.toml", "[[gate]]\nname = \"g\"\nrun = [\"true\"]\nreader = \"none\"\n")
	s.write(t, "go.mod", "module m\n\ngo 1.999.0\n") // no such toolchain is looked for
	before := listing(t, filepath.Dir(s.dir))
	if code, out, stderr := s.run(t, "doctor", "-v"); code != 0 || stderr != "" || !strings.Contains(out, "gates can run here") {
		t.Fatalf("exit %d: %s%s", code, out, stderr)
	}
	if diff := cmp.Diff(before, listing(t, filepath.Dir(s.dir))); diff != "" {
		t.Errorf("before and after:\n%s", diff)
	}
}

// listing is every path below a directory, with when its content was changed.
func listing(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil {
			out = append(out, path+" "+info.ModTime().Format(time.RFC3339Nano))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The real machine: what doctor says is what a gate meets.
func TestDoctorIsTrue(t *testing.T) {
	s := newStage(t)
	s.env = shim.With(s.env, shim.PressureVar, "root="+pressure.Real)
	d := s.doctor(t)
	leaf := d.checks["kernel/cgroup leaf"]
	s.write(t, "gpuci.toml", "[[gate]]\nname = \"g\"\nrun = [\"true\"]\nreader = \"none\"\n")
	code, v, stderr := s.verdict(t)
	if code != 0 || v.Command == nil {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if held := v.Command.Supervised == "cgroup"; held != (leaf.State == stateOK) {
		t.Errorf("a gate is supervised by %q (%s), and doctor says %+v", v.Command.Supervised, v.Command.NoCgroup, leaf)
	}
	armed := true
	for _, tr := range pressure.Triggers(pressure.Real) {
		armed = armed && tr.Err == nil
	}
	if got := d.checks["kernel/triggers"].State == stateOK; got != armed {
		t.Errorf("triggers can be had: %v, and doctor says %+v", armed, d.checks["kernel/triggers"])
	}
	for name, key := range map[string]string{"git": "git/git", "cc": "tools/cc", "bash": "tools/bash", "make": "tools/make"} {
		path, err := exec.LookPath(name)
		if got := d.checks[key]; (err == nil) != (got.Path != "") || err == nil && filepath.Base(got.Path) != filepath.Base(path) {
			t.Errorf("%s is %q here, and doctor says %+v", name, path, got)
		}
	}
}
