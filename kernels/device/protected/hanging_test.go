package protected

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// A command line that cannot be read in time makes the rule unknown, costs one
// thread however often it is looked for, and hinders no other rule. The /proc is
// made of files, one of which is a FIFO: no test can put a process into D.
func TestCommandThatHangs(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "uptime"), "1000.00 900.00\n")
	if err := os.MkdirAll(filepath.Join(root, "sys/kernel/random"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "sys/kernel/random/boot_id"), "a-boot\n")
	for _, pid := range []int{4242, 4243} {
		dir := filepath.Join(root, fmt.Sprint(pid))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "stat"), fmt.Sprintf("%d (python) S 1 %d %d 0 -1 4194304 0 0 0 0 10 20 0 0 20 0 1 0 50000 1000000 100 0%s\n", pid, pid, pid, strings.Repeat(" 0", 27)))
	}
	write(t, filepath.Join(root, "4243", "cmdline"), "python\x00train.py\x00")
	fifo := filepath.Join(root, "4242", "cmdline")
	if err := unix.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	o := Options{Proc: proc.Root(root), Rules: []Rule{{Name: "night", Command: "train"}, {Name: "other", PIDFile: root + "/none"}}}
	for range 2 {
		look, err := Find(context.Background(), o)
		if err != nil || len(look.Runs) != 1 || look.Runs[0].Process.PID != 4243 || look.Runs[0].Command != "python train.py" {
			t.Errorf("%+v, %v", look, err)
		}
		if len(look.Unknown) != 1 || look.Unknown[0].Rule.Name != "night" || !strings.HasPrefix(look.Unknown[0].Why, "pid 4242 (python): its command line cannot be read: ") {
			t.Errorf("unknown: %+v", look.Unknown)
		}
		if n := waiting(); n != 1 {
			t.Errorf("%d threads wait", n)
		}
	}
	// It answers at last, and the thread is free again: it opens the FIFO twice.
	for late := time.Now().Add(5 * time.Minute); time.Now().Before(late); time.Sleep(time.Millisecond) {
		if fd, err := unix.Open(fifo, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err == nil {
			_ = unix.Close(fd)
		}
		if waiting() == 0 {
			return
		}
	}
	t.Error("the thread still waits")
}

// waiting is how many threads of ours read a command line.
func waiting() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "proc.Root.glance(")
}
