package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"gpuci/gates"
)

// On a terminal the child's stderr is a terminal too, so that it colours its
// messages; its stdout, which is judged, is always a pipe.
func TestTerminal(t *testing.T) {
	w := newWorkspace(t, `
[[gate]]
name = "colour"
run = '''
if test -t 1; then exit 9; fi
printf '\033[31mred\033[0m\nno newline' >&2
printf 'gpuci:metric name=\033[1mx\033[0m value=1\n'
test -t 2
'''
reader = "none"
[[gate.bar]]
metric = "x"
max = 1
`)
	for _, tc := range []struct {
		color string
		want  gates.Outcome
	}{{"auto", gates.Green}, {"never", gates.Red}} {
		t.Run(tc.color, func(t *testing.T) {
			cmd := w.command(t, "gate", "--color", tc.color, "colour")
			cmd.Env = append(cmd.Env, "TERM=xterm", "XDG_STATE_HOME="+t.TempDir())
			ours, theirs, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, theirs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = theirs.Close()
			text, _ := io.ReadAll(ours) // EIO at the end
			_ = cmd.Wait()
			if !strings.HasPrefix(out.String(), string(tc.want)+":") {
				t.Errorf("got %q, want %s; terminal %q", out.String(), tc.want, text)
			}
			// What the child prints is passed on as it is either way.
			if !strings.Contains(string(text), "\x1b[31mred\x1b[0m") {
				t.Errorf("the child's colour is lost: %q", text)
			}
		})
	}
}

// All output is in the log, byte for byte, whatever it is; and gpuci's memory
// does not grow with it, neither by many lines nor by one without an end.
func TestWholeLogBoundedMemory(t *testing.T) {
	const size = 192 << 20
	for name, script := range map[string]string{
		"lines":   fmt.Sprintf("yes 'step 12 loss 3.25 worst abs 1e-7' | head -c %d", size),
		"no-line": fmt.Sprintf("head -c %d /dev/zero", size),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, fmt.Sprintf(`
[[gate]]
name = "flood"
run = """set +o pipefail; %s; echo; echo 'worst rel 1e-9'"""
reader = "libtest"
[[gate.bar]]
metric = "worst-rel"
pattern = 'worst rel (?P<value>[-+0-9.eE]+)'
max = 1
`, script))
			cmd := w.command(t, "gate", "flood")
			peak, _ := runPeak(cmd) // broken: libtest counted nothing
			v := w.verdict(t)
			info, err := os.Stat(v.Log)
			if err != nil {
				t.Fatal(err)
			}
			if want := int64(size + 1 + len("worst rel 1e-9\n")); info.Size() != want {
				t.Errorf("the log has %d bytes, want %d", info.Size(), want)
			}
			if len(v.Bars) != 1 || v.Bars[0].Matches != 1 {
				t.Errorf("bars %+v: the number behind the flood was not read", v.Bars)
			}
			t.Logf("peak %d KiB", peak)
			if peak == 0 || peak > 32<<10 {
				t.Errorf("gpuci's peak memory was %d KiB for %d MiB of output", peak, size>>20)
			}
		})
	}
}
