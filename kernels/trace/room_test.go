package trace

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// limited plays where no file may be larger than some KiB: the kernel would send SIGXFSZ.
func limited(t *testing.T, box *tracetest.Box, kib int, lines ...string) played {
	t.Helper()
	cmd := box.Command(attached(t, t.TempDir(), box.Env()), lines...)
	cmd.Args = append([]string{"bash", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, kib), "bash"}, cmd.Args...)
	var err error
	if cmd.Path, err = exec.LookPath("bash"); err != nil {
		t.Fatal(err)
	}
	return playWith(t, cmd)
}

// A file that may not grow ends the recording and not the program; what is lost is counted.
func TestNoRoomForEvents(t *testing.T) {
	const room, rounds = 1 << 15, 100000 // events of a piece
	box := tracetest.Start(t, tracetest.Options{})
	p := limited(t, box, 1100, "init", "device 0", fmt.Sprintf("launch k 1 1 legacy %d", rounds), "exit 6")
	if p.code != 6 || p.err != nil || len(p.Processes) != 1 {
		t.Fatalf("%d, %v: %s", p.code, p.err, p.out)
	}
	list, _ := events(t, &p.Processes[0])
	one := p.Processes[0]
	if len(list) != room || one.Dropped != rounds+2-room || one.State != Attached || one.Why != "the rest of the calls had no room: File too large" {
		t.Errorf("%d events, %+v", len(list), one)
	}
	p = limited(t, box, 1, "init", "device 0", "launch k 1 1", "exit 6")
	if p.code != 6 || p.err == nil {
		t.Errorf("without room for a head: %d, %v", p.code, p.err)
	}
}

// Names that find no room leave whole lines, and events without a name.
func TestNoRoomForNames(t *testing.T) {
	lines := []string{"init", "device 0"}
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("launch %s%d 1 1", strings.Repeat("x", 5000), i))
	}
	p := limited(t, tracetest.Start(t, tracetest.Options{}), 1100, lines...).process()
	list, names := events(t, p)
	n := 0
	for _, e := range list {
		if e.Kind == Launch {
			n++
		}
	}
	if n != 400 || len(names.Kernels) < 200 || len(names.Kernels) > 230 || p.Why != "the rest of the names could not be written: File too large" || p.Dropped != 0 {
		t.Errorf("%d launches, %d kernels, %+v", n, len(names.Kernels), p)
	}
}

// A full disk is as a file that may not grow.
func TestFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1536k"); err != nil {
		missing(t, "mount a small file system: "+err.Error())
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	box := tracetest.Start(t, tracetest.Options{})
	for range 3 { // at the last there is no room for a head
		p := playWith(t, box.Command(attached(t, dir, box.Env()), "init", "device 0", "launch k 1 1 legacy 100000", "exit 6"))
		if p.code != 6 || p.err != nil || p.Processes[0].Dropped != 100002-1<<15 || p.Processes[0].Why != "the rest of the calls had no room: No space left on device" {
			t.Fatalf("%d, %v: %+v", p.code, p.err, p.Processes)
		}
		if err := fill(filepath.Join(dir, "rest")); err != nil {
			t.Fatal(err)
		}
	}
}

// A process that can make no file says so in the one that is there from before, and leaves
// none of its own behind.
func TestCouldMakeNone(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		missing(t, "mount a small file system: "+err.Error())
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	if err := errors.Join(Ready(dir), fill(filepath.Join(dir, "rest"))); err != nil {
		t.Fatal(err)
	}
	box := tracetest.Start(t, tracetest.Options{})
	p := playWith(t, box.Command(attached(t, dir, box.Env()), "init", "device 0", "launch k 1 1", "exit 6"))
	if p.code != 6 || len(p.Unmade) != 1 || !strings.HasSuffix(p.Unmade[0], ": No space left on device") {
		t.Errorf("%d, %q, %v", p.code, p.Unmade, p.err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.events")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// fill takes all the room that is left.
func fill(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil
	}
	defer f.Close()
	for size := 1 << 16; size > 0; size /= 2 {
		for err == nil {
			_, err = f.Write(make([]byte, size))
		}
		err = nil
	}
	return nil
}
