package pressure

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A real stall of a cgroup, seen by the kernel's own triggers from its
// beginning to its end, whatever else this machine does.
func TestWatchTriggers(t *testing.T) {
	t.Parallel() // it mostly waits for the kernel
	group := ownGroup(t)
	w := startWatch(t, WatchOptions{Root: asMachine(t, group), calm: time.Second})
	if e := w.next(); e.Note != nil || e.Span.CPU.Some != (Share{0, true}) {
		t.Errorf("first, with nobody in the cgroup: %+v", e)
	}
	end := stallCPU(t, group)
	if e := w.next(); e.Kind != EventStalled || e.Resource != "cpu" || e.Span.CPU.Some.Value == 0 {
		t.Errorf("with a stall: %+v", e)
	}
	if e := w.next(); e.Kind != EventLevel || e.Span.CPU.Some.Value == 0 {
		t.Errorf("during it: %+v", e)
	}
	end()
	w.until(EventCalm)
}

// The same for a disk.
func TestWatchTriggersIO(t *testing.T) {
	t.Parallel() // it mostly waits for the kernel
	group, device := ownGroup(t), slowFile(t)
	w := startWatch(t, WatchOptions{Root: asMachine(t, group)})
	w.next()
	stallIO(t, group, device)
	for {
		e := w.next()
		if e.Kind == EventStalled && e.Resource == "io" {
			break
		}
		if e.Kind == EventDegraded || e.Kind == EventCalm {
			t.Fatalf("with a writer that waits for a slow disk: %+v", e)
		}
	}
	if e := w.until(EventLevel); !(e.Span.IO.Full.Percent() > DefaultLimits().IOFull) {
		t.Errorf("during the stall: %+v", e.Span)
	}
}

// This machine itself, which may well be stalled before we do it.
func TestWatchReal(t *testing.T) {
	t.Parallel() // it mostly waits for the kernel
	if err := Read(Real).unknown(); errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EOPNOTSUPP) {
		needs(t, "PSI: "+err.Error())
	}
	w := startWatch(t, WatchOptions{})
	if e := w.next(); e.Note != nil || !e.Span.CPU.Some.Known || !e.Span.IO.Full.Known || !e.Span.Memory.Full.Known {
		t.Errorf("first: %+v", e)
	}
	for range 2 * runtime.NumCPU() {
		startLoad(t, "", ":")
	}
	for {
		e := w.next()
		if e.Kind == EventDegraded {
			t.Errorf("no triggers here: %v", e.Note)
		}
		if e.Kind == EventStalled && e.Resource == "cpu" {
			break
		}
	}
	if e := w.until(EventLevel); !(e.Span.CPU.Some.Percent() > 10) {
		t.Errorf("with two loops for each processor: %+v", e.Span)
	}
}

// A cgroup that waited much and does not any more: a new trigger on it fires
// all the same on kernels that count from the beginning of time. Watch does not
// fall for it.
func TestWatchOldStall(t *testing.T) {
	t.Parallel() // it mostly waits for the kernel
	group := ownGroup(t)
	root := asMachine(t, group)
	w := startWatch(t, WatchOptions{Root: root, calm: time.Second})
	end := stallCPU(t, group)
	w.until(EventStalled)
	w.until(EventLevel)
	end()
	w.until(EventCalm)
	_ = w.end(nil)

	// A little waiting, so that the kernel has something to look at.
	startLoad(t, group, "sleep 0.1")
	w = startWatch(t, WatchOptions{Root: root, Over: Limits{CPUSome: 95}})
	w.next()
	raw, err := newBell(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.close()
	if err := raw.arm(root, Limits{CPUSome: 95, IOFull: 100, MemoryFull: 100}, ReadCgroup(group)); err != nil {
		t.Fatal(err)
	}
	for last := time.Now().Add(5 * time.Second); time.Now().Before(last); { // two of the kernel's looks, and more
		fired, err := raw.wait(last)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fired {
			level, _ := ReadCgroup(group).level(f.resource)
			t.Logf("the bare trigger on %s fired; borne out: %v", f.resource, f.borneOut(level))
		}
	}
	select {
	case e := <-w.events:
		t.Errorf("told %+v of a stall that was over", e)
	default:
	}
}

// The kernel takes the file away under a trigger: Watch says so, at once.
func TestWatchDeadTrigger(t *testing.T) {
	t.Parallel() // it mostly waits for the kernel
	group := ownGroup(t)
	root := asMachine(t, group)
	w := startWatch(t, WatchOptions{Root: root})
	w.next()
	for _, name := range []string{"cpu", "io"} { // memory dies with the cgroup
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
		write(t, root, map[string]string{name: quiet})
	}
	if err := os.Remove(group); err != nil {
		t.Fatal(err)
	}
	if e := w.next(); e.Kind != EventDegraded || !strings.Contains(e.Note.Error(), "is dead") {
		t.Errorf("got %+v", e)
	}
	if err := os.Mkdir(group, 0o755); err != nil { // ownGroup removes it
		t.Fatal(err)
	}
}

func TestArmTrigger(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"io": whole})
	if _, err := armTrigger(dir, "io", 10, nil); err == nil || !strings.Contains(err.Error(), "no file of the kernel's") {
		t.Errorf("on a file of our own: %v", err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "io")); string(data) != whole {
		t.Errorf("it wrote %q", data)
	}
	if _, err := armTrigger(dir, "cpu", 10, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("on a missing file: %v", err)
	}
	if Read(Real).unknown() != nil {
		needs(t, "PSI")
	}
	for _, percent := range []float64{1e-9, 0.5, 50, 100} {
		got, err := armTrigger(Real, "memory", percent, nil)
		if err != nil {
			t.Errorf("%v %%: %v", percent, err)
			continue
		}
		if got.least <= 0 || got.least > got.window || got.window > 2*time.Second {
			t.Errorf("%v %%: %+v", percent, got)
		}
		_ = unix.Close(got.file)
	}
}

func TestBorneOut(t *testing.T) {
	before := &Level{Total: time.Minute}
	one := trigger{least: time.Second, before: before}
	for _, c := range []struct {
		t    trigger
		now  *Level
		want bool
	}{
		{one, before, false},
		{one, &Level{Total: time.Minute + 999*time.Millisecond}, false},
		{one, &Level{Total: time.Minute + time.Second}, true},
		{one, nil, true},
		{trigger{least: time.Second}, before, true},
	} {
		if got := c.t.borneOut(c.now); got != c.want {
			t.Errorf("%+v at %+v: %v", c.t, c.now, got)
		}
	}
}
