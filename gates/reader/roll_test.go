package reader

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rollOf reads lines of a harness.
func rollOf(t *testing.T, name, text string) Counts {
	t.Helper()
	r, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		r.Line(Stdout, []byte(strings.TrimSuffix(line, "\n")))
	}
	return r.Counts()
}

// TestRolls: two runs with as many tests that ran and were ignored are told apart by
// which, with every reader that has names; in whatever order they came they are not.
func TestRolls(t *testing.T) {
	libtest := func(a, b string) string {
		return "\nrunning 2 tests\ntest x::a ... " + a + "\ntest b ... " + b + "\n\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	}
	event := func(name, action string) string {
		return fmt.Sprintf(`{"Action":"run","Package":"m","Test":%q}`+"\n"+`{"Action":%q,"Package":"m","Test":%q}`+"\n", name, action, name)
	}
	gotest := func(first, second string) string {
		return `{"Action":"start","Package":"m"}` + "\n" + first + second + `{"Action":"output","Package":"m","Output":"PASS\n"}` + "\n" + `{"Action":"pass","Package":"m"}` + "\n"
	}
	plain := func(a, b string) string {
		return "=== RUN   TestA\n--- " + a + ": TestA (0.00s)\n=== RUN   TestB\n--- " + b + ": TestB (0.00s)\nPASS\nok  \tm\t0.003s\n"
	}
	ctest := func(a, b string) string {
		return "Test project /b\n    Start 1: a\n1/2 Test #1: a ....   " + a + "    0.01 sec\n    Start 2: b\n2/2 Test #2: b ....   " + b + "    0.01 sec\n\n100% tests passed, 0 tests failed out of 2\n"
	}
	for _, c := range []struct{ reader, one, other, again string }{
		{"libtest", libtest("ok", "ignored"), libtest("ignored", "ok"), "\nrunning 2 tests\ntest b ... ignored, slow\ntest x::a ... ok" + libtest("ok", "ignored")[len("\nrunning 2 tests\ntest x::a ... ok\ntest b ... ignored"):]},
		{"gotest", gotest(event("TestA", "pass"), event("TestB", "skip")), gotest(event("TestA", "skip"), event("TestB", "pass")), gotest(event("TestB", "skip"), event("TestA", "pass"))},
		{"gotest", plain("PASS", "SKIP"), plain("SKIP", "PASS"), plain("PASS", "SKIP")},
		{"ctest", ctest("Passed", "Passed"), strings.Replace(ctest("Passed", "Passed"), ": b", ": c", 2), ctest("Passed", "Passed")},
		{"ctest", strings.Replace(ctest("Passed", "Passed"), "b ....   Passed", "b ....***Skipped", 1), strings.Replace(ctest("Passed", "Passed"), "a ....   Passed", "a ....***Skipped", 1), strings.Replace(ctest("Passed", "Passed"), "b ....   Passed", "b ....***Skipped", 1)},
	} {
		one, other, again := rollOf(t, c.reader, c.one), rollOf(t, c.reader, c.other), rollOf(t, c.reader, c.again)
		if one.Roll == nil || one.Roll.N != one.Ran()+one.Ignored || one.Roll.N != 2 || one.Ran() != other.Ran() {
			t.Fatalf("%s: %+v, roll %+v\n%s", c.reader, one, one.Roll, c.one)
		}
		if one.Roll.Equal(other.Roll) || !one.Roll.Equal(again.Roll) {
			t.Errorf("%s: the same as other tests, %v; as itself, %v", c.reader, one.Roll.Equal(other.Roll), one.Roll.Equal(again.Roll))
		}
		if names, had := Differing([]*Roll{one.Roll, other.Roll, again.Roll}); len(names) != 2 || had[names[0]][0] != had[names[0]][2] || had[names[0]][0] == had[names[0]][1] {
			t.Errorf("%s: %q: %v", c.reader, names, had)
		}
	}
}

// TestRollOfReports: the names of JUnit's files and of pytest's plugin, too.
func TestRollOfReports(t *testing.T) {
	dir := t.TempDir()
	r, _, err := Prepare("junit:*.xml", Command{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	const xml = `<testsuite tests="3" skipped="1"><testcase name="a"/><testcase name="b"><skipped/></testcase><testcase classname="k" name="c"/></testsuite>`
	if err := os.WriteFile(filepath.Join(dir, "r.xml"), []byte(xml), 0o600); err != nil {
		t.Fatal(err)
	}
	want := newRoll()
	for _, one := range []rolled{{"k.c", true}, {"a", true}, {"b", false}} {
		want.add(one)
	}
	if c := r.Counts(); c.Roll.N != 3 || !c.Roll.Equal(want) {
		t.Errorf("JUnit: %+v", c.Roll)
	}
	c, _ := countPyEvents(strings.NewReader(`{"event": "begin"}
{"event": "counted", "name": "a"}
{"event": "ignored", "name": "b"}
{"event": "counted", "name": "k.c"}
{"event": "end", "sums": {"passed": 2, "skipped": 1}}
`), func(string) string { return "" })
	if !c.Roll.Equal(want) || c.Ran()+c.Ignored != c.Roll.N {
		t.Errorf("pytest: %+v", c.Roll)
	}
}

// TestRollBounded: names take bounded memory, and those beyond it count all the same.
func TestRollBounded(t *testing.T) {
	fill := func(last string) *Roll {
		var c Counts
		for i := range 100_000 {
			c.pass(fmt.Sprintf("test_%d_%s", i, strings.Repeat("x", 100)))
		}
		c.pass(last)
		return c.Roll
	}
	a, b := fill("a"), fill("b")
	if a.Equal(b) || !a.Equal(fill("a")) || len(a.names)*148 > rollRoom+1000 {
		t.Errorf("%d names are kept; equal %v", len(a.names), a.Equal(b))
	}
	if names, _ := Differing([]*Roll{a, b}); len(names) > 0 {
		t.Errorf("%q: nothing can be said of those", names)
	}
	joined := (*Roll)(nil).Joined(a).Joined(b)
	if joined.N != 200_002 || joined.Equal(a) || !joined.Equal((*Roll)(nil).Joined(b).Joined(a)) {
		t.Errorf("joined: %d", joined.N)
	}
	if d := cmp.Diff((*Roll)(nil).Joined(a), a); d != "" {
		t.Error(d)
	}
}
