package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/buildlock/shim"
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

// The lines are for the shell that asks, whatever $SHELL says, also in a script
// and for --unset.
func TestEnvReader(t *testing.T) {
	const lines = `gpuci env > set; gpuci env --unset > unset`
	for name, c := range map[string]struct {
		login string
		argv  []string
		want  string
	}{
		"bash under fish": {"/usr/bin/fish", []string{"bash", "--norc", "-c", lines + "; true"}, "export PATH="},
		"sh under tcsh":   {"/bin/tcsh", []string{"sh", "-c", lines + "; true"}, "export PATH="},
		"zsh under nu":    {"/usr/bin/nu", []string{"zsh", "-fc", lines + "; true"}, "export PATH="},
		"fish under bash": {"/bin/bash", []string{"fish", "--no-config", "-c", lines}, "set -gx PATH "},
		"a script":        {"/usr/bin/fish", []string{"./script"}, "export PATH="},
		"no shell":        {"/usr/bin/fish", []string{"timeout", "60", "gpuci", "env"}, "set -gx PATH "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShellStage(t, c.argv[0])
			s.write(t, "script", "#!/bin/sh\n"+lines+"\n")
			if err := os.Chmod(filepath.Join(s.dir, "script"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(c.argv[0], c.argv[1:]...)
			cmd.Dir, cmd.Env = s.dir, append(s.env, "SHELL="+c.login)
			code, stdout, stderr := runCommand(t, cmd)
			set, _ := os.ReadFile(filepath.Join(s.dir, "set"))
			if code != 0 || !strings.Contains(stdout+string(set), c.want) {
				t.Errorf("exit %d, %s, %s", code, set, stderr)
			}
			if unset, err := os.ReadFile(filepath.Join(s.dir, "unset")); err == nil && string(unset) != "" {
				t.Errorf("--unset changes what nobody changed: %s", unset)
			}
		})
	}
}

// Who does not ask from a shell gets what $SHELL names.
func TestEnvLogin(t *testing.T) {
	s := newStage(t)
	for login, want := range map[string]string{"/usr/bin/fish": "set -gx PATH", "/bin/bash": "export PATH=", "/bin/zsh-5.9": "export PATH=", "/bin/dash": "export PATH=", "": "export PATH="} {
		s.env = append(s.env, "SHELL="+login)
		if code, stdout, stderr := s.run(t, "env"); code != 0 || !strings.Contains(stdout, want) || strings.Contains(stdout, "GPUCI_LINK_LOG") {
			t.Errorf("SHELL=%s: exit %d, %s%s", login, code, stdout, stderr)
		}
	}
}

func TestShellFor(t *testing.T) {
	for _, c := range []struct{ flag, parent, login, want string }{
		{"fish", "/bin/bash", "/bin/bash", "fish"}, {"direnv", "/bin/bash", "", "direnv"},
		{"", "/bin/bash", "/usr/bin/fish", "bash"}, {"", "/usr/bin/fish", "/bin/bash", "fish"},
		{"", "/usr/bin/ksh93", "", "ksh"}, {"", "/usr/bin/make", "/bin/zsh-5.9", "zsh"},
		{"", "/bin/busybox", "/bin/tcsh", "busybox"}, {"", "/usr/bin/python3.11", "", "sh"},
		{"", "", "", "sh"},
		{"", "/bin/tcsh", "/bin/bash", ""}, {"", "/usr/bin/nu", "/bin/bash", ""}, {"", "/usr/bin/make", "/bin/csh", ""}, {"cmd.exe", "/bin/bash", "/bin/bash", ""},
	} {
		got, err := shellFor(c.flag, c.parent, c.login)
		if got.name != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %q, %v", c, got.name, err)
		}
	}
}

