package reader

import (
	"fmt"
	"strings"
	"testing"
)

// end is a summary of a suite in which p tests passed and f failed.
func end(p, f int) string {
	word := "ok"
	if f > 0 {
		word = "FAILED"
	}
	return fmt.Sprintf("\ntest result: %s. %d passed; %d failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n", word, p, f)
}

const exe = "     Running tests/a.rs (target/debug/deps/a-0123456789abcdef)\n"

// docs starts rustdoc, and doc begins a suite of its.
const (
	docs = "   Doc-tests lt\n"
	doc  = "running 1 test\ntest lt/src/lib.rs - one::two (line 13) - compile ... ok\n"
)

// The orders of lines that libtest's comment speaks of, without a compiler.
func TestLibtestOrders(t *testing.T) {
	two, three := "\nrunning 2 tests\n", "\nrunning 3 tests\n"
	for _, tt := range []struct {
		name, stdout, stderr string
		want
	}{
		{"nothing", "", "", want{}},
		{"no harness", "hello\ntest result: ok. 99 passed\n", "", want{}},
		{"summary without a header", end(3, 0), "", want{}},
		{"does not add up", two + end(99, 0), "", want{says: []string{"announced 2 tests"}}},
		{"ok with failures", two + strings.Replace(end(1, 1), "FAILED", "ok", 1), "", want{says: []string{"announced 2 tests"}}},
		{"summary on stderr", two, end(2, 0), want{says: []string{"announced 2 tests"}}},
		{"not at the start", two + "x" + strings.TrimSpace(end(2, 0)) + "\n", "", want{says: []string{"announced 2 tests"}}},
		{"header in a suite", two + three + end(2, 0), exe, want{Counts: Counts{Passed: 2, Suites: 1}}},
		{"run in a suite", two + three + end(1, 2) + end(2, 0), exe, want{Counts: Counts{Passed: 2, Suites: 1}}},
		{"run of the same size", two + two + end(1, 1) + end(2, 0), exe, want{Counts: Counts{Passed: 2, Suites: 1}}},
		{"lone header of the same size", two + two + end(2, 0), exe, want{Counts: Counts{Passed: 2, Suites: 1}}},
		{"lone header or a dead suite", two + two + end(2, 0), exe + exe, want{says: []string{"announced 2 tests"}}},
		{"lone header or a dead suite, quietly", two + two + end(2, 0), "", want{says: []string{"announced 2 tests"}}},
		{"dead suite", two + three + end(3, 0), exe + exe, want{says: []string{"announced 2 tests"}}},
		{"summary twice", two + end(2, 0) + end(1, 1), exe, want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1}}},
		{"summary and run", two + end(2, 0) + three + end(3, 0) + end(2, 0), "", want{
			Counts: Counts{Passed: 5, Suites: 2}, says: []string{"outside of any suite"}}},
		{"summary and run below cargo", two + end(2, 0) + three + end(3, 0), exe, want{
			Counts: Counts{Passed: 5, Suites: 2}, says: []string{"2 suites reported, and cargo started 1"}}},
		{"doc tests report several times", two + end(2, 0) + three + end(3, 0), docs, want{Counts: Counts{Passed: 5, Suites: 2}}},
		{"one stream", exe + two + end(2, 0) + exe + three + exe + end(3, 0), "", want{Counts: Counts{Passed: 5, Suites: 2}}},
		{"a silent one", two + end(2, 0), exe + exe, want{Counts: Counts{Passed: 2, Suites: 1}, says: []string{"cargo started 2 test executables, and 1 of them reported nothing"}}},
		{"a silent one before doc tests", two + end(2, 0) + two + end(2, 0), exe + exe + docs, want{
			Counts: Counts{Passed: 4, Suites: 2}, says: []string{"cargo started 2 test executables, and rustdoc for 1 crate, and at least 1 of them reported nothing"}}},
		{"a silent one behind doc tests", exe + two + end(2, 0) + docs + doc + end(1, 0) + doc + end(1, 0) + exe, "", want{
			Counts: Counts{Passed: 4, Suites: 3}, says: []string{"at least 1 of them reported nothing (by the order in which the lines came, target/debug/deps/a-"}}},
		{"doc tests alone report twice", doc + end(1, 0) + doc + end(1, 0), docs, want{Counts: Counts{Passed: 2, Suites: 2}}},
		{"not a doc test's name", "running 1 test\ntest a - b (lines 3) ... ok\n" + end(1, 0) + two + end(2, 0), exe + docs, want{Counts: Counts{Passed: 3, Suites: 2}}},
		{"lines that came late", exe + exe + two + end(2, 0) + two + end(2, 0) + exe, "", want{
			Counts: Counts{Passed: 4, Suites: 2}, says: []string{"1 of them reported nothing: give"}}},
		{"more than are named", "", strings.Repeat(exe, 9), want{says: []string{"9 of them reported nothing (by the order in which the lines came, target/debug/deps/a-"}}},
		{"more than are kept", "", strings.Repeat(exe, maxProducts+1), want{says: []string{"1025 of them reported nothing: give"}}},
		{"shuffled", "running 2 tests (shuffle seed: 7)\n" + end(2, 0), "", want{Counts: Counts{Passed: 2, Suites: 1}}},
		{"an old harness", two + strings.Replace(end(2, 0), "; finished in 0.00s", "", 1), "", want{Counts: Counts{Passed: 2, Suites: 1}}},
		{"names", two + "test a ... FAILED\ntest b - should panic ... FAILED\n\nfailures:\n\n---- a stdout ----\nfailures:\n    fake\n\nfailures:\n    a\n    b\n" + end(0, 2), "", want{
			Counts: Counts{Failed: 2, Suites: 1, FailedNames: []string{"a", "b"}}}},
		{"names without a list", two + "test a ... ok\ntest b - should panic ... FAILED\n" + end(1, 1), "", want{
			Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"b"}}}},
		{"a number too long", "running 99999999999999999999 tests\n" + end(2, 0), "", want{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "libtest", []byte(tt.stdout), []byte(tt.stderr), tt.want)
		})
	}
}

