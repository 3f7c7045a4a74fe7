package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/gates"
)

const leaving = `
[[gate]]
name = "leaves"
run = '''
setsid sleep 3600 &
echo $! > bg
echo $$ > pid; echo ready >&2
sleep 3600
'''
reader = "none"

[[gate]]
name = "next"
run = ["true"]
reader = "none"
`

// After gpuci itself was killed, the next one ends what it left, closes its
// record, and says so. Once as it comes, and once where no leaf can be made.
func TestKilledGpuci(t *testing.T) {
	for name, wrap := range map[string][]string{"as it comes": nil, "another uid": asNobody(t)} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, leaving)
			w.wrap = wrap
			if wrap != nil {
				w.handOver(t)
			}
			r := w.start(t, "ready", "gate", "leaves")
			if err := r.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-r.rest // wait(1) for what holds stderr would wait for the gate
			_ = r.Wait()
			if !w.alive(t) {
				t.Fatal("the gate ended with its gpuci: there is nothing to test")
			}
			cmd := w.command(t, "gate", "next")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if !strings.Contains(string(out), "of gate leaves left when gpuci was killed") {
				t.Errorf("it says nothing of what it ended: %s", out)
			}
			for _, file := range []string{"pid", "bg"} {
				if pid := w.pid(t, file); running2(pid) {
					t.Errorf("%s: pid %d is alive", file, pid)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(w.state, "gpuci", "*", "live", "*")); len(left) > 0 {
				t.Errorf("still said to go on: %q", left)
			}
			if n := w.outcomes(t)[gates.Interrupted]; n != 1 {
				t.Errorf("%d interrupted runs are recorded, want 1", n)
			}
		})
	}
}
