package reaper

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// Who was born since is added to the picture, an orphan with all that the rule
// asks, so that it can be judged when it has gone; a thread is no process.
func TestGlance(t *testing.T) {
	s := newStage(t)
	before, err := Look(soon(t), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	since, err := proc.Real.LastPID()
	if err != nil {
		t.Fatal(err)
	}
	pid := orphan(t, s.lane.Root, s.tool(t, "ld"), "100")
	thread, end := make(chan int), make(chan struct{})
	defer close(end)
	go func() {
		runtime.LockOSThread() // so that it is one of its own while it waits
		thread <- unix.Gettid()
		<-end
	}()
	tid := <-thread
	f := before.Facts.(*facts)
	f.eye.glance(f, min(since, tid-1))
	if _, ok := before.Processes[tid]; ok && tid != os.Getpid() {
		t.Errorf("thread %d is in the picture", tid)
	}
	kill(t, pid)
	j, err := Judge(before, s.options().Lanes, only("kda"), Rules{})
	if said := find(j, pid); err != nil || !said.Young || said.Lane != "kda" || said.Evidence != "cwd" {
		t.Errorf("%+v, %v", said, err)
	}
}
