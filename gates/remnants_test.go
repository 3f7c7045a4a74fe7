package gates

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/reaper/proc"
)

func processRuns(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := proc.Real.Stat(pid)
	return err == nil && !s.Zombie()
}

// What any command leaves is named and ended, and what it used counts, not only
// the last one's: those of a build that went well too.
func TestEveryCommandIsTold(t *testing.T) {
	dir := t.TempDir()
	leave := func(name string) string {
		return "setsid tail -f /dev/null >/dev/null 2>&1 & echo $! > " + filepath.Join(dir, name)
	}
	burn := "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; "
	v := runGate(t, config.Gate{
		Build: []config.Command{{Shell: leave("built")}, {Shell: "true"}},
		Run:   []config.Command{{Shell: burn + leave("ran")}, {Argv: []string{"true"}}},
	}, "")
	if v.Outcome != Green || len(v.Commands) != 4 || v.Command == nil || v.Command.Argv[0] != "true" {
		t.Fatalf("%s, %d commands, %v", v.Outcome, len(v.Commands), v.Findings)
	}
	for i, step := range []string{"build", "build", "run", "run"} {
		c := v.Commands[i]
		if want := 1 - i%2; c.Step != step || len(c.Escaped) != want || c.Exit != 0 || c.Supervised == "" || (c.Supervised == "session") != (c.NoCgroup != "") {
			t.Errorf("command %d: %+v; want %d escaped of a %s", i, c, want, step)
		}
	}
	sum := 0.0
	for _, c := range v.Commands {
		sum += c.CPU
	}
	if v.Used.CPU < v.Commands[2].CPU || v.Commands[2].CPU < 0.05 || v.Used.CPU < sum*0.999 {
		t.Errorf("used %+v; the third alone used %+v", v.Used, v.Commands[2].Used)
	}
	marks := strings.Join(v.Marks, "\n")
	for _, want := range []string{"outlived its build and was ended: tail", "outlived its run and was ended: tail"} {
		if !strings.Contains(marks, want) {
			t.Errorf("marks %q, want %q", marks, want)
		}
	}
	for _, file := range []string{"built", "ran"} {
		if processRuns(t, filepath.Join(dir, file)) {
			t.Errorf("%s: it is alive", file)
		}
	}
}

// The memory of a command that has hardly any is gpuci's own in the kernel's
// books, and is left out.
func TestMemoryIsNotOurs(t *testing.T) {
	v := runGate(t, config.Gate{Run: []config.Command{{Argv: []string{"true"}}}}, "")
	data, err := json.Marshal(v.Command)
	if err != nil {
		t.Fatal(err)
	}
	if v.Command.MaxRSS != 0 || strings.Contains(string(data), "max-rss") {
		t.Errorf("%s", data)
	}
}

// Nothing is started once we were asked to stop, and the verdict says so.
func TestNothingBeginsAfterTheEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "built")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(Signalled{Exit: 130})
	g := config.Gate{
		Name: "g", Dir: ".", Reader: "none", Timeout: time.Minute, BuildTimeout: time.Minute,
		Build: shell("touch " + file), Run: shell("touch " + file),
	}
	v := Run(ctx, Options{Gate: g, Root: t.TempDir(), State: t.TempDir(), Version: "test"})
	if _, err := os.Stat(file); err == nil {
		t.Error("a command was started")
	}
	if v.Outcome != Interrupted || v.Exit != 130 || len(v.Commands) != 0 || !v.Bound.Unread {
		t.Errorf("%s, exit %d, %d commands, unread %t", v.Outcome, v.Exit, len(v.Commands), v.Bound.Unread)
	}
	if !strings.Contains(v.Findings[0].Text, "before any of its commands") {
		t.Errorf("%v", v.Findings)
	}
	for _, s := range v.Steps {
		if (s.Name == "build" || s.Name == "run") && s.State != StepSkipped {
			t.Errorf("step %s: %s", s.Name, s.State)
		}
	}
}

// A phase that is over before one of its commands begins does not begin it.
func TestPhaseThatIsOver(t *testing.T) {
	for _, why := range []ending{byInterrupt, byTimeLimit} {
		ctx, cancel := context.WithTimeoutCause(context.Background(), 0, errTimeLimit)
		if why == byInterrupt {
			cancel()
			ctx, cancel = context.WithCancel(context.Background())
			cancel()
		}
		log, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		f := &flow{v: &Verdict{}, gate: config.Gate{Dir: "."}}
		last := f.phase(ctx, phase{"run", shell("exit 3"), time.Minute, &output{log: log}})
		if last.why != why || len(f.v.Commands) != 0 || last.ok() {
			t.Errorf("%+v; want %d and no command", last, why)
		}
		cancel()
		_ = log.Close()
	}
}

