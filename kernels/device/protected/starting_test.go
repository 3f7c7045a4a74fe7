package protected

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// A process that is just starting its program has no command line yet. It is looked
// at again until it has, and makes nothing unknown; so does one that is gone then. The
// /proc is made of files: how long a real process takes is the machine's affair.
func TestCommandOfAStartingProcess(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "uptime"), "1000.00 900.00\n")
	for _, pid := range []int{4242, 4243} {
		dir := filepath.Join(root, fmt.Sprint(pid))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "stat"), fmt.Sprintf("%d (compile) R 1 %d %d 0 -1 4194304 0 0 0 0 10 20 0 0 20 0 1 0 50000 1000000 100 0%s\n", pid, pid, pid, strings.Repeat(" 0", 27)))
		write(t, filepath.Join(dir, "cmdline"), "")
		if err := os.Symlink("/bin/sh", filepath.Join(dir, "exe")); err != nil {
			t.Fatal(err)
		}
	}
	// One look reads a command line ten times at most before it gives up.
	trained, gone := afterReads(t, filepath.Join(root, "4242", "cmdline"), 12), afterReads(t, filepath.Join(root, "4243", "cmdline"), 12)
	go func() {
		<-trained
		_ = os.WriteFile(filepath.Join(root, "4242", "cmdline"), []byte("python3\x00train.py\x00"), 0o644)
	}()
	go func() {
		<-gone
		_ = os.RemoveAll(filepath.Join(root, "4243"))
	}()
	look, err := Find(context.Background(), Options{Proc: proc.Root(root), Rules: []Rule{{Name: "night", Command: `^python3? .*train\.py`}}})
	if err != nil || len(look.Unknown) != 0 || len(look.Runs) != 1 || look.Runs[0].Process.PID != 4242 {
		t.Errorf("%+v, %v, want the run of 4242", look, err)
	}
}

// afterReads is closed when a file has been opened and closed so often, by readers.
func afterReads(t *testing.T, path string, reads int) <-chan struct{} {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err == nil {
		_, err = unix.InotifyAddWatch(fd, path, unix.IN_CLOSE_NOWRITE)
	}
	if err != nil {
		t.Fatal(err)
	}
	events := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { _ = events.Close() })
	done := make(chan struct{})
	go func() {
		defer close(done)
		one := make([]byte, unix.SizeofInotifyEvent) // a watch of a file gives no names
		for range reads {
			if _, err := events.Read(one); err != nil {
				return
			}
		}
	}()
	return done
}

// A launcher whose command line has that of the trainer in it is one run with it, and
// so is the log.
func TestFindUnderALauncher(t *testing.T) {
	tr := train(t, "sh", "-c", `"$0" "$@"; :`)
	tr.writes("step 100 of 1000")
	found := find(t, Options{Rules: []Rule{{Name: "night", Command: tr.token, Log: filepath.Join(filepath.Dir(tr.log), "*.log"), Progress: steps.String()}}})
	if len(found.Runs) != 1 || len(found.Unknown) != 0 {
		t.Fatalf("%+v", found)
	}
	if r := found.Runs[0]; r.PIDs[0] != tr.pid || len(r.PIDs) != 3 || r.Progress.Done != 100 || r.Progress.Log != tr.log {
		t.Errorf("%+v, want pid %d and two below it, with their log", r, tr.pid)
	}
}
