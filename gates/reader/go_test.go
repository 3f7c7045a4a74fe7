package reader

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goEnv saves what the counting does not depend on: vet, and debug information,
// which is most of the linking.
var goEnv = []string{"GOFLAGS=-vet=off -ldflags=-w", "GOWORK=off"}

// goCase is one run of go test in the module of testdata/gomod.txtar.
type goCase struct {
	name, args string
	want
}

func runGo(t *testing.T, dir string, cases []goCase) {
	t.Helper()
	need(t, "go")
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr := outputOf(t, dir, goEnv, append([]string{"go", "test"}, strings.Fields(tt.args)...)...)
			check(t, "gotest", stdout, stderr, tt.want)
		})
	}
}

func TestGoJSONOnRealGo(t *testing.T) {
	runGo(t, project(t, "testdata/gomod.txtar"), []goCase{
		// Leaves: TestA, deep/er, two seeds, the example; two and TestSkip skipped.
		{"passing", "-json -count=1 ./pass", want{Counts: Counts{Passed: 5, Ignored: 2, Suites: 1}}},
		{"passing -v", "-json -v -count=1 ./pass", want{Counts: Counts{Passed: 5, Ignored: 2, Suites: 1}}},
		// Go runs an example once, however often the tests.
		{"twice", "-json -count=2 ./pass", want{Counts: Counts{Passed: 9, Ignored: 4, Suites: 1}}},
		{"failing", "-json -count=1 ./fail", want{Counts: Counts{Passed: 2, Failed: 3, Suites: 1, FailedNames: []string{"TestA/x", "TestB", "TestC"}}}},
		{"all skipped", "-json -count=1 ./skip", want{Counts: Counts{Ignored: 1, Suites: 1}}},
		{"no tests", "-json -count=1 ./none ./nofiles", want{Counts: Counts{Suites: 1}}},
		{"none selected", "-json -count=1 -run NONE ./pass", want{Counts: Counts{Suites: 1}}},
		{"does not build", "-json -count=1 ./nobuild ./skip", want{
			Counts: Counts{Failed: 1, Ignored: 1, Suites: 1, FailedNames: []string{"m/nobuild"}}, remarks: []string{"m/nobuild did not build"}}},
		{"panic", "-json -count=1 ./panics", want{
			Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"TestA"}}, remarks: []string{"1 test of m/panics began and never ended, such as TestPaused"}}},
		{"swallowed status", "-json -count=1 ./swallow", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"TestA"}}}},
		{"os.Exit(0)", "-json -count=1 ./exit0", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"TestA"}}}},
		{"syscall.Exit(0)", "-json -count=1 ./raw ./rawnext", want{
			Counts: Counts{Passed: 4, Suites: 1}, says: []string{"m/raw began and never reported"}}},
		{"TestMain leaves", "-json -count=1 ./early ./rawnext", want{Counts: Counts{Passed: 2, Suites: 2}, says: []string{"m/early says ok and shows no test"}}},
		{"TestMain says PASS", "-json -count=1 ./mainpass ./rawnext", want{Counts: Counts{Passed: 2, Suites: 2}, says: []string{"m/mainpass says ok and shows no test"}}},
		{"TestMain says PASS beside benchmarks", "-json -run TestOK -bench=. -benchtime=10x ./mainpass ./bench ./rawnext", want{
			Counts: Counts{Passed: 1, Measured: 3, Ignored: 1, Suites: 3}, says: []string{"m/mainpass says ok and shows no test"}}},
		{"TestMain says FAIL", "-json -count=1 ./mainfail", want{Counts: Counts{Passed: 1, Suites: 1}, says: []string{"m/mainfail says ok below FAIL"}}},
		{"TestMain says no test files", "-json -count=1 ./mainskip ./nofiles", want{says: []string{"m/mainskip ran and says that it has no test files"}}},
		{"TestMain turns -v off", "-json -count=1 ./mainquiet", want{Counts: Counts{Suites: 1}, says: []string{"m/mainquiet says ok and shows no test"}}},
		{"-v=false", "-json -v=false -count=1 ./skip", want{Counts: Counts{Suites: 1}, says: []string{"m/skip says ok and shows no test"}}},
		{"ends between tests", "-json -count=1 ./between", want{Counts: Counts{Passed: 1}, says: []string{"m/between began and never reported how it ended"}}},
		{"listed", "-json -list . ./pass", want{Counts: Counts{Suites: 1}, says: []string{"m/pass says ok and shows no test"}}},
		{"not executed", "-json -exec true ./pass", want{Counts: Counts{Suites: 1}, says: []string{"m/pass says ok and shows no test"}}},
		{"TestMain fails", "-json -count=1 ./status", want{
			Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"m/status"}}, remarks: []string{"m/status failed though no test of it did"}}},
		{"time-out", "-json -count=1 -timeout=50ms ./hang", want{
			Counts:  Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"m/hang"}},
			remarks: []string{"m/hang failed though no test of it did", "1 test of m/hang began and never ended, such as TestHang"}}},
		{"spoofed", "-json -count=1 ./spoof", want{Counts: Counts{Passed: 1, Suites: 1}}},
		{"parallel", "-json -count=1 ./par ./pass", want{Counts: Counts{Passed: 8, Ignored: 2, Suites: 2}}},
		{"benchmarks", "-json -count=1 -bench=. -benchtime=10x ./bench", want{Counts: Counts{Passed: 1, Measured: 3, Ignored: 1, Suites: 1}}},
		{"no benchmark there", "-json -run NONE -bench=. -benchtime=10x ./bench ./rawnext ./none", want{
			Counts: Counts{Measured: 3, Ignored: 1, Suites: 3}, remarks: []string{"nothing ran in 2 packages, such as m/rawnext"}}},
		{"benchmarks only", "-json -run NONE -bench=. -benchtime=10x ./bench", want{Counts: Counts{Measured: 3, Ignored: 1, Suites: 1}}},
		{"failing benchmark", "-json -run NONE -bench=. -benchtime=10x ./badbench", want{Counts: Counts{Measured: 1, Failed: 1, Suites: 1, FailedNames: []string{"BenchmarkF"}}}},
		{"missing package", "-json ./gone", want{
			Counts: Counts{Failed: 1, FailedNames: []string{"./gone"}}, remarks: []string{"./gone did not build"}}},
	})
}

