package reader

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pyCase is one run of pytest in the directory of testdata/pytest.txtar.
type pyCase struct {
	name, args string
	needs      string // a module besides pytest
	text       want   // from what it prints
	plugin     want   // from what the plugin writes
}

// both is for runs that are counted alike, by names in this order.
func both(name, args string, w want) pyCase {
	return pyCase{name: name, args: args, text: w, plugin: w}
}

// needModule skips a test where the Python of pytest lacks a module.
func needModule(t *testing.T, module string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "python3", "-c", "import "+module).CombinedOutput()
	if err == nil {
		return
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatalf("needs %s for python3: %v: %s", module, err, out)
	}
	t.Skipf("needs %s for python3", module)
}

func TestPytestOnRealPytest(t *testing.T) {
	need(t, "pytest")
	dir := project(t, "testdata/pytest.txtar")
	ended := []string{"a session of pytest began and"}
	xpass := []string{"1 test passed though marked xfail"}
	names := []string{"mix/test_mix.py::test_fail", "mix/test_mix.py::test_strict", "mix/test_mix.py::test_setup", "mix/test_mix.py::test_teardown"}
	mix := Counts{Passed: 3, Failed: 4, Ignored: 2, Suites: 1, FailedNames: names}
	three := want{Counts: Counts{Passed: 3, Suites: 1}}
	cases := []pyCase{
		both("passing", "ok", three),
		both("passing -v", "-v ok", three),
		both("passing -q", "-q ok", three),
		both("passing in colour", "--color=yes -v ok", three),
		both("mixed", "mix", want{Counts: mix, remarks: xpass}),
		both("mixed -q", "-q mix", want{Counts: mix, remarks: xpass}),
		both("first failure", "-x mix", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: names[:1]}}),
		both("selected", "-k test_a ok mix", want{Counts: Counts{Passed: 1, Filtered: 10, Suites: 1}}),
		both("none selected", "-k nothing ok", want{Counts: Counts{Filtered: 3, Suites: 1}}),
		both("no tests", "stops/none", want{Counts: Counts{Suites: 1}}),
		both("listed", "--co ok", want{Counts: Counts{Suites: 1}}),
		both("listed -q", "--co -q ok", want{Counts: Counts{Suites: 1}}),
		both("no import", "bad", want{Counts: Counts{Failed: 1, Suites: 1, FailedNames: []string{"bad/test_bad.py"}}}),
		both("no import, going on", "--continue-on-collection-errors bad", want{
			Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"bad/test_bad.py"}}}),
		both("a module skipped", "mod ok", want{Counts: Counts{Passed: 3, Ignored: 1, Suites: 1}}),
		both("usage", "--no-such-option", want{}),
		both("nested", "nested", want{Counts: Counts{Passed: 2, Suites: 1}}),
		both("nested aloud", "-s nested", want{Counts: Counts{Passed: 2, Suites: 1}}),
		both("exits", "exits", want{says: ended}),
		both("exits aloud", "-s -v exits", want{says: ended}),
		{name: "forks", args: "forks", plugin: want{Counts: Counts{Passed: 2, Suites: 1}}, // the child goes on to the end too
			text: want{Counts: Counts{Passed: 2, Suites: 1}, says: []string{"sums of pytest stand outside"}}},
		{name: "nested quietly", args: "-q -s nested", plugin: want{Counts: Counts{Passed: 2, Suites: 1}},
			text: want{Counts: Counts{Passed: 6, Suites: 2}, says: []string{"sums 2 times without a bar"}}},
		{name: "very quiet", args: "-qq ok", plugin: three},
		{name: "no terminal", args: "-p no:terminal ok", plugin: three},
		{name: "a tale and exit 0", args: "-s tale", plugin: want{says: ended}, text: want{Counts: Counts{Passed: 1, Suites: 1}}},
		{name: "stops", args: "stops", plugin: want{Counts: Counts{Passed: 1, Suites: 1}, says: []string{"pytest ended before 2 tests"}},
			text: want{says: []string{"no sums account for its tests"}}},
		{name: "drops", args: "drops", plugin: want{Counts: Counts{Passed: 1, Suites: 1}, says: []string{"pytest ended before 1 test"}},
			text: want{says: []string{"or a plugin drops tests"}}},
		{name: "thins out", args: "thins", plugin: want{Counts: Counts{Passed: 1, Suites: 1}, says: []string{"pytest collected 2 tests that nobody ran or deselected, such as thins/test_thins.py::test_three, thins/test_thins.py::test_two: "}},
			text: want{says: []string{"or a plugin drops tests"}}},
		{name: "thins out all", args: "thinsall", plugin: want{Counts: Counts{Suites: 1}, says: []string{"pytest collected 1 test that"}},
			text: want{says: []string{"or a plugin drops tests"}}},
		both("thins out and says it", "excuses", want{Counts: Counts{Passed: 1, Filtered: 1, Suites: 1}}),
		{name: "workers thin out", args: "-n 2 thins", needs: "xdist",
			plugin: want{Counts: Counts{Passed: 1, Suites: 1}, says: []string{"pytest collected 2 tests that"}},
			text:   want{Counts: Counts{Passed: 1, Suites: 1}}},
		{name: "workers in groups", args: "-n 2 --dist loadgroup ok", needs: "xdist", plugin: three, text: three},
		{name: "subtests", args: "sub", needs: "_pytest.subtests",
			plugin: want{Counts: Counts{Passed: 1, Failed: 2, Suites: 1, FailedNames: []string{"sub/test_sub.py::test_parts"}}},
			text:   want{Counts: Counts{Passed: 1, Failed: 2, Suites: 1, FailedNames: []string{"sub/test_sub.py::test_parts"}}}},
		{name: "workers", args: "-n 2 ok", needs: "xdist", plugin: three, text: three},
		{name: "workers, none selected", args: "-n 2 -k nothing ok", needs: "xdist",
			plugin: want{Counts: Counts{Suites: 1}}, text: want{Counts: Counts{Suites: 1}}},
		{name: "a worker dies", args: "-n 2 crash", needs: "xdist",
			plugin: want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"crash/test_crash.py::test_dies"}}},
			text:   want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"crash/test_crash.py::test_dies"}}}},
		{name: "again", args: "--reruns 1 flaky", needs: "pytest_rerunfailures",
			plugin: want{Counts: Counts{Passed: 1, Suites: 1}, remarks: []string{"flaky: pytest ran 1 time again"}},
			text:   want{Counts: Counts{Passed: 1, Suites: 1}, remarks: []string{"flaky: pytest ran 1 time again"}}},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			if tt.needs != "" {
				needModule(t, tt.needs)
			}
			args := append([]string{"-p", "no:randomly"}, strings.Fields(tt.args)...)
			stdout, stderr := outputOf(t, dir, []string{"PYTHONDONTWRITEBYTECODE=1"}, append([]string{"pytest"}, args...)...)
			check(t, "pytest", stdout, stderr, tt.text)
			checkPlugin(t, dir, args, tt.plugin)
		})
	}
}

