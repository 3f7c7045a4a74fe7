package reader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The orders of lines that pytest's comment speaks of, as far as no real pytest
// makes them on demand.
func TestPytestOrders(t *testing.T) {
	start := "============ test session starts ============\n"
	two, three := "collected 2 items\n", "collected 3 items\n"
	passed := func(n string) string { return "======= " + n + " passed in 0.01s =======\n" }
	ok2 := Counts{Passed: 2, Suites: 1}
	for _, tt := range []struct {
		name, stdout, stderr string
		want
	}{
		{"nothing", "", "", want{}},
		{"no harness", "hello\n=== section ===\n=========\n= =\n!!! oh !!!\n3 passed\n", "", want{}},
		{"on stderr", "", start + two + passed("2"), want{}},
		{"sums alone", passed("2"), "", want{says: []string{"outside of any session"}}},
		{"no sums", start + two, "", want{says: []string{"no sums account"}}},
		{"too few", start + two + passed("1"), "", want{says: []string{"no sums account"}}},
		{"too many", start + two + passed("3"), "", want{says: []string{"no sums account"}}},
		{"sums of a tale first", start + two + passed("3") + passed("2"), "", want{Counts: ok2}},
		{"a session in a session", start + two + start + three + passed("3") + passed("2"), "", want{Counts: ok2}},
		{"a session cut off in a session", start + two + start + three + passed("2"), "", want{Counts: ok2}},
		{"a session of the same size", start + two + start + two + passed("2"), "", want{says: []string{"no sums account"}}},
		{"glued to points", start + two + "t.py ..." + start + three + passed("3") + passed("2"), "", want{Counts: ok2}},
		{"two sessions", start + two + passed("2") + start + three + passed("3"), "", want{Counts: Counts{Passed: 5, Suites: 2}}},
		{"bare sums in a session", start + two + "7 passed in 0.01s\n" + passed("2"), "", want{Counts: ok2}},
		{"bare", "..  [100%]\n2 passed in 0.01s\n", "", want{Counts: ok2}},
		{"bare twice", "2 passed in 0.01s\n3 passed in 0.01s\n", "", want{Counts: ok2, says: []string{"2 times without a bar"}}},
		{"bare and not", start + three + passed("3") + "2 passed in 0.01s\n", "", want{Counts: Counts{Passed: 5, Suites: 2}, says: []string{"some sums of pytest are in a bar"}}},
		{"bare and stopped", "!!!!! _pytest.outcomes.Exit: x !!!!!\n1 passed in 0.01s\n", "", want{Counts: Counts{Passed: 1, Suites: 1}, says: []string{"pytest stopped (_pytest.outcomes.Exit: x)"}}},
		{"stopped at a failure", start + three + "!!!! stopping after 1 failures !!!!\n=== 1 failed, 1 passed in 0.01s ===\n", "", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1}}},
		{"a long run", start + two + "=== 2 passed, 1 warning, 4 subtests passed in 61.20s (0:01:01) ===\n", "", want{Counts: ok2}},
		{"a plugin's word", start + two + "=== 2 passed, 1 re-run_later in 0.01s ===\n", "", want{Counts: ok2}},
		{"only a plugin's word", start + two + "=== 2 elephants in 0.01s ===\n", "", want{says: []string{"no sums account"}}},
		{"no time", start + two + "=== 2 passed in a moment ===\n", "", want{says: []string{"no sums account"}}},
		{"an old xdist", start + "gw0 [2] / gw1 [2]\n" + passed("2"), "", want{Counts: ok2}},
		{"errors of clean-up", start + two + "=== 2 passed, 2 errors in 0.01s ===\n", "", want{Counts: Counts{Passed: 2, Failed: 2, Suites: 1}}},
		{"names", start + two + "=== short test summary info ===\nFAILED a.py::b - assert 0\nERROR a.py::c\nSUBFAILED x\n=== 1 failed, 1 error in 0.01s ===\n", "", want{
			Counts: Counts{Failed: 2, Suites: 1, FailedNames: []string{"a.py::b", "a.py::c"}}}},
		{"failures of a tale", start + two + "=== 9 failed in 0.01s ===\n" + passed("2"), "", want{Counts: Counts{Failed: 9, Suites: 1}, says: []string{"outside of any session"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "pytest", []byte(tt.stdout), []byte(tt.stderr), tt.want)
		})
	}
}

