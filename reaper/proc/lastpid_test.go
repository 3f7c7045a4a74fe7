package proc

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// Whoever is started between two readings has a number between them, or the
// numbers have begun anew.
func TestLastPID(t *testing.T) {
	before, err := Real.LastPID()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	after, err := Real.LastPID()
	if pid := cmd.Process.Pid; err != nil || before < after && (pid <= before || pid > after) || before == after {
		t.Errorf("pid %d between %d and %d, %v", pid, before, after, err)
	}
	if _, err := Root(t.TempDir()).LastPID(); err == nil {
		t.Error("no file, and no error")
	}
}

func FuzzParseLastPID(f *testing.F) {
	for _, seed := range []string{"0.20 0.18 0.12 1/80 11206\n", "", "1 2 3 4 -5", "1 2 3 4 x", "1 2 3 4 -0", "1 2 3 4 99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pid, err := parseLastPID(text)
		if err != nil {
			return
		}
		if words := strings.Fields(text); pid < 0 || strings.TrimLeft(words[4], "+-0") != strings.TrimLeft(strconv.Itoa(pid), "0") {
			t.Errorf("%q: %d", text, pid)
		}
	})
}