func TestLibtestKeepsFirstNames(t *testing.T) {
	var out strings.Builder
	out.WriteString("running 130 tests\n\nfailures:\n")
	for i := range 130 {
		fmt.Fprintf(&out, "    t%03d\n", i)
	}
	out.WriteString(end(0, 130))
	r := &libtest{}
	feed(r, Stdout, []byte(out.String()))
	if c := r.Counts(); c.Failed != 130 || len(c.FailedNames) != maxNames || c.FailedNames[maxNames-1] != "t099" {
		t.Errorf("%d failed, names %q, want 130 and the first hundred", c.Failed, c.FailedNames)
	}
}

func FuzzLibtest(f *testing.F) {
	f.Add("\nrunning 1 test\ntest a ... ok\n"+end(1, 0), exe)
	f.Add("running 2 tests\nrunning 2 tests\nfailures:\n    a\n"+end(1, 1)+end(2, 0), docs)
	f.Add(exe+"running 2 tests\n"+end(2, 0)+docs+doc+end(1, 0)+doc+end(1, 0)+exe, exe)
	f.Add("test a ... \x1b[31mFAILED\x1b(B\x1b[m\ntest  ... \nrunning 0 tests\n"+end(0, 0), "     Running `target/deps/a`\n     Running  (\n")
	f.Fuzz(func(t *testing.T, stdout, stderr string) {
		r := &libtest{}
		feed(r, Stderr, []byte(stderr))
		feed(r, Stdout, []byte(stdout))
		checkCounts(t, r.Counts(), strings.Count(stdout, "test result: "))
	})
}

// checkCounts holds what is true of any output: nothing is counted without a
// line that says so.
func checkCounts(t *testing.T, c Counts, most int) {
	t.Helper()
	if c.Passed < 0 || c.Failed < len(c.FailedNames) || c.Ignored < 0 || c.Measured < 0 || len(c.FailedNames) > maxNames {
		t.Fatalf("impossible counts %+v", c)
	}
	if c.Suites > most {
		t.Fatalf("%d suites from %d lines that could end one", c.Suites, most)
	}
}
