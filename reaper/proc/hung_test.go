package proc

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func catCommand(path string) *exec.Cmd { return exec.Command("/bin/cat", path) }

// impatient is a deadline that a hung target certainly misses.
func impatient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// A process that holds its own memory's lock in D: it maps a file on a dead
// server. The kernel takes the lock killably for a reader, so none is left.
func TestCmdlineOfALockedProcess(t *testing.T) {
	mapper := compiled(t, "mapper")
	f := mountStuck(t)
	defer f.Release()
	f.Hold(t)
	pid := launchReady(t, exec.Command(mapper, "map", f.Page))
	until(t, pid, "is in D", func(s Stat) bool { return s.State == 'D' })
	before := runtime.NumGoroutine()
	for name, read := range map[string]func(context.Context, int) ([]string, error){"cmdline": Real.Cmdline, "environ": Real.Environ} {
		got, err := read(impatient(t), pid)
		var hung *HungError
		if !errors.As(err, &hung) || !errors.Is(err, context.DeadlineExceeded) || hung.PID != pid || hung.Reader != 0 {
			t.Errorf("%s: got %q, %v; want a deadline and no reader left", name, got, err)
		}
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
	readable(t, pid)
}

// readable checks that everything but a process's memory can be read of one
// that hangs: none of it takes the lock.
func readable(t *testing.T, pid int) {
	t.Helper()
	if s, err := Real.Status(pid); err != nil || s.TGID != pid {
		t.Errorf("status: %+v, %v", s, err)
	}
	if p, err := Real.Exe(pid); err != nil || !p.Known() {
		t.Errorf("exe: %+v, %v", p, err)
	}
	if p, err := Real.Cwd(pid); err != nil || !p.Known() {
		t.Errorf("cwd: %+v, %v", p, err)
	}
	if list, whole, err := Real.FDs(pid); err != nil || !whole || len(list) == 0 {
		t.Errorf("open files: %+v, %v, %v", list, whole, err)
	}
	if _, err := Real.IO(pid); err != nil {
		t.Errorf("io: %v", err)
	}
	if _, err := Real.WaitChannel(pid); err != nil {
		t.Errorf("wait channel: %v", err)
	}
	stack, err := Real.KernelStack(pid)
	s, _ := Real.Stat(pid)
	if asked := unix.Geteuid() == 0 && !errors.Is(err, fs.ErrNotExist) && s.State != 'Z'; asked && (err != nil || len(stack) == 0) {
		t.Errorf("stack: %q, %v", stack, err)
	}
	if _, err := Real.Scan(ScanOptions{Exe: true, Cwd: true}); err != nil {
		t.Errorf("pass: %v", err)
	}
}

// A process that mapped a file on a dead server over part of its own command
// line. The kernel reads only what is no file, and ends the reading there
// without an error: that must not pass for the whole.
func TestCmdlineWithAHole(t *testing.T) {
	mapper := compiled(t, "mapper")
	f := mountStuck(t)
	defer f.Release()
	pid := launchReady(t, exec.Command(mapper, "args", f.Page, strings.Repeat("x", 16<<10)))
	if got, err := Real.Cmdline(soon(t), pid); !errors.Is(err, ErrPartial) {
		t.Errorf("got %d arguments, %v; want an error", len(got), err)
	}
}

// A reader that cannot even be killed is left behind and named. Nothing hangs
// so on a real /proc here, so the file itself lies on a dead server.
func TestReaderLeftBehind(t *testing.T) {
	f := mountStuck(t)
	defer f.Release()
	f.Hold(t)
	root := fixtureRoot(t, map[string]fixture{
		"12": {files: map[string]string{"stat": line(12, "x")}, links: map[string]string{"cmdline": f.Page, "exe": "/bin/sh"}},
	})
	before := runtime.NumGoroutine()
	_, err := root.Cmdline(impatient(t), 12)
	var hung *HungError
	if !errors.As(err, &hung) || !errors.Is(err, context.DeadlineExceeded) || hung.Reader == 0 {
		t.Fatalf("got %v, want a deadline and a reader that is left", err)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
	s, err := Real.Stat(hung.Reader)
	if err != nil || s.State != 'D' || s.PPID != os.Getpid() || s.PGRP != unix.Getpgrp() {
		t.Errorf("reader: %+v, %v; want a child in D and in our own group", s, err)
	}
	if st, err := Real.Status(hung.Reader); err != nil || !st.SharedPending.Has(unix.SIGKILL) && !st.Pending.Has(unix.SIGKILL) {
		t.Errorf("reader: %+v, %v; want SIGKILL pending", st, err)
	}
	if collectReaders(); !waits(hung.Reader) {
		t.Error("a reader in D was given up for good")
	}
	f.Release()
	for ctx := soon(t); waits(hung.Reader); time.Sleep(time.Millisecond) {
		if collectReaders(); ctx.Err() != nil {
			t.Fatal("the reader stays though the server is given up")
		}
	}
	if _, err := Real.Stat(s.PID); !errors.Is(err, ErrGone) {
		t.Errorf("got %v; want the reader gone", err)
	}
}

// A vfork parent is in D without its memory's lock: it answers.
func TestCmdlineOfAVforkParent(t *testing.T) {
	path := compiled(t, "vforker")
	cmd := exec.Command(path)
	pid := launchReady(t, cmd)
	until(t, pid, "is in D", func(s Stat) bool { return s.State == 'D' })
	table, err := Real.Table()
	if err != nil || len(table.Below(pid)) != 1 {
		t.Fatalf("%d children, %v; want one", len(table.Below(pid)), err)
	}
	t.Cleanup(func() { // the parent waits for it, and is waited for after this
		_ = unix.Kill(table.Below(pid)[0].PID, unix.SIGKILL)
		until(t, pid, "has ended", Stat.Zombie)
	})
	if got, err := Real.Cmdline(soon(t), pid); err != nil || !slices.Equal(got, []string{path}) {
		t.Errorf("got %q, %v", got, err)
	}
	readable(t, pid)
}

// A process under the v1 freezer is in D, keeps a SIGKILL pending, and answers.
// Field case 12: the truth that can be told about it.
func TestReadingAFrozenProcess(t *testing.T) {
	group := filepath.Join("/sys/fs/cgroup/freezer", "proctest-"+strconv.Itoa(os.Getpid()))
	if err := os.Mkdir(group, 0o755); err != nil {
		needs(t, "the v1 freezer: "+err.Error())
	}
	t.Cleanup(func() { _ = os.Remove(group) })
	put := func(file, text string) {
		if err := os.WriteFile(filepath.Join(group, file), []byte(text), 0); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/sleep", "600")
	cmd.Env = []string{"A=1"}
	pid := settled(t, launch(t, cmd))
	put("cgroup.procs", strconv.Itoa(pid))
	put("freezer.state", "FROZEN")
	t.Cleanup(func() {
		put("freezer.state", "THAWED")
		_ = cmd.Wait()
	})
	until(t, pid, "is frozen", func(s Stat) bool { return s.State == 'D' })
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if s, err := Real.Status(pid); err != nil || !s.SharedPending.Has(unix.SIGKILL) {
		t.Errorf("got %+v, %v; want SIGKILL pending", s, err)
	}
	if got, err := Real.Cmdline(soon(t), pid); err != nil || !slices.Equal(got, []string{"/bin/sleep", "600"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := Real.Environ(soon(t), pid); err != nil || !slices.Equal(got, cmd.Env) {
		t.Errorf("got %q, %v", got, err)
	}
	readable(t, pid)
}

// waits says whether a child is still to be waited for.
func waits(pid int) bool {
	kin.RLock()
	defer kin.RUnlock()
	return kin.waiting[pid] || kin.left[pid]
}
