package propose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// quietLog is what cargo test says of a test that passed, whatever the test printed.
const quietLog = `   Compiling w v0.1.0
    Finished ` + "`test`" + ` profile [unoptimized] target(s) in 0.05s
running 1 test
test worst ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.12s
`

// TestLearnHidden: where cargo test hid what the tests printed, --learn proposes to
// show it, in each of the commands and nothing else; and where something was printed
// it does not.
func TestLearnHidden(t *testing.T) {
	needTool(t, "git")
	for name, tc := range map[string]struct{ run, log, want, left string }{
		"one":      {`run = ["cargo", "test", "--test", "a"]  # the test`, quietLog, `run = ["cargo", "test", "--test", "a", "--", "--nocapture"]  # the test`, ""},
		"several":  {"run = [\n  [\"cargo\", \"test\", \"--lib\"],\n  [\"cargo\", \"test\", \"--\", \"--nocapture\"],\n]", quietLog, "run = [\n  [\"cargo\", \"test\", \"--lib\", \"--\", \"--nocapture\"],\n  [\"cargo\", \"test\", \"--\", \"--nocapture\"],\n]", ""},
		"shell":    {`run = "cargo test | cat"`, quietLog, "", "what passing tests print: cargo test does not show what passing tests print: add -- --nocapture to it in run"},
		"shown":    {`run = ["cargo", "test", "--", "--nocapture"]`, quietLog, "", ""},
		"read":     {`run = ["cargo", "test"]`, quietLog + "gpuci:metric name=grad value=0.5\n", "", ""},
		"a number": {`run = ["cargo", "test"]`, quietLog + "grid 12 of the shape\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := "[[gate]]\nname = \"g\"\n" + tc.run + "\nreader = \"libtest\"\n\n[[gate]]\nname = \"h\"\nrun = [\"true\"]\nreader = \"none\"\n"
			cfg, err := load(text)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Learn(*must(cfg.Gate("g")), strings.NewReader(tc.log), Facts{Config: text, Ran: 1})
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, l := range p.Left {
				left = append(left, l.String())
			}
			if got := strings.Join(left, "\n"); got != tc.left {
				t.Errorf("left %q, want %q", got, tc.left)
			}
			if tc.want == "" {
				if !p.Empty() {
					t.Errorf("proposed %q", p.Found)
				}
				return
			}
			after := gitApply(t, text, p.Diff)
			if want := strings.Replace(text, tc.run, tc.want, 1); after != want {
				t.Errorf("-want +got\n%s", cmp.Diff(want, after))
			}
		})
	}
}

// TestInitSaysHowNumbersShow: a file from init says at the first run that would hide a
// test's numbers what shows them.
func TestInitSaysHowNumbersShow(t *testing.T) {
	for reader, want := range map[string]string{"libtest": `"--", "--nocapture"`, "pytest": `"-rP"`, "ctest": `"-V"`, "gotest": "", "none": ""} {
		w := &writer{explained: make(map[string]bool)}
		run := map[string][]string{"libtest": {"cargo", "test"}, "pytest": {"python3", "-m", "pytest"}, "ctest": {"ctest"}, "gotest": {"go", "test", "./..."}, "none": {"make"}}[reader]
		w.gate(&Gate{Name: "g", Dir: ".", Run: [][]string{run}, Reader: reader})
		line, _, _ := strings.Cut(w.String()[strings.Index(w.String(), "run = "):], "\n")
		if got := strings.Contains(line, "#"); got != (want != "") || !strings.Contains(line, want) {
			t.Errorf("reader %s: %s, want %q in its comment", reader, line, want)
		}
	}
}
