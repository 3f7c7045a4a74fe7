package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// askTime is how long one question to a file system is waited for. An answer
	// takes 2 ms, of which it is nearly all the start of the child that asks.
	askTime = 300 * time.Millisecond
	// silentTime is for how long a mount that gave no answer is not asked again:
	// what dozens of processes have open there costs a look one askTime then, and
	// a disk that was only busy is asked again within one sweep.
	silentTime = 5 * time.Second
)

// SilentError says that a file system did not answer in time: its server or
// its disk hangs. Nothing of ours waits for it but Reader, a child that is
// killed and hangs with it, 0 for none.
type SilentError struct {
	Path   string
	Reader int
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("the file system of %s does not answer (does its server or its disk hang?)", e.Path)
}

// silent are the mounts that gave no answer, by their ids, and when. It is the
// process's, as the mounts are, and as kin is: whoever asks next, for whatever
// picture, would wait as long. An id can be given to another mount once its own
// is gone; that one is then unknown for as long.
var silent = struct {
	sync.Mutex
	since map[uint64]time.Time
}{since: make(map[uint64]time.Time)}

// isSilent says that a mount was asked in vain just before.
func isSilent(id uint64) bool {
	silent.Lock()
	defer silent.Unlock()
	at, ok := silent.since[id]
	return ok && time.Since(at) < silentTime
}

func setSilent(id uint64) {
	silent.Lock()
	defer silent.Unlock()
	silent.since[id] = time.Now()
}

// Answers asks the file systems of some paths for one thing each, within ctx,
// and says by a *SilentError which is the first that does not answer. Whether a
// path is there does not matter. Who is to work in a directory that may be on a
// dead server asks this first: a system call that hangs there cannot be taken
// back, and not even our own end ends it.
func Answers(ctx context.Context, paths []string) error {
	if len(paths) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	quick, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	_, err := askStat(quick, nil, append([]string{"-c", "%i", "--"}, paths...)...)
	var none *SilentError
	if err == nil || !errors.As(err, &none) {
		return err
	}
	for _, path := range paths { // which one is it?
		one, cancel := context.WithTimeout(ctx, askTime)
		_, err := askStat(one, nil, "-c", "%i", "--", path)
		cancel()
		if errors.As(err, &none) {
			return &SilentError{Path: path, Reader: none.Reader}
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	return nil // it was only slow
}

// missing says whether nothing has a name: stat(1) says so with the words of
// ENOENT, which come last whatever the name is. Every other answer is no proof.
func missing(path string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	out, err := askStat(ctx, nil, "-c", "%i", "--", path)
	var none *SilentError
	switch {
	case errors.As(err, &none):
		return false, &SilentError{Path: path, Reader: none.Reader}
	case err != nil:
		return false, nil
	}
	return bytes.HasSuffix(bytes.TrimSpace(out), []byte(": No such file or directory")), nil
}

// linked says whether what a magic link in d leads to has a link count other
// than 0. It is for file systems that cannot be asked in our own name.
func (d dir) linked(link, text string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	fd, err := unix.FcntlInt(uintptr(d), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return true, err
	}
	at := os.NewFile(uintptr(fd), "directory of a process")
	defer at.Close()
	out, err := askStat(ctx, at, "-L", "-c", "%h", "--", "/proc/self/fd/3/"+link)
	var none *SilentError
	if errors.As(err, &none) {
		return true, &SilentError{Path: text, Reader: none.Reader}
	}
	return err != nil || string(bytes.TrimSpace(out)) != "0", nil
}

// askStat has a child run stat(1), and returns all it said; that it failed is no
// error. The child has dir, if any, as its descriptor 3.
func askStat(ctx context.Context, dir *os.File, args ...string) ([]byte, error) {
	// The parent-death signal is that of the thread which started the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	collectReaders()
	path, err := findTool("stat")
	if err != nil {
		return nil, err
	}
	c := &reader{pidfd: -1}
	in, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var out *os.File
	if c.out, out, err = os.Pipe(); err != nil {
		return nil, err
	}
	c.cmd = &exec.Cmd{Path: path, Args: append([]string{"stat"}, args...), Dir: "/", Env: []string{"LC_ALL=C"}, Stdin: in, Stdout: out, Stderr: out}
	if dir != nil {
		c.cmd.ExtraFiles = []*os.File{dir}
	}
	err = c.begin()
	_ = out.Close()
	if err != nil {
		return nil, err
	}
	defer c.out.Close()
	defer unix.Close(c.pidfd)
	data, err := c.answer(ctx)
	if err != nil {
		var hung *HungError
		if errors.As(c.abandon(0, err), &hung) && ctx.Err() != nil {
			return nil, &SilentError{Path: args[len(args)-1], Reader: hung.Reader}
		}
		return nil, err
	}
	return data, nil
}
