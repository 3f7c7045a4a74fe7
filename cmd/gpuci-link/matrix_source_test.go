//go:build linux

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
)

// gated starts a compiler on a source file that is a gate and on a second one.
func gated(t *testing.T, l lock, name string, options ...string) (made *build, gate string) {
	t.Helper()
	dir := t.TempDir()
	gate = filepath.Join(dir, name+".c")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "main.c"), "int main(void) { return 0; }\n")
	argv := append([]string{"gcc"}, options...)
	return begin(t, dir, l.env, append(argv, gate, "main.c", "-o", name)...), gate
}

const function = "int function(void) { return 1; }\n"

// TestMatrixCompileBeforeLink has two `cc a.c b.c -o x` in their compile step at
// once: that is not under the only ticket. Their links are.
func TestMatrixCompileBeforeLink(t *testing.T) {
	needTools(t, "gcc")
	l := newLock(t, bareEnv(), 1)
	w := watch(t, l.shims)
	first, gate1 := gated(t, l, "one")
	second, gate2 := gated(t, l, "two")
	open1, open2 := reached(t, gate1), reached(t, gate2)
	pass(t, open1, function)
	pass(t, open2, function)
	first.wait(t)
	second.wait(t)
	seen, unseen := w.stop(t)
	seen.wantMost(t, 1)
	if len(seen) != 2 || l.tickets(t) != 2 {
		t.Errorf("%d links (unseen: %v), %d tickets; want 2 and 2", len(seen), unseen, l.tickets(t))
	}
}

// TestMatrixHiddenLinker: where -B hides the linker from the ld shim, the whole
// call has the ticket, its compile step too.
func TestMatrixHiddenLinker(t *testing.T) {
	needTools(t, "gcc")
	ld, err := lookPath(bareEnv(), "ld")
	if err != nil {
		needs(t, "ld")
	}
	l := newLock(t, bareEnv(), 1)
	w := watch(t, l.shims)
	first, gate1 := gated(t, l, "one", "-B"+filepath.Dir(ld)+"/")
	open1 := reached(t, gate1)
	second, gate2 := gated(t, l, "two", "-B"+filepath.Dir(ld)+"/")
	waitFor(t, l, "holds waits")
	if f, err := os.OpenFile(gate2, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
		_ = f.Close()
		t.Error("the second call compiles while the first has the ticket")
	}
	pass(t, open1, function)
	pass(t, reached(t, gate2), function)
	first.wait(t)
	second.wait(t)
	seen, unseen := w.stop(t)
	seen.wantMost(t, 1)
	if len(seen) != 2 {
		t.Errorf("%d links (unseen: %v), want 2", len(seen), unseen)
	}
}

// waitFor waits until the tickets in line are in these states, lowest first.
func waitFor(t *testing.T, l lock, states string) {
	t.Helper()
	var now string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		entries, err := buildlock.Tickets(t.Context(), l.dir, buildlock.Link)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, e := range entries {
			found = append(found, e.State)
		}
		if now = strings.Join(found, " "); now == states {
			return
		}
	}
	t.Fatalf("the tickets are %q, want %q", now, states)
}