func TestPytestArgs(t *testing.T) {
	for in, want := range map[string]string{
		"pytest":                                "pytest +",
		"/v/bin/pytest -q a":                    "/v/bin/pytest + -q a",
		"py.test a":                             "py.test + a",
		"python -m pytest a":                    "python -m pytest + a",
		"/v/bin/python3.11 -mpytest a":          "/v/bin/python3.11 -mpytest + a",
		"python -Bm pytest":                     "python -Bm pytest +",
		"python -u -W error -X dev -m pytest":   "python -u -W error -X dev -m pytest +",
		"python -Werror -Ximporttime -m pytest": "python -Werror -Ximporttime -m pytest +",
		"uv run pytest a":                       "uv run pytest + a",
		"poetry run python -m pytest":           "poetry run python -m pytest +",
		"uv run --with x pytest":                "uv run --with x pytest",
		"uv pip install pytest":                 "uv pip install pytest",
		"python -I -m pytest":                   "python -I -m pytest",
		"python -sE -m pytest":                  "python -sE -m pytest",
		"python -c pytest":                      "python -c pytest",
		"python -m tox":                         "python -m tox",
		"python -m":                             "python -m",
		"python run.py -m pytest":               "python run.py -m pytest",
		"python":                                "python",
		"bash -c pytest":                        "bash -c pytest",
		"":                                      "",
	} {
		argv := strings.Fields(in)
		scratch := t.TempDir()
		_, c, err := Prepare("pytest", Command{Argv: argv, Scratch: scratch})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Replace(strings.Join(c.Argv, " "), "-p gpuci_pytest", "+", 1)
		if got != want {
			t.Errorf("Prepare of %q gave %q, want %q", in, got, want)
		}
		plugged := strings.Contains(want, "+")
		if plugged != (strings.Join(c.Env, " ") == "PYTHONPATH="+scratch) || !plugged && len(c.Env) > 0 {
			t.Errorf("Prepare of %q gave the environment %q", in, c.Env)
		}
	}
	for _, scratch := range []string{"", "/a:b"} {
		if _, c, err := Prepare("pytest", Command{Argv: []string{"pytest"}, Scratch: scratch}); err != nil || len(c.Argv) != 1 {
			t.Errorf("with scratch %q: %q, %v", scratch, c.Argv, err)
		}
	}
	if _, _, err := Prepare("pytest", Command{Argv: []string{"pytest"}, Scratch: filepath.Join(t.TempDir(), "gone")}); err == nil {
		t.Error("a plugin that cannot be written is no error")
	}
}

func TestPytestReport(t *testing.T) {
	begin, test := `{"event": "begin"}`+"\n", `{"event": "test", "name": "a.py::b"}`+"\n"
	end := `{"event": "end", "sums": {"passed": 2, "failed": 1, "errors": 0, "skipped": 1, "xfailed": 1, "xpassed": 0, "deselected": 4, "rerun": 0}, "failed": ["a.py::c"], "missing": 0}` + "\n"
	whole := Counts{Passed: 2, Failed: 1, Ignored: 2, Filtered: 4, Suites: 1, FailedNames: []string{"a.py::c"}}
	for _, tt := range []struct {
		name, report string
		want
	}{
		{"whole", begin + test + end, want{Counts: whole}},
		{"no end", begin + test, want{says: []string{"never ended (the last one to begin was a.py::b)"}}},
		{"no test", begin, want{says: []string{"began and never ended: a test"}}},
		{"cut off", begin + test + end[:20], want{says: []string{"damaged"}}},
		{"not ours", begin + "hello\n", want{says: []string{"damaged"}}},
		{"an endless line", begin + strings.Repeat(" ", maxEvent+1), want{says: []string{"damaged", "never ended"}}},
		{"one end too many", begin + end + end, want{Counts: Counts{Passed: 4, Failed: 2, Ignored: 4, Filtered: 8, Suites: 2, FailedNames: []string{"a.py::c", "a.py::c"}}, says: []string{"never ended"}}},
		{"no sums", begin + `{"event": "end"}`, want{Counts: Counts{Suites: 1}}},
		{"sums below zero", begin + `{"event": "end", "sums": {"passed": -1, "failed": -5}}`, want{says: []string{"damaged"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "report")
			if err := os.WriteFile(file, []byte(tt.report), 0o600); err != nil {
				t.Fatal(err)
			}
			holds(t, &pytest{report: file}, []byte(tt.report), nil, tt.want)
		})
	}
	r := &pytest{report: filepath.Join(t.TempDir(), "gone")}
	feed(r, Stdout, []byte("2 passed in 0.01s\n"))
	holds(t, r, nil, nil, want{Counts: Counts{Passed: 2, Suites: 1}})
}

func FuzzPytest(f *testing.F) {
	f.Add("=== test session starts ===\ncollected 3 items / 1 deselected / 2 selected\n=== short test summary info ===\nFAILED a - b\n!!! x !!!\n=== 1 failed, 1 passed in 0.01s ===\n", "")
	f.Add("x === test session starts ===\n2 workers [3 items]\n1 passed in 0.01s\n=== 2/5 tests collected (3 deselected) in 0.01s ===\n", `{"event":"begin"}`+"\n"+`{"event":"end","sums":{"passed":1}}`)
	f.Fuzz(func(t *testing.T, stdout, report string) {
		r := &pytest{}
		feed(r, Stdout, []byte(stdout))
		checkCounts(t, r.Counts(), strings.Count(stdout, " in ")+strings.Count(stdout, sessionStarts))
		c, ok := countPyEvents(strings.NewReader(report), func(string) string { return "" })
		checkCounts(t, c, strings.Count(report, "end"))
		if !ok && cmp.Diff(Counts{}, c) != "" {
			t.Fatalf("counts %+v of a session that never began", c)
		}
	})
}
