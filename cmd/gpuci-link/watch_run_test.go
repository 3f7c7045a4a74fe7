//go:build linux

package main_test

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// needs skips a test that cannot run here; where that counts, it fails.
func needs(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs " + what)
	}
	t.Skip("needs " + what)
}

// watcher follows the linkers among the processes this test starts. It knows
// nothing of gpuci but that there is a directory whose programs only bear the
// names of linkers: what it says rests on the kernel's events.
type watcher struct {
	mu       sync.Mutex
	family   *family
	stopping chan struct{}
	stopOnce func()
	done     chan struct{}
	err      error // to be read after done
}

// noEvents is where the kernel tells us nothing of processes: in a container
// even root is told nothing. .ci/run looks for that, and says it loudly.
func noEvents(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_NO_EVENTS") == "1" {
		t.Skip("needs the kernel's process events: " + err.Error())
	}
	needs(t, "CAP_NET_ADMIN, for a watcher of the processes: "+err.Error())
}

// watch begins to watch. What is started before is not seen; a program in
// standIns is no linker, whatever its name ("": there is no such directory).
func watch(t *testing.T, standIns string) *watcher {
	t.Helper()
	c, err := dialConnector()
	if err != nil {
		noEvents(t, err)
	}
	w := &watcher{
		family:   newFamily(os.Getpid(), procfs{standIns}),
		stopping: make(chan struct{}), done: make(chan struct{}),
	}
	w.stopOnce = sync.OnceFunc(func() { close(w.stopping) })
	restore := hurry()
	go w.run(c)
	t.Cleanup(func() { w.stopOnce(); <-w.done; restore() })
	return w
}

// hurry sees to it that the watcher's thread never waits for another one of
// ours: for the collector to stop them all, or for one of few processors of the
// Go runtime while the thread that has it stands in line with the compilers.
func hurry() (restore func()) {
	const enough = 32
	procs, percent := runtime.GOMAXPROCS(enough), debug.SetGCPercent(-1)
	return func() { runtime.GOMAXPROCS(procs); debug.SetGCPercent(percent) }
}

// stop ends the watch once every linker has ended and every event is read. The
// builds watched must have been waited for.
//
// On a machine that is busy in its kernel a process that lives for a few
// milliseconds (mkdir, say) can be gone before the watcher sees what it ran. It
// is among the unseen then: that it was no linker only the caller can tell, by
// knowing how many there must be.
func (w *watcher) stop(t *testing.T) (seen, unseen links) {
	t.Helper()
	w.stopOnce()
	<-w.done
	if w.err != nil {
		t.Fatal(w.err)
	}
	return w.family.done, w.family.unseen
}

// left lists the processes that outlive what was watched.
func (w *watcher) left() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Keys(w.family.threads)), func(pid int) bool { return pid == os.Getpid() })
}

// soak says whether the long forms are wanted (make soak).
func soak() bool { return os.Getenv("GPUCI_SOAK") == "1" }

// run has the event looked at before the process it is about is gone: an
// ordinary thread would stand in line with the compilers.
func (w *watcher) run(c *connector) {
	defer close(w.done)
	defer func() { _ = c.close() }()
	runtime.LockOSThread() // and never unlocked, so that the thread ends with us
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0)
	var deadline <-chan time.Time
	stopping := w.stopping
	for {
		select {
		case <-stopping:
			stopping, deadline = nil, time.After(patience)
		case <-deadline:
			w.err = fmt.Errorf("linkers are still alive %v after their builds: pids %d", patience, w.alive())
			return
		default:
		}
		events, err := c.receive()
		if err != nil {
			w.err = err
			return
		}
		w.tell(events)
		if stopping == nil && len(events) == 0 && len(w.alive()) == 0 {
			return
		}
	}
}

func (w *watcher) tell(events []event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range events {
		w.family.see(e)
	}
}

// alive lists the processes of the linkers alive now.
func (w *watcher) alive() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.family.open))
}

// patience bounds what a test waits for; none is judged by it.
const patience = time.Minute
