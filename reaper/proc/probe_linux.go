package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Leafy is the leaf that a command was given which was started to try it.
type Leafy struct {
	Dir    string // the cgroup that it was in; it is gone again
	Memory bool   // it told the peak of its memory: the memory controller is on
	Stall  bool   // it told what its members waited
}

// TryLeaf says what leaf a command gets that is started here, by starting one
// that does nothing. The error wraps ErrNoLeaf and says why there is none, or
// says why nothing could be started.
func TryLeaf(ctx context.Context) (Leafy, error) {
	p, err := Start(context.WithoutCancel(ctx), Command{Argv: []string{"/bin/sh", "-c", ":"}, Dir: "/", Aside: true, GiveUp: ctx.Done()})
	if err != nil {
		return Leafy{}, fmt.Errorf("try a cgroup leaf: %w", err)
	}
	out := Leafy{Dir: p.Leaf()}
	if out.Dir != "" {
		has := func(name string) bool {
			_, err := os.ReadFile(filepath.Join(out.Dir, name))
			return err == nil
		}
		out.Memory, out.Stall = has("memory.peak"), has("io.pressure")
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
	}
	r := p.End(Limits{}, nil)
	if p.NoLeaf != nil {
		return out, p.NoLeaf
	}
	if !r.Gone() {
		return out, fmt.Errorf("try a cgroup leaf: what was started in %s could not be ended", out.Dir)
	}
	return out, nil
}

// ErrForeign says that a Root is that of another pid namespace than our own: its
// pids are not those that we go by, and ours is somebody else there.
var ErrForeign = errors.New("the pids there are those of another pid namespace")

// Own says whether the pids of a Root are ours, by the one that it gives
// ourselves; the error wraps ErrForeign. After unshare --pid without
// --mount-proc they are not. A Root that does not name us says neither.
func (r Root) Own() error {
	self, err := os.Readlink(filepath.Join(string(r), "self"))
	if err == nil && self != strconv.Itoa(os.Getpid()) {
		return fmt.Errorf("look at %s: %w: ourselves are pid %s there and pid %d here", r, ErrForeign, self, os.Getpid())
	}
	return nil
}

// OfUser says whether a process is in a unit of a user's own systemd, and not of
// the machine's: its cgroup is below user@N.service.
func (r Root) OfUser(pid int) bool {
	text, err := r.small(pid, "cgroup")
	return err == nil && strings.Contains(text, "/user@")
}

// TryPidfd says whether a process can be signalled by a descriptor, which no
// other process can come to be meant by (pidfd_open(2), Linux 5.3).
func TryPidfd() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("open a pidfd: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, 0, nil, 0); err != nil {
		return fmt.Errorf("signal by a pidfd: %w", err)
	}
	return nil
}

// settleTime is how long a thread may take to fall asleep.
const settleTime = time.Second

// TryWaitChannel names what a thread of ours waits in that reads from an empty
// pipe; it is "" where the kernel does not tell even that.
func TryWaitChannel() (string, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return "", fmt.Errorf("make a pipe: %w", err)
	}
	thread, over := make(chan int, 1), make(chan struct{})
	go func() {
		defer close(over)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread <- unix.Gettid()
		for {
			if _, err := unix.Read(ends[0], make([]byte, 1)); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	}()
	tid := <-thread
	name, err := "", error(nil)
	for end := time.Now().Add(settleTime); name == "" && err == nil && time.Now().Before(end); time.Sleep(time.Millisecond) {
		name, err = Real.WaitChannel(tid)
	}
	_ = unix.Close(ends[1])
	<-over
	_ = unix.Close(ends[0])
	return name, err
}
