package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/buildlock/links"
)

// Real shells read what `gpuci env` prints: the shims are in front, a second
// time changes nothing, and --unset leads back to where it began. PATH has a
// directory whose name needs every kind of quoting.
func TestEnvShells(t *testing.T) {
	const bourne = `env -0 > a; eval "$(gpuci env --shell $1)"; env -0 > b; eval "$(gpuci env --shell $1)"; env -0 > c
command -v cc > where; eval "$(gpuci env --unset --shell $1)"; env -0 > d`
	const fish = `env -0 > a; gpuci env --shell fish | source; env -0 > b; gpuci env --shell fish | source; env -0 > c
command -v cc > where; gpuci env --unset --shell fish | source; env -0 > d`
	for name, argv := range map[string][]string{
		"bash": {"bash", "--norc", "-euc", bourne, "x", "bash"},
		"zsh":  {"zsh", "-fec", bourne, "x", "zsh"},
		"sh":   {"sh", "-euc", bourne, "x", "sh"},
		"fish": {"fish", "--no-config", "-c", fish},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShellStage(t, argv[0])
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir, cmd.Env = s.dir, s.env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			a, b, c, d := s.environment(t, "a"), s.environment(t, "b"), s.environment(t, "c"), s.environment(t, "d")
			if diff := cmp.Diff(b, c); diff != "" {
				t.Errorf("a second time changes something: %s", diff)
			}
			if diff := cmp.Diff(a, d); diff != "" {
				t.Errorf("--unset does not lead back: %s", diff)
			}
			s.inFront(t, a, b)
			where, _ := os.ReadFile(filepath.Join(s.dir, "where"))
			if first, _, _ := strings.Cut(b["PATH"], ":"); strings.TrimSpace(string(where)) != filepath.Join(first, "cc") {
				t.Errorf("cc is found at %s", where)
			}
		})
	}
}

// direnv reads it in an .envrc, beside what the .envrc does to PATH itself.
func TestEnvDirenv(t *testing.T) {
	s := newShellStage(t, "direnv")
	s.env = append(s.env, "GIT_CEILING_DIRECTORIES="+s.dir, "DIRENV_LOG_FORMAT=")
	if err := os.Mkdir(filepath.Join(s.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	line := `eval "$(gpuci env --shell direnv)"` + "\n"
	s.write(t, ".envrc", "PATH_add bin\n"+line+line)
	for _, argv := range [][]string{{"direnv", "allow", "."}, {"direnv", "exec", ".", "sh", "-c", "env -0 > b"}} {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = s.dir, s.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", argv, err, out)
		}
	}
	a := make(map[string]string)
	for _, e := range s.env {
		name, value, _ := strings.Cut(e, "=")
		a[name] = value
	}
	a["PATH"] = filepath.Join(s.dir, "bin") + ":" + a["PATH"]
	s.inFront(t, a, s.environment(t, "b"))
	if code, _, stderr := s.run(t, "env", "--unset", "--shell", "direnv"); code != 64 || !strings.Contains(stderr, ".envrc") {
		t.Errorf("--unset: exit %d, %s", code, stderr)
	}
}

// The shell is told from $SHELL; one we have no lines for is an error.
func TestEnvGuess(t *testing.T) {
	s := newStage(t)
	for shell, want := range map[string]string{"/usr/bin/fish": "set -gx PATH", "/bin/bash": "export PATH=", "/bin/dash": "export PATH=", "": "export PATH="} {
		s.env = append(s.env, "SHELL="+shell)
		if code, stdout, stderr := s.run(t, "env"); code != 0 || !strings.Contains(stdout, want) || strings.Contains(stdout, "GPUCI_LINK_LOG") {
			t.Errorf("SHELL=%s: exit %d, %s%s", shell, code, stdout, stderr)
		}
	}
	s.env = append(s.env, "SHELL=/bin/tcsh")
	for _, args := range [][]string{{"env"}, {"env", "--shell", "cmd.exe"}, {"env", "extra"}} {
		if code, stdout, stderr := s.run(t, args...); code != 64 || stdout != "" || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%q: exit %d, %q, %s", args, code, stdout, stderr)
		}
	}
}

// newShellStage is a stage with gpuci on PATH, behind an odd directory, and a
// workspace that says how long a link waits.
func newShellStage(t *testing.T, tool string) stage {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		needsTool(t, tool)
	}
	s := newStage(t)
	odd := filepath.Join(s.dir, `it's a "$HOME" \ dir`)
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+odd+":"+filepath.Dir(s.command(t).Path)+":"+os.Getenv("PATH"))
	s.write(t, "gpuci.toml", "build.wait = '7m'\n")
	return s
}

// environment reads what `env -0` wrote, less what shells change by themselves.
func (s stage) environment(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for _, e := range strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00") {
		key, value, _ := strings.Cut(e, "=")
		out[key] = value
	}
	for _, key := range []string{"_", "SHLVL", "PWD", "OLDPWD"} {
		delete(out, key)
	}
	return out
}

// inFront fails unless after is before with the shims in front.
func (s stage) inFront(t *testing.T, before, after map[string]string) {
	t.Helper()
	shims, rest, _ := strings.Cut(after["PATH"], ":")
	if !links.IsShims(shims) || rest != before["PATH"] {
		t.Errorf("PATH is %s", after["PATH"])
	}
	if after["COMPILER_PATH"] != shims || after["GPUCI_WAIT"] != "7m0s" {
		t.Errorf("COMPILER_PATH is %q, GPUCI_WAIT %q", after["COMPILER_PATH"], after["GPUCI_WAIT"])
	}
	if _, has := after["GPUCI_LINK_LOG"]; has {
		t.Error("somebody is said to watch the links of a shell")
	}
}
