package propose

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
	"gpuci/gates/metric"
)

const twoGates = `# A file.
[workspace]
name = "w"

[[gate]] # the first
"name" = "first"
run = [
  ["cargo", "test"],
]
reader = "libtest"  # counts
min-tests = 1  # more

  [[gate.bar]]
  metric = "worst-rel"
  pattern = 'worst rel (?P<value>\S+)'
  max = 1.0
  # its end

# about the second
[[gate]]
name = 'second'
run = """
x
# no comment
"""
reader = 'none'
`

const richLog = `worst rel 6.3e-7 on d_g
worst abs 6.3e-7 on d_g
took 12.5 ms
fused kda=16/16 declined=0
`

// TestPatchApplies: the diff is one that git takes, what it makes is what was
// checked, and the gate has the new limits and nothing else.
func TestPatchApplies(t *testing.T) {
	needTool(t, "git")
	for name, text := range map[string]string{
		"plain": twoGates, "CRLF": strings.ReplaceAll(twoGates, "\n", "\r\n"), "no last newline": strings.TrimSuffix(twoGates, "\n"),
		"min-tests twice": twoGates + "min-tests = 0",
	} {
		for _, gate := range []string{"first", "second"} {
			cfg, err := load(text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			g, _ := cfg.Gate(gate)
			p, err := Learn(*g, strings.NewReader(richLog), Facts{Config: text, Ran: 7})
			if err != nil || p.Diff == "" {
				t.Fatalf("%s, %s: %v, left %q", name, gate, err, p.Left)
			}
			after := gitApply(t, text, p.Diff)
			now, err := load(after)
			if err != nil {
				t.Fatalf("%s, %s: %v\n%s", name, gate, err, after)
			}
			mustBeLearned(t, name, cfg, now, gate)
			again, err := Learn(*must(now.Gate(gate)), strings.NewReader(richLog), Facts{Config: after, Ran: 7})
			if err != nil || !again.Empty() {
				t.Errorf("%s, %s: a second look proposes %q, %v", name, gate, again.Found, err)
			}
		}
	}
}

func must(g *config.Gate, _ bool) *config.Gate { return g }

// mustBeLearned compares a configuration with the one before it.
func mustBeLearned(t *testing.T, name string, before, after *config.Config, gate string) {
	t.Helper()
	for i := range before.Gates {
		a, b := before.Gates[i], after.Gates[i]
		if a.Name == gate {
			bars := map[string]int{"first": 3, "second": 3}[gate]
			if len(b.Bars) != bars || len(b.Witnesses) != 1 {
				t.Errorf("%s, %s: %d bars, %d witnesses", name, gate, len(b.Bars), len(b.Witnesses))
			}
			if want := map[string]int{"first": 7, "second": 0}[gate]; b.MinTests != want {
				t.Errorf("%s, %s: min-tests %d, want %d", name, gate, b.MinTests, want)
			}
			b.Bars, b.Witnesses, b.MinTests = a.Bars, a.Witnesses, a.MinTests
		}
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("%s: gate %s is another one\n%s", name, a.Name, d)
		}
	}
}

