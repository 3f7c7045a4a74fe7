package reader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCTestOnRealCTest(t *testing.T) {
	need(t, "cmake")
	need(t, "ctest")
	dir := project(t, "testdata/ctest.txtar")
	build := filepath.Join(dir, "build")
	if out, err := outputOf(t, dir, nil, "cmake", "-S", ".", "-B", build); !strings.Contains(string(out), "Build files have been written") {
		t.Fatalf("cmake: %s%s", out, err)
	}
	some := want{Counts: Counts{Passed: 2, Failed: 1, Ignored: 1, Suites: 1, FailedNames: []string{"closes"}}}
	all := want{Counts: Counts{Passed: 3, Failed: 10, Ignored: 2, Suites: 1,
		FailedNames: []string{"closes", "absent", "crashes", "fixture", "depends", "quiet", "nested", "torn", "same", "twice"}}}
	for _, tt := range []struct {
		name, args string
		want
	}{
		{"all", "", all},
		{"in parallel", "-j4", all},
		{"aloud", "-V", all},
		{"some", "-R opens|closes|off|inverted", some},
		{"some, progress", "--progress -R opens|closes|off|inverted", some},
		{"some, failures aloud", "--output-on-failure -R opens|closes|off|inverted", some},
		{"a long name", "-R longer", want{Counts: Counts{Passed: 1, Suites: 1}}},
		{"skipped only", "-R skips", want{Counts: Counts{Ignored: 1, Suites: 1}}},
		{"disabled only", "-R off", want{Counts: Counts{Ignored: 1, Suites: 1}}},
		{"none", "-R nothing", want{Counts: Counts{Suites: 1}}},
		{"none, an error", "-R nothing --no-tests=error", want{Counts: Counts{Suites: 1}}},
		{"listed", "-N", want{Counts: Counts{Suites: 1}}},
		{"quiet", "-Q -R opens", want{}},
		{"the first failure", "--stop-on-failure -R opens|closes|inverted", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"closes"}}}},
		{"repeated until one fails", "--repeat until-fail:3 -R opens|inverted", want{Counts: Counts{Passed: 2, Suites: 1}}},
		{"repeated until one passes", "--repeat until-pass:3 -R twice|closes", want{
			Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"closes"}}, remarks: []string{"flaky: 1 test passed after a failure, such as twice"}}},
		{"nested", "--output-on-failure -R nested|opens", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"nested"}}}},
		{"nested and cut off", "--output-on-failure -R torn|opens", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"torn"}}}},
		{"a tale", "--output-on-failure -R same|opens", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"same"}},
			says: []string{"two tests by the number of opens"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_ = os.Remove(filepath.Join(build, "ran"))
			stdout, stderr := outputOf(t, build, nil, append([]string{"ctest"}, strings.Fields(tt.args)...)...)
			check(t, "ctest", stdout, stderr, tt.want)
		})
	}
}

// The orders of lines that ctest's comment speaks of, without CMake.
func TestCTestOrders(t *testing.T) {
	start, end := "Test project /b\n", "\n100% tests passed, 0 tests failed out of 1\n\nTotal Test time (real) =   0.01 sec\n"
	one := "1/1 Test #1: a ...   Passed    0.01 sec\n"
	ok := Counts{Passed: 1, Suites: 1}
	for _, tt := range []struct {
		name, stdout, stderr string
		want
	}{
		{"nothing", "", "", want{}},
		{"on stderr", "", start + one + end, want{}},
		{"no summary", start + one, "", want{says: []string{"ctest ran 1 test and never said"}}},
		{"another summary", start + one + strings.Replace(end, "of 1", "of 2", 1), "", want{says: []string{"ctest ran 1 test and never said"}}},
		{"a summary alone", end, "", want{}},
		{"a result alone", one + start + one + end, "", want{Counts: ok, says: []string{"outside of any run"}}},
		{"two runs", start + one + end + start + one + end, "", want{Counts: Counts{Passed: 2, Suites: 2}}},
		{"an empty run and one", start + start + one + end, "", want{Counts: Counts{Passed: 1, Suites: 2}}},
		{"a run in a run", start + one + start + one + one + end + end, "", want{Counts: ok}},
		{"many in one another", strings.Repeat(start+one, 3*maxFrames), "", want{says: []string{"ctest ran 1 test"}}},
		{"a reason of several lines", start + "1/1 Test #1: a ...***Failed  Required regular expression not found.Regex=[x\n]  0.01 sec\n0% tests passed, 1 tests failed out of 1\n", "", want{
			Counts: Counts{Failed: 1, Suites: 1, FailedNames: []string{"a"}}}},
		{"not results", start + " Test x\n1/x Test #1: a ...   Passed  \nTest #1: a ...   Passed  \n  Test #: a ...   Passed  \n  Test #1 a ...   Passed  \n  Test #1: a   Passed  \n9% tests passed\n", "", want{Counts: Counts{Suites: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "ctest", []byte(tt.stdout), []byte(tt.stderr), tt.want)
		})
	}
}

func TestCTestBoundsTests(t *testing.T) {
	var out strings.Builder
	out.WriteString("Test project /b\n")
	r := &ctest{}
	feed(r, Stdout, []byte(out.String()))
	for i := range maxOpen + 5 {
		r.result(i, []byte("a"), ctestPassed)
	}
	r.summary(0, maxOpen)
	if c := r.Counts(); c.Passed != maxOpen || len(c.Contradictions) != 1 {
		t.Errorf("%d passed, %q, want %d and a contradiction", c.Passed, c.Contradictions, maxOpen)
	}
}

func FuzzCTest(f *testing.F) {
	f.Add("Test project /b\n    Start 1: a\n1/1 Test #1: a ...***Failed    0.01 sec\n\n0% tests passed, 1 tests failed out of 1\n")
	f.Add("Test project /b\n 1/2 Test  #1: a b ...   Passed    0.01 sec\nTest project\n      Test  #2: c ...***Not Run (Disabled)   0.00 sec\n100% tests passed, 0 tests failed out of 1\n")
	f.Fuzz(func(t *testing.T, stdout string) {
		r := &ctest{}
		feed(r, Stdout, []byte(stdout))
		c := r.Counts()
		checkCounts(t, c, strings.Count(stdout, "Test project "))
		if c.Passed+c.Failed+c.Ignored > strings.Count(stdout, "#") {
			t.Fatalf("%+v from fewer results", c)
		}
	})
}