// A gpuci env that fails stops the script that evaluates it.
func TestEnvFails(t *testing.T) {
	s := newShellStage(t, "bash")
	s.env = append(s.env, "SHELL=/bin/tcsh")
	s.write(t, "file", "")
	unfit := s
	unfit.env = append(append([]string{}, s.env...), "GPUCI_LOCK_DIR="+filepath.Join(s.dir, "file"))
	for _, c := range []struct {
		stage stage
		args  []string
		code  int
	}{{s, []string{"env"}, 64}, {s, []string{"env", "--shell", "cmd.exe"}, 64}, {s, []string{"env", "extra"}, 64}, {s, []string{"env", "--bogus"}, 64}, {unfit, []string{"env", "--shell", "sh"}, 69}} {
		if code, stdout, stderr := c.stage.run(t, c.args...); code != c.code || stdout != "false\n" || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%q: exit %d, %q, %s", c.args, code, stdout, stderr)
		}
		cmd := exec.Command("bash", "--norc", "-c", `set -e; eval "$(gpuci `+strings.Join(c.args, " ")+`)"; echo went on`)
		if c.code == 64 && len(c.args) == 1 {
			continue // bash is a shell that it has lines for
		}
		cmd.Dir, cmd.Env = s.dir, c.stage.env
		if code, stdout, _ := runCommand(t, cmd); code == 0 || stdout != "" {
			t.Errorf("%q: the script went on: exit %d, %s", c.args, code, stdout)
		}
	}
}

// Where the CUDA toolkit is goes into a shell with the shims, and out with them.
func TestEnvCUDA(t *testing.T) {
	s := newShellStage(t, "bash")
	if err := os.MkdirAll(filepath.Join(s.dir, "cuda", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write(t, "cuda/bin/nvcc", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(s.dir, "cuda/bin/nvcc"), 0o755); err != nil {
		t.Fatal(err)
	}
	path, _ := shim.Lookup(s.env, "PATH")
	s.env = append(shim.Without(shim.Without(s.env, "CUDA_HOME"), "CUDA_PATH"), "PATH="+s.dir+"/cuda/bin:"+path)
	cmd := exec.Command("bash", "--norc", "-euc", `for i in 1 2; do eval "$(gpuci env)"; echo "$CUDA_HOME"; done; eval "$(gpuci env --unset)"; echo "${CUDA_HOME-none}"`)
	cmd.Dir, cmd.Env = s.dir, s.env
	code, stdout, stderr := runCommand(t, cmd)
	if want := s.dir + "/cuda\n" + s.dir + "/cuda\nnone\n"; code != 0 || stdout != want {
		t.Errorf("exit %d, %q, want %q, %s", code, stdout, want, stderr)
	}
}

// newShellStage is a stage with gpuci on PATH, behind an odd directory, and a
// workspace that says how long a link waits.
func newShellStage(t *testing.T, tool string) stage {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil && !strings.Contains(tool, "/") {
		needsTool(t, tool)
	}
	s := newStage(t)
	odd := filepath.Join(s.dir, `it's a "$HOME" \ dir`)
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = append(shim.Without(s.env, shim.GoFlagsVar), "PATH="+odd+":"+filepath.Dir(s.command(t).Path)+":"+os.Getenv("PATH"))
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
	if !shim.IsShims(shims) || rest != before["PATH"] {
		t.Errorf("PATH is %s", after["PATH"])
	}
	if after["COMPILER_PATH"] != shims || after["GPUCI_WAIT"] != "7m0s" {
		t.Errorf("COMPILER_PATH is %q, GPUCI_WAIT %q", after["COMPILER_PATH"], after["GPUCI_WAIT"])
	}
	if _, err := exec.LookPath("go"); err == nil && after["GOFLAGS"] != "-toolexec="+shims+"/"+shim.ProgramName {
		t.Errorf("GOFLAGS is %q", after["GOFLAGS"])
	}
	if _, has := after["GPUCI_LINK_LOG"]; has {
		t.Error("somebody is said to watch the links of a shell")
	}
}