func TestGoPlainOnRealGo(t *testing.T) {
	byPackage := func(packages string) []string {
		return []string{"go test without -v or -json says which packages passed, not what ran: add -v or -json to it (" + packages}
	}
	runGo(t, project(t, "testdata/gomod.txtar"), []goCase{
		{"passing -v", "-v -count=1 ./pass", want{Counts: Counts{Passed: 5, Ignored: 2, Suites: 1}}},
		{"passing", "-count=1 ./pass ./rawnext", want{Counts: Counts{Suites: 2}, says: byPackage("2 packages, such as m/pass)")}},
		{"all skipped", "-count=1 ./skip", want{Counts: Counts{Suites: 1}, says: byPackage("1 package, such as m/skip)")}},
		{"swallowed status", "-count=1 ./swallow", want{Counts: Counts{Suites: 1}, says: byPackage("1 package, such as m/swallow)")}},
		{"listed", "-list . ./pass", want{Counts: Counts{Suites: 1}, says: byPackage("1 package")}},
		{"listed -v", "-v -list . ./pass", want{Counts: Counts{Suites: 1}, says: byPackage("1 package")}},
		{"not executed", "-exec true ./pass", want{Counts: Counts{Suites: 1}, says: byPackage("1 package")}},
		{"not executed -v", "-v -exec true ./pass", want{Counts: Counts{Suites: 1}, says: byPackage("1 package")}},
		{"failing -v", "-v -count=1 ./fail", want{Counts: Counts{Passed: 2, Failed: 3, Suites: 1, FailedNames: []string{"TestA/x", "TestB", "TestC"}}}},
		{"failing", "-count=1 ./fail ./rawnext", want{
			Counts: Counts{Failed: 3, Suites: 2, FailedNames: []string{"TestA/x", "TestB", "TestC"}}, says: byPackage("1 package, such as m/rawnext)")}},
		{"failing alone", "-count=1 ./fail", want{Counts: Counts{Failed: 3, Suites: 1, FailedNames: []string{"TestA/x", "TestB", "TestC"}}}},
		{"all skipped -v", "-v -count=1 ./skip", want{Counts: Counts{Ignored: 1, Suites: 1}}},
		{"no tests", "-count=1 ./none ./nofiles", want{Counts: Counts{Suites: 1}}},
		{"no tests -v", "-v -count=1 ./none ./nofiles", want{Counts: Counts{Suites: 1}}},
		{"does not build", "-count=1 ./nobuild", want{
			Counts: Counts{Failed: 1, FailedNames: []string{"m/nobuild"}}, remarks: []string{"m/nobuild did not build"}}},
		{"panic -v", "-v -count=1 -p=1 ./panics ./rawnext", want{
			Counts:  Counts{Passed: 3, Failed: 1, Suites: 2, FailedNames: []string{"TestA"}},
			remarks: []string{"1 test of m/panics began and never ended, such as TestPaused"}}},
		{"panic", "-count=1 ./panics", want{Counts: Counts{Failed: 1, Suites: 1, FailedNames: []string{"TestA"}}}},
		{"swallowed status -v", "-v -count=1 ./swallow", want{Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"TestA"}}}},
		{"syscall.Exit(0) -v", "-v -count=1 ./raw", want{Counts: Counts{Passed: 1}, says: []string{"m/raw says ok while TestA had not ended"}}},
		{"syscall.Exit(0) before its namesake -v", "-v -count=1 -p=1 ./raw ./rawnext", want{
			Counts: Counts{Passed: 1}, says: []string{"says ok while TestA had not ended"}}},
		{"TestMain leaves -v", "-v -count=1 ./early ./rawnext", want{Counts: Counts{Passed: 2, Suites: 2}, says: []string{"m/early says ok and shows no test"}}},
		{"TestMain says PASS -v", "-v -count=1 ./mainpass ./rawnext", want{Counts: Counts{Passed: 2, Suites: 2}, says: []string{"m/mainpass says ok and shows no test"}}},
		{"TestMain says FAIL -v", "-v -count=1 ./mainfail", want{Counts: Counts{Passed: 1, Suites: 1}, says: []string{"m/mainfail says ok below FAIL"}}},
		{"TestMain says no test files -v", "-v -count=1 ./mainskip ./rawnext", want{Counts: Counts{Passed: 2, Suites: 2}, says: []string{"m/mainskip says ok and shows no test"}}},
		{"TestMain turns -v off, -v", "-v -count=1 ./mainquiet ./rawnext", want{Counts: Counts{Passed: 2, Suites: 2}, says: []string{"m/mainquiet says ok and shows no test"}}},
		{"ends between tests -v", "-v -count=1 ./between", want{Counts: Counts{Passed: 1, Suites: 1}, says: []string{"m/between says ok without the PASS below its tests"}}},
		{"TestMain fails -v", "-v -count=1 ./status", want{
			Counts: Counts{Passed: 1, Failed: 1, Suites: 1, FailedNames: []string{"m/status"}}, remarks: []string{"m/status failed though no test of it did"}}},
		{"spoofed -v", "-v -count=1 ./spoof", want{Counts: Counts{Passed: 1, Suites: 1}}},
		{"parallel -v", "-v -count=1 ./par ./pass", want{Counts: Counts{Passed: 8, Ignored: 2, Suites: 2}}},
		{"unfinished line -v", "-v -count=1 ./glue", want{says: []string{"swallowed a line by printing without a newline"}}},
		{"benchmarks -v", "-v -count=1 -bench=. -benchtime=10x ./bench", want{Counts: Counts{Passed: 1, Measured: 3, Ignored: 1, Suites: 1}}},
		{"benchmarks", "-run NONE -bench=. -benchtime=10x ./bench", want{Counts: Counts{Measured: 3, Suites: 1}}},
		{"failing benchmark", "-run NONE -bench=. -benchtime=10x ./badbench", want{Counts: Counts{Measured: 1, Failed: 1, Suites: 1, FailedNames: []string{"BenchmarkF"}}}},
	})
}