// A tool that is asked for its version leaves nothing behind either, is not
// taken for the gate, and is not told the run.
func TestToolsAreSupervised(t *testing.T) {
	dir := t.TempDir()
	script := `#!/bin/bash
[ "$1" = --version ] || exit 0
setsid sleep 3600 >/dev/null 2>&1 &
until grep -q sleep /proc/$!/comm; do sleep 0.01; done
echo $! > ` + dir + `/pid
env > ` + dir + `/env
echo "cargo 1.2.3 (made up)"
`
	if err := os.WriteFile(filepath.Join(dir, "cargo"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var v Verdict
	for range 10 { // on a busy machine tools take longer than they are waited for
		v = runGate(t, config.Gate{
			Run: []config.Command{{Argv: []string{"cargo", "x"}}},
			Env: map[string]string{"PATH": dir + ":" + os.Getenv("PATH")},
		}, "")
		if !slices.ContainsFunc(v.Marks, func(m string) bool { return strings.Contains(m, "in time") }) {
			break
		}
	}
	if v.Outcome != Green || len(v.Marks) != 1 { // outside git
		t.Errorf("%s: %v, %v", v.Outcome, v.Findings, v.Marks)
	}
	if !slices.ContainsFunc(v.Bound.Tools, func(x Tool) bool { return x.Version == "cargo 1.2.3 (made up)" }) {
		t.Errorf("tools %+v", v.Bound.Tools)
	}
	if processRuns(t, filepath.Join(dir, "pid")) {
		t.Error("what the tool left is alive")
	}
	env, err := os.ReadFile(filepath.Join(dir, "env"))
	if err != nil || strings.Contains(string(env), "GPUCI_RUN=") {
		t.Errorf("%v: %s", err, env)
	}
}

// A command that fails without a word may have waited for input.
func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"read -r x":                "its standard input is empty",
		"read -r x < /dev/tty":     "it asked for a terminal",
		"echo no such luck; false": "",
	} {
		v := runGate(t, config.Gate{Run: shell(text)}, "")
		next := strings.Join(v.Next, "\n")
		if v.Outcome != Red || want != "" && !strings.Contains(next, want) || want == "" && strings.Contains(next, "standard input") {
			t.Errorf("%s: %s, next %q", text, v.Outcome, next)
		}
	}
	v := runGate(t, config.Gate{Run: []config.Command{{Argv: []string{"./mydaemon 62"}}}}, "")
	if text := v.Findings[0].Text; !strings.Contains(text, "a program with its arguments?") {
		t.Errorf("%s", text)
	}
}

// Of a command that hangs every process is written down, and why there are no
// stacks by gdb.
func TestStacksOfMany(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"bash", "sleep"} {
		if err := os.Symlink("/bin/"+name, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", tools)
	const n = 20
	v := runGate(t, config.Gate{
		Run: shell("for i in {1.." + strconv.Itoa(n) + "}; do sleep 3600 & done; wait"), Timeout: 500 * time.Millisecond, BuildTimeout: time.Minute,
	}, "")
	text, err := os.ReadFile(filepath.Join(v.Dir, "stacks.txt"))
	if err != nil {
		t.Fatalf("%v; %s: %v", err, v.Outcome, v.Findings)
	}
	if got := strings.Count(string(text), " sleep, state "); got != n {
		t.Errorf("%d of %d processes: %s", got, n, text)
	}
	for _, want := range []string{"21 processes, CPU", "in the kernel: ", "gdb: not installed", "and not about the other 5"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// A verdict that is there keeps all that it says when something is added.
func TestAmend(t *testing.T) {
	dir := t.TempDir()
	const old = `{"type":"verdict","run":"r","new-field":{"a":[1.50,"x"]},"exit":100}`
	if err := os.WriteFile(filepath.Join(dir, "verdict.json"), []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	(&flow{}).amend(dir, Leftover{By: "later", Survivors: []string{"x"}})
	data, err := os.ReadFile(filepath.Join(dir, "verdict.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Verdict
		New json.RawMessage `json:"new-field"`
	}
	if err := json.Unmarshal(data, &v); err != nil || v.Exit != 100 || v.Leftover == nil || v.Leftover.By != "later" || !strings.Contains(string(v.New), "1.50") {
		t.Errorf("%v: %s", err, data)
	}
}

// What was still there and has gone since is not said to be there any more;
// what was ended before is not forgotten.
func TestAmendAgain(t *testing.T) {
	dir := t.TempDir()
	const old = `{"type":"verdict","run":"r","exit":100,"leftover":{"by":"first","ended":["a"],"survivors":["x"]}}`
	path := filepath.Join(dir, "verdict.json")
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	read := func() (v Verdict) {
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		if err != nil || v.Leftover == nil {
			t.Fatalf("%v: %s", err, data)
		}
		return v
	}
	(&flow{}).amend(dir, Leftover{By: "second"})
	if l := read().Leftover; l.By != "second" || len(l.Survivors) != 0 || !slices.Equal(l.Ended, []string{"a"}) {
		t.Errorf("%+v", l)
	}
	(&flow{}).amend(dir, Leftover{By: "third"})
	if l := read().Leftover; l.By != "second" {
		t.Errorf("%+v; the third had nothing to add", l)
	}
}

// Whoever is in a hurry waits for no tool, and that is not the tool's fault.
func TestHurryBlamesNoTool(t *testing.T) {
	hurry, done := make(chan struct{}), make(chan told, 1)
	close(hurry)
	f := &flow{v: &Verdict{}, opt: Options{Hurry: hurry}}
	f.answers(asking{done, func() { done <- told{left: []string{"node"}} }})
	if len(f.v.Marks) != 1 || !strings.Contains(f.v.Marks[0], "could not be ended") {
		t.Errorf("marks %q, want the one of what is left", f.v.Marks)
	}
}
