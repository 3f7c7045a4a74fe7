package falsify

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/gates"
	"gpuci/gates/history"
)

// shellGate is a gate in shell: sum.sh prints the sum of numbers.txt as an error.
const shellGate = `
[[gate]]
name = "sum"
run = ["bash", "sum.sh"]
reader = "none"

  [[gate.bar]]
  metric = "worst-rel"
  max = 1e-6

  [[gate.bar]]
  metric = "none-at-all"
  max = 0

  [[gate.witness]]
  pattern = 'took=(?P<took>\d+)/(?P<asked>\d+)'
  holds = "took == asked"
`

func shellFiles(faults string) map[string]string {
	return map[string]string{
		"gpuci.toml": shellGate + faults,
		"sum.sh": `
. ./values
echo "gpuci:metric name=worst-rel value=$rel term=a"
echo "gpuci:metric name=worst-rel value=$other term=b"
echo "gpuci:metric name=none-at-all value=$none"
echo "gpuci:metric name=unbarred value=$free"
echo "took=$took/8"
exit $code
`,
		"values":           "rel=1e-9\nother=2e-9\nnone=0\nfree=2.5\ntook=8\ncode=0\n",
		"faults/big.patch": "--- a/values\n+++ b/values\n@@ -1,4 +1,4 @@\n-rel=1e-9\n+rel=1\n other=2e-9\n none=0\n free=2.5\n",
		"faults/old.patch": "--- a/values\n+++ b/values\n@@ -1,4 +1,4 @@\n-rel=1e-10\n+rel=1\n other=2e-9\n none=0\n free=2.5\n",
	}
}

func fault(name, how, says string) string {
	return "\n  [[gate.fault]]\n  name = \"" + name + "\"\n  " + how + "\n  " + strings.ReplaceAll(says, "; ", "\n  ") + "\n"
}

func swap(from, to string) string {
	return `replace = { file = "values", from = "` + from + `", to = "` + to + `" }`
}

// Every outcome that a fault can have.
func TestOutcomes(t *testing.T) {
	s := newStage(t, shellFiles(strings.Join([]string{
		fault("patch", `patch = "faults/big.patch"`, `must-move = "worst-rel"; must-not-move = ["unbarred", "worst-rel term=b"]`),
		fault("term", swap("rel=1e-9", "rel=1e-3"), `must-move = "worst-rel term=a"`),
		fault("other-term", swap("rel=1e-9", "rel=1e-3"), `must-move = "worst-rel term=b"`),
		fault("too-little", swap("rel=1e-9", "rel=9e-5"), `must-move = "worst-rel"`),
		fault("margin", swap("rel=1e-9", "rel=9e-5"), `must-move = "worst-rel"; margin = 50`),
		fault("zero", swap("none=0", "none=1e-300"), `must-move = "none-at-all"`),
		fault("not-seen", swap("free=2.5", "free=2.6"), `must = "red"`),
		fault("moves-too-much", swap("rel=1e-9\\nother=2e-9", "rel=1\\nother=1"), `must-move = "worst-rel term=a"; must-not-move = "worst-rel term=b"`),
		fault("moves-unbarred", swap("rel=1e-9\\nother=2e-9\\nnone=0\\nfree=2.5", "rel=1\\nother=1\\nnone=0\\nfree=26"), `must-move = "worst-rel"; must-not-move = "unbarred"`),
		fault("rotted", `patch = "faults/old.patch"`, `must-move = "worst-rel"`),
		fault("uncounted", `replace = { file = "values", from = "=", to = ":", count = 2 }`, `must = "red"`),
		fault("nan", swap("rel=1e-9", "rel=nan"), `must = "broken:nan"`),
		fault("nan-unsaid", swap("rel=1e-9", "rel=nan"), `must-move = "worst-rel"`),
		fault("witness", swap("took=8", "took=7"), `must = "witness:took  == asked"`),
		fault("other-witness", swap("code=0", "code=1"), `must = "witness:took == asked"`),
		fault("command", `command = ["sed", "-i", "s/code=0/code=3/", "values"]`, `must = "finding:exit status 3"`),
		fault("idle", `command = ["true"]`, `must = "red"`),
		fault("fails", `command = ["false"]`, `must = "red"`),
		fault("absent", `command = ["./no-such-program"]`, `must = "red"`),
	}, "")))
	r := s.falsify()
	s.want(r, "caught", "caught", "blind", "blind", "caught", "caught", "blind", "blind", "blind", "does not apply", "does not apply",
		"caught", "broken", "caught", "blind", "caught", "does not apply", "does not apply", "broken")
	if r.Exit != 100 || r.Caught != 7 || r.Of != 19 || r.Tree == "" || len(r.Files) != 3 {
		t.Errorf("exit %d, %d of %d, tree %q, files %q", r.Exit, r.Caught, r.Of, r.Tree, r.Files)
	}
	for name, text := range map[string]string{
		"other-term": "worst-rel term=b is 0.002 times its bar: 100 times", "too-little": "worst-rel is 90 times its bar: 100 times",
		"moves-too-much": "worst-rel term=b moves too: it went from 2e-9 to 1, 1e6 times its bar", "moves-unbarred": "unbarred moves too: it went from 2.5 to 26",
		"uncounted": "stands in values 6 times, not 2 times", "idle": "changes nothing",
	} {
		i := slices.IndexFunc(r.Planted, func(p Planted) bool { return p.Fault == name })
		if p := r.Planted[i]; !strings.Contains(p.Why, text) {
			t.Errorf("%s: %q, want %q", name, p.Why, text)
		}
	}
}