func TestGoCache(t *testing.T) {
	need(t, "go")
	dir := project(t, "testdata/gomod.txtar")
	for _, flag := range []string{"-json", "-v"} {
		argv := []string{"go", "test", flag, "./rawnext"}
		outputOf(t, dir, goEnv, argv...)
		stdout, stderr := outputOf(t, dir, goEnv, argv...)
		check(t, "gotest", stdout, stderr, want{
			Counts: Counts{Passed: 2, Suites: 1}, remarks: []string{"cached: 1 package did not run again, such as m/rawnext"}})
	}
}

// A test binary that is started by itself has no package's line at its end.
func TestGoBinary(t *testing.T) {
	need(t, "go")
	dir := project(t, "testdata/gomod.txtar")
	for pkg, w := range map[string]want{
		"rawnext": {Counts: Counts{Passed: 2, Suites: 1}},
		"raw":     {Counts: Counts{Passed: 1}, says: []string{"TestA began and its package never reported"}},
		"fail":    {Counts: Counts{Passed: 2, Failed: 3, Suites: 1, FailedNames: []string{"TestA/x", "TestB", "TestC"}}},
	} {
		binary := filepath.Join(dir, pkg+".test")
		if _, stderr := outputOf(t, dir, goEnv, "go", "test", "-c", "-o", binary, "./"+pkg); len(stderr) > 0 {
			t.Fatalf("build %s: %s", pkg, stderr)
		}
		stdout, stderr := outputOf(t, dir, goEnv, binary, "-test.v")
		check(t, "gotest", stdout, stderr, w)
		if pkg == "rawnext" {
			stdout, stderr = outputOf(t, dir, goEnv, binary)
			check(t, "gotest", stdout, stderr, want{Counts: Counts{Suites: 1}, says: []string{"a test binary says PASS and not what ran: add -test.v"}})
		}
	}
}

// What tests print comes out as whole lines, and go's notes do not.
func TestGoJSONText(t *testing.T) {
	need(t, "go")
	dir := project(t, "testdata/gomod.txtar")
	stdout, _ := outputOf(t, dir, goEnv, "go", "test", "-json", "-count=1", "./pass", "./glue")
	seen := feed(&gotest{}, Stdout, stdout)
	lines := strings.Split(seen, "\n")
	if whole := slices.DeleteFunc(lines, func(s string) bool { return s != "worst rel 6.3e-7" }); len(whole) != 2 {
		t.Errorf("the line is there %d times, want 2:\n%s", len(whole), seen)
	}
	if strings.Contains(seen, "=== ") || strings.Contains(seen, `{"`) {
		t.Errorf("framing is left in the text:\n%s", seen)
	}
}
