package propose

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
)

// learned is what is proposed for lines, one line each.
func learned(t *testing.T, g config.Gate, lines ...string) Patch {
	t.Helper()
	p, err := Learn(g, strings.NewReader(strings.Join(lines, "\n")+"\n"), Facts{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLearnLines: lines as programs print them, and what is worth a limit.
func TestLearnLines(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"error":          {"worst rel 6.3e-7 on d_g\nworst rel 2e-8 on d_k", `bar worst-rel: max = 1e-5`},
		"error of zero":  {"max abs diff: 0.0", `bar max-abs-diff: max = 0.0`},
		"signed error":   {"rel err = -3e-7", `bar rel-err: min = -5e-6, max = 5e-6`},
		"key and error":  {"fwd max_err=1.5e-6 (ok)", `bar max-err: max = 2e-5`},
		"time":           {"step took 12.3 ms", `bar step-took-ms: within = "10%", better = "lower"`},
		"glued time":     {"forward: 12.3ms", `bar forward-ms: within = "10%", better = "lower"`},
		"seconds":        {"epoch time 3.2 s", `bar epoch-time-s: within = "10%", better = "lower"`},
		"size":           {"peak memory 812.5 MiB", `bar peak-memory-mib: within = "10%", better = "lower"`},
		"speedup":        {"speedup 1.82x", `bar speedup: min = 1.6`},
		"rate":           {"bandwidth: 812.5 GB/s", `bar bandwidth: min = 730.0`},
		"loss":           {"loss=0.31", `bar loss: within = "5%", better = "lower"`},
		"launches":       {"kernel launches: 12", `bar kernel-launches: max = 12.0`},
		"no class":       {"grad norm 0.5", `metric grad-norm, recorded only`},
		"own line":       {"gpuci:metric name=ad-rel value=8.8e-15 term=d_g", `bar ad-rel: max = 1e-13`},
		"own time":       {"gpuci:metric name=fwd value=1.5 unit=ms", `bar fwd: within = "10%", better = "lower"`},
		"counters":       {"fused kda=16/16 node_bwd=4 declined=0", `witness kda: kda > 0 && kda == kda_of && node_bwd > 0 && declined == 0`},
		"part of":        {"fused kda=12/16 node_bwd=4", `witness kda: kda > 0 && node_bwd > 0`},
		"bad one only":   {"nan=0", `witness nan: nan == 0`},
		"never together": {"hits=4 misses=0\nhits=0 misses=3", ``},
		"axis":           {"chunks=4\nchunks=16\nchunks=2", `scope chunks = 2, 4, 16, to be held against production`},
		"shape":          {"shape [2,64,4,128]", `scope shape = "2,64,4,128", to be held against production`},
		"go bench":       {"BenchmarkFFT-8   \t    1000\t      1234 ns/op\t       3 allocs/op", "bar fft-allocs-op: max = 3.0\nbar fft-ns-op: within = \"10%\", better = \"lower\""},
		"libtest bench":  {"test fft_64 ... bench:         123 ns/iter (+/- 5)", `bar fft-64-ns-iter: within = "10%", better = "lower"`},
		"criterion":      {"fft/64                  time:   [1.2345 ms 1.2456 ms 1.2567 ms]", `bar fft-64-ms: within = "10%", better = "lower"`},
		"behind harness": {"test fused ... worst rel 6.3e-7 on d_g", `bar worst-rel: max = 1e-5`},
		"behind go":      {"    kda_test.go:12: worst rel 6.3e-7 on d_g", `bar worst-rel: max = 1e-5`},
		"behind a date":  {"2026-11-30T10:11:12.123Z INFO worst rel 6.3e-7", `bar worst-rel: max = 1e-5`},
		"colours":        {"\x1b[32mworst rel\x1b[0m 6.3e-7 on d_g\r", `bar worst-rel: max = 1e-5`},
		"special":        {"a+b (c|d)* err: 1e-6", `bar err: max = 1e-5`},
		"sentence":       {"the relative error is rel 1.5e-3.", `bar relative-error-rel: max = 0.02`},

		"cargo":       {"    Finished `test` profile [unoptimized] target(s) in 0.05s\nrunning 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.12s", ""},
		"go":          {"--- PASS: TestA (0.12s)\nok  \texample.org/x\t0.003s", ""},
		"pytest":      {"collected 12 items\ntests/test_a.py ....  [100%]\n==== 12 passed in 0.12s ====", ""},
		"ctest":       {"1/1 Test #1: t ...   Passed    0.00 sec\nTotal Test time (real) =   0.01 sec", ""},
		"no numbers":  {"version 1.2.3 of 2026-11-30 at 10:11:12, 0x1f, 1,234.5, f64, d5, 3f9a", ""},
		"no names":    {"12.5\n0.1 0.2 0.3\n{\"a\": [1, 2]}", ""},
		"step of":     {"step 12/100", ""},
		"binary junk": {"worst rel 1e-6 \x00\x01", ""},
	} {
		got := strings.Join(learned(t, config.Gate{Name: "g", Reader: "libtest", MinTests: 1}, tc.in).Found, "\n")
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// TestLearnDebug: the time of a debug build is recorded, and judged by nothing.
func TestLearnDebug(t *testing.T) {
	got := learned(t, config.Gate{Name: "g", Reader: "none", Profile: "debug"}, "step 12.5 ms", "gpuci:metric name=bwd-ms value=3").Found
	if d := cmp.Diff([]string{"metric step-ms, recorded only"}, got); d != "" {
		t.Error(d)
	}
}

// TestLearnLabels: words that differ from line to line are labels, and where
// each has its own line, all must come again.
func TestLearnLabels(t *testing.T) {
	p := learned(t, config.Gate{Name: "g", Reader: "none"},
		"case large: rel 1e-7 on d_g", "case small: rel 2e-7 on d_k", "grad norm of q 0.5", "forward rms 1.5", "backward rms 1.6", "adjoint rms 1.7")
	for _, want := range []string{
		`pattern = '\bcase (?P<case>\w+): rel +(?P<value>[-+0-9.eE]+) +on (?P<on>\w+)'`, "min-matches = 2 ",
		`pattern = '\b(?P<what>\w+) rms +(?P<value>[-+0-9.eE]+)'`,
	} {
		if !strings.Contains(p.Toml, want) {
			t.Errorf("no %s in\n%s", want, p.Toml)
		}
	}
}

// TestLearnTellsApart: two numbers of one name need two patterns, and a number
// that none tells apart is left.
func TestLearnTellsApart(t *testing.T) {
	p := learned(t, config.Gate{Name: "g", Reader: "none"}, "fwd rel 1e-7", "fwd rel 2e-7 bwd rel 3e-7", "rel 5e-7", "a+b (c|d)* rel 7e-7")
	var c config.Config
	cfg, err := load("[[gate]]\nname = \"g\"\nrun = [\"x\"]\nreader = \"none\"\n" + p.Toml)
	if err != nil {
		t.Fatal(err)
	}
	c = *cfg
	for _, b := range c.Gates[0].Bars {
		re := regexp.MustCompile(b.Pattern)
		matched := 0
		for _, line := range []string{"fwd rel 1e-7", "fwd rel 2e-7 bwd rel 3e-7", "rel 5e-7", "a+b (c|d)* rel 7e-7"} {
			matched += len(re.FindAllString(line, -1))
		}
		if matched != 1 {
			t.Errorf("%s matches %d numbers", b.Pattern, matched)
		}
	}
	if n := len(c.Gates[0].Bars); n < 4 {
		t.Errorf("%d bars, left %q", n, p.Left)
	}
}

// TestLearnCounts: the tests that ran, and a reader where none counted.
func TestLearnCounts(t *testing.T) {
	for _, tc := range []struct {
		reader   string
		min, ran int
		want     string
	}{
		{"libtest", 1, 12, "min-tests = 12, as many as ran when it was learned"},
		{"libtest", 1, 1234, "min-tests = 1200, 1234 ran when it was learned; rounded down, so that a few may come and go"},
		{"libtest", 1, 137, "min-tests = 130, 137 ran when it was learned; rounded down, so that a few may come and go"},
		{"libtest", 12, 12, ""}, {"libtest", 20, 12, ""}, {"libtest", 1, 0, ""}, {"libtest", 1, 1, ""}, {"none", 0, 12, ""},
	} {
		p, err := Learn(config.Gate{Name: "g", Reader: tc.reader, MinTests: tc.min}, strings.NewReader(""), Facts{Ran: tc.ran})
		if got := strings.Join(p.Found, ""); err != nil || got != tc.want {
			t.Errorf("%+v: got %q, %v", tc, got, err)
		}
	}
	log := "running 3 tests\ntest a ... ok\ntest b ... ok\ntest c ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	p := learned(t, config.Gate{Name: "g", Reader: "none"}, log)
	if d := cmp.Diff([]string{`reader = "libtest", which counts what ran`, "min-tests = 3, as many as ran when it was learned"}, p.Found); d != "" {
		t.Error(d)
	}
	if p := learned(t, config.Gate{Name: "g", Reader: "none"}, log[:len(log)/2]); len(p.Found) > 0 {
		t.Errorf("half a run: %q", p.Found)
	}
}
