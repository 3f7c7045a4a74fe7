package proc

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lastMoment is how long a killed reader has to be dead before it is left
// behind. One that can die does so in well under a millisecond; the rest is
// for a machine with more to do than processors.
const lastMoment = 200 * time.Millisecond

// reader is a child that reads for us: cat, since it is everywhere and needs
// no help from our own main function. Supervision knows it for one of our own.
type reader struct {
	cmd   *exec.Cmd
	pidfd int
	out   *os.File
	nonce []byte // what stands between the first reading and the second
}

// readTwice has a file of a process read two times, one after the other. Two
// equal readings are whole: the kernel ends a reading early, without an error,
// when the target executes another program meanwhile. Otherwise the error is
// ErrPartial.
func (r Root) readTwice(ctx context.Context, pid int, file string) ([]byte, error) {
	// The parent-death signal is that of the thread which started the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := startReader(filepath.Join(string(r), strconv.Itoa(pid)), file)
	if err != nil {
		return nil, err
	}
	defer c.out.Close()
	defer unix.Close(c.pidfd)
	data, err := c.answer(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, c.abandon(pid, ctx.Err())
	}
	if err != nil {
		_ = c.abandon(pid, err)
		return nil, err
	}
	if !c.cmd.ProcessState.Success() {
		return nil, r.refusal(pid, c.cmd.ProcessState)
	}
	first, second, ok := bytes.Cut(data, c.nonce)
	if !ok || !bytes.Equal(first, second) {
		return nil, ErrPartial
	}
	return first, nil
}

// startReader starts cat in the directory of the process, with the nonce as
// its standard input. It gets no environment: a reader must not carry the
// cookie of the run that it looks for.
func startReader(dir, file string) (*reader, error) {
	collectReaders()
	cat, err := findTool("cat")
	if err != nil {
		return nil, err
	}
	c := &reader{pidfd: -1, nonce: make([]byte, 32)}
	_, _ = rand.Read(c.nonce) // never fails, crypto/rand
	in, out, err := c.pipes()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	defer out.Close()
	c.cmd = &exec.Cmd{
		Path: cat, Args: []string{"cat", file, "-", file}, Dir: dir, Env: []string{},
		Stdin: in, Stdout: out,
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	return c, nil
}

// begin starts the child.
func (c *reader) begin() error {
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL, PidFD: &c.pidfd}
	if err := startCommand(c.cmd, nil); err != nil {
		c.out.Close()
		return gone(err)
	}
	return nil
}

// pipes makes the child's ends; ours are kept in c.
func (c *reader) pipes() (in, out *os.File, err error) {
	in, feed, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer feed.Close()
	if _, err = feed.Write(c.nonce); err == nil { // a pipe holds more than that
		c.out, out, err = os.Pipe()
	}
	if err != nil {
		in.Close()
	}
	return in, out, err
}

// findTool looks where the usual tools always are before it trusts a PATH.
func findTool(name string) (string, error) {
	for _, path := range []string{"/bin/" + name, "/usr/bin/" + name} {
		if runnable(path) == nil {
			return path, nil
		}
	}
	return exec.LookPath(name)
}

// answer waits until the child has written everything and is dead, or the
// context ends. No thread sleeps in the kernel longer than that.
func (c *reader) answer(ctx context.Context) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	data, err := io.ReadAll(io.LimitReader(c.out, 2*maxMemory))
	switch {
	case err != nil:
		return nil, err
	case len(data) == 2*maxMemory:
		return nil, fmt.Errorf("it is longer than %d bytes", maxMemory)
	}
	for !c.dead(10 * time.Millisecond) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	c.wait() // at once; the state says what the error would
	return data, nil
}

// wait collects a dead child. It is known for our own from its start to here:
// under an interactive command its process group would not tell.
func (c *reader) wait() {
	_ = c.cmd.Wait()
	waited(c.cmd.Process.Pid)
}

// dead waits up to d for the child's end. Not with Wait: that one comes back
// only when the child is dead.
func (c *reader) dead(d time.Duration) bool {
	for end := time.Now().Add(d); ; {
		left := max(0, time.Until(end))
		fds := []unix.PollFd{{Fd: int32(c.pidfd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(left.Milliseconds()))
		if n > 0 || !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}

// abandon kills the child and gives it a last moment.
func (c *reader) abandon(pid int, why error) error {
	_ = unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
	if c.dead(lastMoment) {
		c.wait()
		return &HungError{PID: pid, Err: why}
	}
	left := c.cmd.Process.Pid
	leaveBehind(left)
	_ = c.cmd.Process.Release()
	return &HungError{PID: pid, Reader: left, Err: why}
}

// refusal finds out why cat failed; its own words depend on the system.
func (r Root) refusal(pid int, state *os.ProcessState) error {
	d, err := r.process(pid)
	if err != nil {
		return err
	}
	defer d.close()
	switch answer, err := d.program(); {
	case err != nil:
		return err
	case answer == None:
		return ErrGone
	case answer == Unknown:
		return fs.ErrPermission
	}
	return fmt.Errorf("cat: %s", state)
}