// One by one, for the exit codes.
func TestExit(t *testing.T) {
	s := newStage(t, shellFiles(strings.Join([]string{
		fault("good", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`),
		fault("rotted", swap("gone", "x"), `must = "red"`),
		fault("nan", swap("rel=1e-9", "rel=nan"), `must-move = "worst-rel"`),
		fault("blind", swap("free=2.5", "free=3"), `must = "red"`),
	}, "")))
	for only, want := range map[string]int{"good": 0, "good rotted": 103, "rotted nan": 102, "rotted nan blind": 100} {
		r := s.falsify(strings.Fields(only)...)
		if r.Exit != want || !r.Partial {
			t.Errorf("%s: exit %d, want %d", only, r.Exit, want)
		}
	}
	store, err := s.past().Store()
	if err != nil {
		t.Fatal(err)
	}
	if list, err := store.Falsifications(t.Context(), history.Query{}); err != nil || len(list) != 0 {
		t.Errorf("what was asked for in part stands for the whole: %+v, %v", list, err)
	}
	if list, err := store.Falsifications(t.Context(), history.Query{Partial: true}); err != nil || len(list) != 4 {
		t.Errorf("%d, %v", len(list), err)
	}
	if list, err := store.Latest(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("a trial stands among the outcomes: %+v, %v", list, err)
	}
	// The lane as it is counts, and one that is red by itself can say nothing.
	s.write("values", "rel=1\nother=2e-9\nnone=0\nfree=2.5\ntook=8\ncode=0\n")
	r := s.falsify()
	if r.Exit != 102 || !strings.Contains(r.Broken, "without a fault it is red") || len(r.Planted) > 0 || len(r.Next) == 0 {
		t.Errorf("%d, %q, %v", r.Exit, r.Broken, r.Planted)
	}
}

// A new database is not filled with trials, and what a gate's own run says is not
// touched by them.
func TestNoOutcome(t *testing.T) {
	s := newStage(t, shellFiles(fault("good", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`)))
	s.falsify()
	for _, name := range []string{"history.db", "history.db-wal", "history.db-shm"} {
		_ = os.Remove(filepath.Join(s.home, "state", name))
	}
	store, err := s.past().Store()
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range store.Results(t.Context(), history.Query{Partial: true}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// The outcome of the gate says whether it was falsified, and what has changed since.
func TestGreenLine(t *testing.T) {
	s := newStage(t, shellFiles(fault("good", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`)))
	o := s.options()
	gate := func(strict bool) gates.Verdict {
		o := s.options()
		opt, _ := o.Prepare(o.Lane, o.Root)
		opt.Gate, opt.Root, opt.Lane, opt.Strict = o.Gate, o.Root, o.Lane, strict
		return gates.Run(t.Context(), opt)
	}
	says := func(v gates.Verdict, outcome gates.Outcome, text string) {
		t.Helper()
		if v.Outcome != outcome || v.Falsified == nil || v.Falsified.Text(v.Started) != text {
			t.Errorf("%s, %+v, %q; want %s, %s", v.Outcome, v.Falsified, v.Findings, outcome, text)
		}
	}
	v := gate(false)
	says(v, gates.Green, "never falsified")
	if len(v.Marks) != 1 || !strings.Contains(v.Marks[0], "gpuci falsify sum") {
		t.Errorf("%q", v.Marks)
	}
	says(gate(true), gates.Attention, "never falsified")
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	says(gate(true), gates.Green, "falsified 1 of 1, just now, same gate files")
	s.write("sum.sh", "# another\n"+shellFiles("")["sum.sh"])
	says(gate(true), gates.Green, "falsified 1 of 1, but sum.sh changed since")
	s.write("values", "rel=2e-9\nother=2e-9\nnone=0\nfree=2.5\ntook=8\ncode=0\n")
	v = gate(false)
	says(v, gates.Attention, "falsified 1 of 1, but sum.sh and 1 more changed since")
	if v.Exit != 103 || !slices.Equal(v.Falsified.Rotted, []string{"good"}) || !strings.Contains(v.Findings[0].Text, "does not apply any more") {
		t.Errorf("%d, %+v, %q", v.Exit, v.Falsified, v.Findings)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	says(gate(true), gates.Attention, "falsified 0 of 1 (not good), just now, same gate files")
	s.git("checkout", "-q", "--", ".")
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	says(gate(true), gates.Green, "falsified 1 of 1, just now, same gate files")
	s.write("gpuci.toml", strings.Replace(shellFiles(fault("good", swap("rel=1e-9", "rel=1"), `must-move = "worst-rel"`))["gpuci.toml"], "max = 1e-6", "max = 1e-5", 1))
	says(gate(true), gates.Green, "falsified 1 of 1, but its settings have changed since")
}

// Somebody who stops it finds nothing left, and nothing recorded.
func TestStopped(t *testing.T) {
	s := newStage(t, shellFiles(fault("good", `command = "echo x >> values"`, `must = "red"`)))
	o := s.options()
	ctx, cancel := context.WithCancelCause(t.Context())
	o.Note = func(text string) {
		if strings.Contains(text, "without a fault") {
			cancel(gates.Signalled{Exit: gates.ExitTerminated})
		}
	}
	before := s.lane()
	r, err := Run(ctx, o)
	if err != nil || r.Exit != gates.ExitTerminated || r.Stopped == nil || len(r.Planted) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if now := s.lane(); now != before {
		t.Error(now)
	}
	if left, _ := os.ReadDir(o.ScratchDir); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// What cannot be copied is said, and nothing else.
func TestNoCopy(t *testing.T) {
	s := newStage(t, shellFiles(fault("good", swap("rel=1e-9", "rel=1"), `must = "red"`)))
	o := s.options()
	o.ScratchDir = filepath.Join(s.dir, "inside")
	r, err := Run(t.Context(), o)
	if err != nil || r.Exit != 102 || !strings.Contains(r.Broken, "is in the worktree") || len(r.Next) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