func gitApply(t *testing.T, text, diff string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "gpuci.toml", text)
	cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
	}
	after, err := os.ReadFile(filepath.Join(dir, "gpuci.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

// TestPatchNeedsATable: a gate that is written in another way gets its lines,
// and no patch.
func TestPatchNeedsATable(t *testing.T) {
	text := `gate = [{ name = "g", run = ["x"], reader = "none" }]` + "\n"
	p, err := Learn(config.Gate{Name: "g", Reader: "none"}, strings.NewReader(richLog), Facts{Config: text})
	if err != nil || p.Diff != "" || p.Toml == "" || len(p.Left) != 1 {
		t.Errorf("%v, %q, %q", err, p.Diff, p.Left)
	}
}

// endless is an output of a size, made while it is read.
type endless struct {
	line     string
	at, size int64
	read     int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.at >= e.size {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && e.at < e.size {
		k := copy(p[n:], e.line[e.at%int64(len(e.line)):])
		n, e.at = n+k, e.at+int64(k)
	}
	e.read += int64(n)
	return n, nil
}

func (e *endless) Seek(to int64, whence int) (int64, error) {
	switch whence {
	case io.SeekEnd:
		to += e.size
	case io.SeekCurrent:
		return 0, errors.New("not asked for")
	}
	e.at = to
	return to, nil
}

// TestLearnHuge: of an output of a gigabyte the two ends are read, and that is
// said; of one that cannot be wound on, the beginning.
func TestLearnHuge(t *testing.T) {
	line := strings.Repeat("x", 8000) + "\nworst rel 1e-7 on d_g\n" + strings.Repeat("y", 500) + "\n"
	for _, wound := range []bool{true, false} {
		e := &endless{line: line, size: 1 << 30}
		var log io.Reader = e
		want := int64(2 * sampleSize)
		if !wound {
			log, want = struct{ io.Reader }{e}, sampleSize
		}
		p, err := Learn(config.Gate{Name: "g", Reader: "none"}, log, Facts{})
		if err != nil || e.read > want+1<<20 || len(p.Found) != 1 || len(p.Left) == 0 || p.Left[0].What != "the middle of the output" {
			t.Errorf("%v, read %d, found %q, left %q", err, e.read, p.Found, p.Left)
		}
	}
}

// TestLearnShapes: kinds of lines without end are bounded, and so is what is
// proposed.
func TestLearnShapes(t *testing.T) {
	var b strings.Builder
	for i := range 2 * maxShapes {
		fmt.Fprintf(&b, "%s rel: 1e-7\n", strings.Repeat("w"+string(rune('a'+i%26)), 1+i/26))
	}
	p, err := Learn(config.Gate{Name: "g", Reader: "none"}, strings.NewReader(b.String()), Facts{})
	if err != nil || len(p.Found) > maxLimits+maxOnly+maxProofs+maxAxes {
		t.Errorf("%v, %d proposals", err, len(p.Found))
	}
}

// TestPatternsTakeWhatIsWrong: a pattern that was learnt from a number finds a
// NaN in its place, so that a later run with one is broken and not silent.
func TestPatternsTakeWhatIsWrong(t *testing.T) {
	p := learned(t, config.Gate{Name: "g", Reader: "none"}, "step 4 rel 6.3e-7 on d_g, took 12.5 ms")
	cfg, err := load("[[gate]]\nname = \"g\"\nrun = [\"x\"]\nreader = \"none\"\n" + p.Toml)
	if err != nil || len(cfg.Gates[0].Bars) != 2 {
		t.Fatalf("%v\n%s", err, p.Toml)
	}
	for _, b := range cfg.Gates[0].Bars {
		for _, line := range []string{"step 5 rel nan on d_g, took nan ms", "step 500 rel -inf on d_k, took inf ms", "step 4 rel 1.5 on d_g, took  -9.5 ms"} {
			c, err := metric.New([]metric.Spec{{Metric: b.Metric, Pattern: b.Pattern}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.Line([]byte(line))
			f := c.Found(b.Metric)
			if f.Count+f.Faulty != 1 {
				t.Errorf("%s passes over %q", b.Pattern, line)
			}
		}
	}
}

// TestLearnTwice: what an earlier proposal left in comments is not proposed again,
// and what init says of its min-tests goes with the number that it wrote.
func TestLearnTwice(t *testing.T) {
	needTool(t, "git")
	text := "[workspace]\nname = \"w\"\n\n[[gate]]\nname = \"g\"\nrun = [\"x\"]\nreader = \"libtest\"\nmin-tests = 1  # " + minTestsWhy + "\n\n[[gate]]\nname = \"h\"\nrun = [\"x\"]\nreader = \"none\"\n"
	log := "step 4.21 ms at chunks=1\n"
	for _, gate := range []string{"g", "h"} {
		cfg, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Learn(*must(cfg.Gate(gate)), strings.NewReader(log), Facts{Config: text, Ran: 1335})
		if err != nil || p.Diff == "" || !strings.Contains(p.Diff, "# [gate.scope]") {
			t.Fatalf("%v, %+v", err, p)
		}
		text = gitApply(t, text, p.Diff)
		if cfg, err = load(text); err != nil {
			t.Fatal(err)
		}
		again, err := Learn(*must(cfg.Gate(gate)), strings.NewReader(log), Facts{Config: text, Ran: 1335})
		if err != nil || !again.Empty() || len(again.Left) == 0 || again.Left[0].What != "scope" {
			t.Errorf("%s again: %v, %+v", gate, err, again)
		}
	}
	if !strings.Contains(text, "min-tests = 1300  # 1335 ran when it was learned; rounded down") || strings.Contains(text, minTestsWhy) {
		t.Errorf("min-tests:\n%s", text)
	}
}
