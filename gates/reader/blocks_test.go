package reader

import (
	"fmt"
	"strings"
	"testing"
)

// The orders of lines that blocks' and events' comments speak of, as far as no
// real go test makes them on demand.
func TestGoOrders(t *testing.T) {
	run, pass, ok := "=== RUN   TestA\n", "--- PASS: TestA (0.00s)\n", "PASS\nok  \tm/a\t0.1s\n"
	event := func(action, test string) string {
		return fmt.Sprintf("{\"Action\":%q,\"Package\":\"m/a\",\"Test\":%q}\n", action, test)
	}
	began := "{\"Action\":\"start\",\"Package\":\"m/a\"}\n"
	for _, tt := range []struct {
		name, stdout, stderr string
		want
	}{
		{"nothing", "", "", want{}},
		{"on stderr", "", run + pass + ok, want{}},
		{"report without RUN", "=== RUN   TestB\n--- PASS: TestB (0.00s)\n" + pass + ok, "", want{Counts: Counts{Passed: 1, Suites: 1}}},
		{"reported twice", run + pass + "--- FAIL: TestA (0.00s)\n" + ok, "", want{
			Counts: Counts{Passed: 1, Suites: 1}, says: []string{"TestA is reported twice, as PASS and FAIL"}}},
		{"subtest reported too early", run + "=== RUN   TestA/x\n    --- PASS: TestA/x (0.00s)\n" + pass + "    --- PASS: TestA/x (0.00s)\n" + ok, "", want{
			Counts: Counts{Passed: 1, Suites: 1}}},
		{"subtest never reported", run + "=== RUN   TestA/x\n" + pass + ok, "", want{says: []string{"says ok while TestA/x had not ended"}}},
		{"no end", run + pass, "", want{Counts: Counts{Passed: 1}, says: []string{"tests ran and their package never reported"}}},
		{"swallowed without -v", "--- FAIL: TestA (0.00s)\nFAIL\nok  \tm/a\t0.1s\n", "", want{Counts: Counts{Suites: 1}, says: []string{"says ok after it reported that TestA failed"}}},
		{"printed failure without -v", "--- FAIL: TestA (0.00s)\n" + ok, "", want{Counts: Counts{Suites: 1}, says: []string{"go test without -v or -json"}}},
		{"a package below -v that shows nothing", run + pass + ok + "ok  \tm/b\t0.1s\n", "", want{Counts: Counts{Passed: 1, Suites: 2}, says: []string{"m/b says ok and shows no test"}}},
		{"FAIL beside benchmarks", "goos: linux\nBenchmarkA-2 \t 10\t 14.00 ns/op\nFAIL\nok  \tm/a\t0.1s\n", "", want{Counts: Counts{Measured: 1, Suites: 1}, says: []string{"m/a says ok below FAIL"}}},
		{"events below plain go test", run + began + event("run", "TestB") + event("pass", "TestB") + pass + ok, "", want{Counts: Counts{Passed: 1, Suites: 1}}},
		{"no last word", began + event("run", "TestB") + event("pass", "TestB") + "{\"Action\":\"pass\",\"Package\":\"m/a\"}\n", "", want{
			Counts: Counts{Passed: 1, Suites: 1}, says: []string{"m/a says ok without the PASS below its tests"}}},
		{"plain lines beside events", began + event("run", "TestB") + event("pass", "TestB") + "{\"Action\":\"output\",\"Package\":\"m/a\",\"Output\":\"PASS\\n\"}\n{\"Action\":\"pass\",\"Package\":\"m/a\"}\n" + ok, "", want{
			Counts: Counts{Passed: 1, Suites: 1}, says: []string{"a plain line of go test (m/a) stands among events"}}},
		{"events cut off", began + event("run", "TestB"), "", want{says: []string{"m/a began and never reported how it ended, during TestB"}}},
		{"a package begins twice", began + event("run", "TestB") + began, "", want{says: []string{"began twice", "never reported"}}},
		{"a test ends that never began", began + event("pass", "TestB") + "{\"Action\":\"output\",\"Package\":\"m/a\",\"Output\":\"PASS\\n\"}\n{\"Action\":\"pass\",\"Package\":\"m/a\"}\n", "", want{Counts: Counts{Suites: 1}, says: []string{"shows no test"}}},
		{"a test fails that never began", began + event("fail", "TestB") + "{\"Action\":\"pass\",\"Package\":\"m/a\"}\n", "", want{Counts: Counts{Failed: 1, Suites: 1, FailedNames: []string{"TestB"}}}},
		{"skipped with a test open", began + event("run", "TestB") + "{\"Action\":\"skip\",\"Package\":\"m/a\"}\n", "", want{says: []string{"m/a ran and says that it has no test files"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "gotest", []byte(tt.stdout), []byte(tt.stderr), tt.want)
		})
	}
}

