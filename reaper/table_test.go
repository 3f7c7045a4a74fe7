package reaper

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// A process table that is not one of ours ends nothing.
func TestSweepOfNoProcessTable(t *testing.T) {
	s := newStage(t)
	pid := ripe(t, orphan(t, s.lane.Root, s.tool(t, "ld"), "100"))
	o := s.options()
	o.Root = proc.Root(t.TempDir())
	if r, err := Sweep(soon(t), o); err == nil {
		t.Errorf("an empty directory: %s", r)
	}
	boot := filepath.Join(string(o.Root), "sys/kernel/random")
	if err := os.MkdirAll(boot, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(boot, "boot_id"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := Sweep(soon(t), o); !errors.Is(err, ErrTorn) {
		t.Errorf("no processes: %s, %v", r, err)
	}
	copyProc(t, o.Root, pid, 1, os.Getpid())
	o.Deadline = 100 * time.Millisecond
	r, err := Sweep(soon(t), o)
	if err != nil || len(r.Survivors) != 1 || r.Survivors[0].Err == nil || !lives(t, pid) {
		t.Errorf("a copy: %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.Root = ""
	if _, err := Sweep(ctx, o); !errors.Is(err, context.Canceled) || !lives(t, pid) {
		t.Errorf("cancelled: %v", err)
	}
	o.DryRun = true
	if r := sweep(t, o); len(r.Leaked) != 1 || !strings.HasPrefix(r.String(), "would sweep 1 leaked (lane kda;") || !lives(t, pid) {
		t.Errorf("dry: %+v", r)
	}
}

// copyProc copies what is read of some processes into a tree of files.
func copyProc(t *testing.T, root proc.Root, list ...int) {
	t.Helper()
	for _, pid := range list {
		dir := filepath.Join(string(root), strconv.Itoa(pid))
		if err := os.MkdirAll(filepath.Join(dir, "ns"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"exe", "cwd", "ns/mnt", "ns/pid"} {
			text, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), name))
			if err == nil {
				err = os.Symlink(text, filepath.Join(dir, name))
			}
			if err != nil && !errors.Is(err, unix.EACCES) {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"stat", "status"} {
			data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(string(root), "uptime"), []byte("1e8 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
