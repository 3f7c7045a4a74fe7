package ci

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// cells are the table of a report: "lane gate state outcome".
func cells(r Report) (list []string) {
	for _, l := range r.Lanes {
		for _, c := range l.Cells {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s: %s %s", l.Lane, c.Gate, c.State, c.Outcome)))
		}
	}
	slices.Sort(list)
	return list
}

// mustCell is one of them.
func mustCell(t testing.TB, r Report, lane, gate string) Cell {
	t.Helper()
	c, ok := r.cell(lane, gate)
	if !ok {
		t.Fatalf("the report has nothing of %s in %s: %q", gate, lane, cells(r))
	}
	return c
}

func mustLane(t testing.TB, r Report, name string) Lane {
	t.Helper()
	i := slices.IndexFunc(r.Lanes, func(l Lane) bool { return l.Lane == name })
	if i < 0 {
		t.Fatalf("the report has no lane %s", name)
	}
	return r.Lanes[i]
}

// waitFor waits for a file that a gate makes, for as long as a test may take.
func waitFor(t testing.TB, path string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s did not come", path)
}

// needs skips a test whose tool is missing.
func needs(t testing.TB, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs " + tool)
	}
	t.Skip("needs " + tool)
}

func as[E error](t testing.TB, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("got the error %v, want %T", err, e)
	}
	return e
}