func TestGoBoundsOpenTests(t *testing.T) {
	g := &gotest{}
	g.Line(Stdout, []byte("=== RUN   TestA"))
	for i := range 2 * maxOpen {
		g.Line(Stdout, fmt.Appendf(nil, "=== RUN   TestA/%d", i))
	}
	if n := len(g.blocks.block.open); n > maxOpen {
		t.Errorf("%d tests are kept, want at most %d", n, maxOpen)
	}
	g.Line(Stdout, []byte("FAIL\tm/a\t0.1s"))
	if c := g.Counts(); len(c.Contradictions) != 1 || !strings.Contains(c.Contradictions[0], "split it") {
		t.Errorf("contradictions %q, want one on the bound", c.Contradictions)
	}
}

func FuzzGoPlain(f *testing.F) {
	f.Add("=== RUN   TestA\n=== RUN   TestA/x\n=== PAUSE TestA/x\n=== CONT  TestA/x\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\nFAIL\nFAIL\tm/a\t0.1s\n")
	f.Add("goos: linux\nBenchmarkA-2   \t      10\t        14.00 ns/op\n--- SKIP: BenchmarkB\nPASS\nok  \tm/a\t(cached) [no tests to run]\n?   \tm/b\t[no test files]\n")
	f.Add("=== RUN   TestA\nok  \tm/a\t0.1s\n=== RUN   TestA\n--- PASS: TestA (0.00s)\nFAIL\tm/b [build failed]\nFAIL\tm/c\t0.1s\n")
	f.Fuzz(func(t *testing.T, stdout string) {
		g := &gotest{mode: goPlain}
		feed(g, Stdout, []byte(stdout))
		ends := strings.Count(stdout, "ok  \t") + strings.Count(stdout, "FAIL\t") + 1
		checkCounts(t, g.Counts(), ends)
	})
}

func FuzzGoJSON(f *testing.F) {
	f.Add(`{"Action":"start","Package":"m/a"}` + "\n" + `{"Action":"run","Package":"m/a","Test":"TestA"}` + "\n" + `{"Action":"output","Package":"m/a","Test":"TestA","Output":"x"}` + "\n" + `{"Action":"fail","Package":"m/a","Test":"TestA"}` + "\n" + `{"Action":"fail","Package":"m/a"}` + "\n")
	f.Add(`{"Action":"build-output","ImportPath":"m/a","Output":"# m/a\n"}` + "\n" + `{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t(cached)\n"}` + "\n" + `{"Action":"skip","Package":"m/a"}` + "\n")
	f.Add(`{"Action":"output","Package":"m/a","Test":"BenchmarkA","Output":"BenchmarkA-2   \t"}` + "\n" + `{"Action":"output","Package":"m/a","Test":"BenchmarkA","Output":"  10\t 14 ns/op\n"}` + "\n")
	f.Fuzz(func(t *testing.T, stdout string) {
		g := &gotest{}
		feed(g, Stdout, []byte(stdout))
		checkCounts(t, g.Counts(), strings.Count(stdout, "\n")+1)
	})
}
