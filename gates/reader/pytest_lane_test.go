package reader

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// twoLanes makes a repository of two worktrees, a clone of it beside them, and a
// module in each.
func twoLanes(t *testing.T) (here, other, clone string) {
	t.Helper()
	need(t, "git")
	top := t.TempDir()
	here, other, clone = filepath.Join(top, "here"), filepath.Join(top, "other"), filepath.Join(top, "clone")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	git("init", "-q", here)
	for name, text := range map[string]string{
		"src/answers.py": "answer = 42\n",
		"test_it.py":     "import answers\n\ndef test_it():\n    assert answers.answer == 42\n",
		".gitignore":     "__pycache__\n.pytest_cache\n",
	} {
		file := filepath.Join(here, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("-C", here, "add", "-A")
	git("-C", here, "commit", "-qm", "x")
	git("-C", here, "worktree", "add", "-q", "-b", "side", other)
	git("clone", "-q", here, clone)
	return here, other, clone
}

// A path file is what `pip install -e` leaves in an environment: here it is in
// PYTHONPATH, which is read the same way.
func TestPytestOfAnotherLane(t *testing.T) {
	need(t, "pytest")
	here, other, clone := twoLanes(t)
	for _, tt := range []struct {
		name, lib, args string
		want
	}{
		{"its own", here, "", want{}},
		{"another lane's", other, "", want{says: []string{"the tests ran another lane's module: " + other + "/src/answers.py, of lane other (" + other + ")"}}},
		{"another repository's", clone, "", want{}},
		{"another lane's by workers", other, "xdist", want{says: []string{"the tests ran another lane's module: " + other}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			argv := []string{"python3", "-m", "pytest", "-q"}
			if tt.args != "" {
				needModule(t, tt.args)
				argv = append(argv, "-n", "2")
			}
			env := []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=" + filepath.Join(tt.lib, "src")}
			r, c, err := Prepare("pytest", Command{Argv: argv, Env: env, Dir: here, Scratch: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			stdout, stderr := outputOf(t, here, c.Env, c.Argv...)
			w := tt.want
			w.Counts = Counts{Passed: 1, Suites: 1}
			holds(t, r, stdout, stderr, w)
		})
	}
}

func TestPytestNotInstalled(t *testing.T) {
	need(t, "python3")
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if out, err := exec.CommandContext(t.Context(), "python3", "-m", "venv", "--without-pip", empty).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	python := filepath.Join(empty, "bin", "python3")
	r, c, err := Prepare("pytest", Command{Argv: []string{python, "-m", "pytest"}, Dir: dir, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := outputOf(t, dir, c.Env, c.Argv...)
	feed(r, Stderr, stderr)
	holds(t, r, stdout, stderr, want{says: []string{"the module pytest is not installed for this Python: " + python + " -m pip install pytest"}})
}

func TestMissingModule(t *testing.T) {
	for line, want := range map[string]string{
		"/usr/bin/python3: No module named pytest":                         "/usr/bin/python3 -m pip install pytest",
		"python: No module named pytest.__main__; 'pytest' is a package":   "",
		"E   ModuleNotFoundError: No module named 'numpy'":                 "python3 -m pip install numpy",
		"ModuleNotFoundError: No module named 'google.protobuf'":           "python3 -m pip install google",
		"ModuleNotFoundError: No module named 'gpuci_pytest'":              "shell string",
		"my test says: No module named pytest":                             "",
		"E   ModuleNotFoundError: No module named 'x'; it said: see below": "",
		"bash: line 1: pytest: command not found":                          "pytest is not installed, or not on PATH: python3 -m pip install pytest",
		"bash: make: command not found":                                    "",
		"":                                                                 "",
	} {
		got := missingModule([]byte(line))
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("of %q it says %q, want %q in it", line, got, want)
		}
	}
}