// checkPlugin runs pytest as Prepare says and counts by the plugin alone: what
// is printed tells tales.
func checkPlugin(t *testing.T, dir string, args []string, w want) {
	t.Helper()
	user := filepath.Join(dir, "user.xml")
	_ = os.Remove(user)
	r, c, err := Prepare("pytest", Command{
		Argv: append([]string{"pytest"}, args...), Env: []string{"PYTHONDONTWRITEBYTECODE=1"}, Dir: dir, Scratch: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := outputOf(t, dir, c.Env, c.Argv...)
	began := strings.Contains(string(stdout), "test session starts") || w.Suites > 0
	if began {
		feed(r, Stdout, []byte("=== test session starts ===\ncollected 9 items\n=== 9 passed in 0.01s ===\n8 passed in 0.01s\n"))
	}
	holds(t, r, stdout, stderr, w)
	if _, err := os.Stat(user); err != nil && w.Suites > 0 {
		t.Errorf("the user's own --junitxml was not written: %v", err)
	}
}

// A gate's own PYTHONPATH stays in front, and its argv is not changed in place.
func TestPytestKeepsThePath(t *testing.T) {
	need(t, "pytest")
	dir := project(t, "testdata/pytest.txtar")
	argv := []string{"python3", "-B", "-m", "pytest", "path"}
	r, c, err := Prepare("pytest", Command{Argv: argv, Env: []string{"PYTHONPATH=x", "PYTHONPATH=lib"}, Dir: dir, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := outputOf(t, dir, c.Env, c.Argv...)
	holds(t, r, stdout, stderr, want{Counts: Counts{Passed: 1, Suites: 1}})
	if strings.Join(argv, " ") != "python3 -B -m pytest path" {
		t.Errorf("the command line became %q", argv)
	}
}
