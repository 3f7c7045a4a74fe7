package gates

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/gates/config"
)

// runGate runs a gate's command in a fresh directory outside git.
func runGate(t *testing.T, g config.Gate, state string, args ...string) Verdict {
	t.Helper()
	if g.Reader == "" {
		g.Reader = "none"
	}
	if g.Timeout == 0 {
		g.Timeout, g.BuildTimeout = time.Minute, time.Minute
	}
	g.Name, g.Dir, g.Grace = "g", ".", 5*time.Second
	if state == "" {
		state = t.TempDir()
	}
	return Run(context.Background(), Options{Gate: g, Root: t.TempDir(), State: state, Args: args, Version: "test"})
}

func shell(text string) []config.Command { return []config.Command{{Shell: text}} }

// What -v prints can be pasted into a shell.
func TestQuoteArgv(t *testing.T) {
	for _, argv := range [][]string{{"a", "b c", ""}, {"it's", `"$HOME"`, "`x`", "a\nb", "*", "~", "é"}, {"--flag=x,y:z@%+/."}} {
		out, err := exec.Command("bash", "-c", `printf '%s\0' `+quoteArgv(argv)).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); fmt.Sprint(got) != fmt.Sprint(argv) {
			t.Errorf("%q came back as %q", argv, got)
		}
	}
}

// A string runs under bash -euo pipefail; each of the three is needed.
func TestShellSwallowsNothing(t *testing.T) {
	for _, text := range []string{"false; true", "false | true", `echo "$NO_SUCH_VARIABLE_HERE"; true`} {
		if v := runGate(t, config.Gate{Run: shell(text)}, ""); v.Outcome != Red {
			t.Errorf("%s: %s", text, v.Outcome)
		}
	}
}

func TestArgumentsReachTheCommand(t *testing.T) {
	v := runGate(t, config.Gate{Run: shell(`test "$1" = "a b" && test $# = 2`)}, "", "a b", "c")
	if v.Outcome != Green || !v.Partial {
		t.Errorf("%s, partial %t, %v", v.Outcome, v.Partial, v.Findings)
	}
}

// The child sees its own standard input closed, its own environment and the
// run it belongs to.
func TestEnvironment(t *testing.T) {
	v := runGate(t, config.Gate{
		Env: map[string]string{"MINE": "a b"},
		Run: shell(`test "$MINE" = "a b"; test "$GPUCI_GATE" = g; test -n "$GPUCI_RUN"; ! read -r x`),
	}, "")
	if v.Outcome != Green {
		t.Errorf("%s: %v", v.Outcome, v.Findings)
	}
}

// What a run is given is stronger than what the gate says of itself.
func TestOptionsEnvironment(t *testing.T) {
	v := Run(context.Background(), Options{
		Gate: config.Gate{
			Name: "g", Dir: ".", Reader: "none", Timeout: time.Minute, Grace: time.Second,
			Env: map[string]string{"CARGO_TARGET_DIR": "/everybodys", "MINE": "a"},
			Run: shell(`test "$CARGO_TARGET_DIR" = /its/own; test "$MINE" = a`),
		},
		Root: t.TempDir(), State: t.TempDir(), Version: "test", Env: []string{"CARGO_TARGET_DIR=/its/own"},
	})
	if v.Outcome != Green {
		t.Errorf("%s: %v", v.Outcome, v.Findings)
	}
}

// The time of the build is not the run's, and each has its own limit.
func TestLimitsApart(t *testing.T) {
	v := runGate(t, config.Gate{Build: shell("sleep 0.4"), Run: shell("sleep 0.4"), BuildTimeout: 30 * time.Second, Timeout: 30 * time.Second}, "")
	if v.Outcome != Green {
		t.Errorf("%s: %v", v.Outcome, v.Findings)
	}
	v = runGate(t, config.Gate{Build: shell("sleep 60"), Run: shell("true"), BuildTimeout: 100 * time.Millisecond, Timeout: time.Minute}, "")
	if v.Outcome != OutOfTime || !strings.Contains(v.Findings[0].Text, "the build was ended") {
		t.Errorf("%s: %v", v.Outcome, v.Findings)
	}
}

// A disk that fills up while the gate runs: a verdict is reached all the same,
// and it is not green, since neither its log nor itself can be looked up.
func TestFullDisk(t *testing.T) {
	small := t.TempDir()
	if err := unix.Mount("none", small, "tmpfs", 0, "size=256k"); err != nil {
		skipOrFail(t, "mounting a tmpfs: "+err.Error())
	}
	t.Cleanup(func() { _ = unix.Unmount(small, unix.MNT_DETACH) })
	v := runGate(t, config.Gate{Run: shell("head -c 1000000 /dev/zero; echo; echo gpuci:metric name=x value=1"),
		Bars: []config.Bar{{Metric: "x", Max: new(float64(2))}}}, small)
	text := fmt.Sprint(v.Findings)
	if v.Outcome != Broken || !strings.Contains(text, "the log is not whole") || !strings.Contains(text, "could not be recorded") {
		t.Errorf("%s: %s", v.Outcome, text)
	}
	found, _ := filepath.Glob(filepath.Join(small, "runs", "*", "*.part"))
	if len(found) > 0 {
		t.Errorf("half-written files are left: %q", found)
	}
}

// Where nothing can be recorded, nothing is run.
func TestUnwritableState(t *testing.T) {
	state := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(state, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ran := filepath.Join(t.TempDir(), "ran")
	v := runGate(t, config.Gate{Run: shell("touch " + ran)}, state)
	if v.Outcome != Refused {
		t.Errorf("%s: %v", v.Outcome, v.Findings)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the command ran")
	}
}

func skipOrFail(t *testing.T, needs string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs " + needs)
	}
	t.Skip("needs " + needs)
}
