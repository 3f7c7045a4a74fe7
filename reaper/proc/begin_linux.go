package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrNoStart says that nobody waited any longer for a program to start.
var ErrNoStart = errors.New("it does not start (is it on a server that does not answer?)")

// lateStart is what a start that was given up may still take.
const lateStart = 100 * time.Millisecond

// begun is what came of a start.
type begun struct {
	cmd *exec.Cmd
	err error
}

// begin starts the program, for as long as somebody waits for that. One that
// starts later all the same is ended.
func (p *Process) begin(ctx context.Context) (*exec.Cmd, error) {
	var err error
	if p.files, err = p.dup(); err != nil {
		return p.started(begun{nil, err})
	}
	l, over, done := p.leaf, make(chan struct{}), make(chan begun, 1)
	go func() {
		cmd, err := p.startTouched(over)
		done <- begun{cmd, err}
	}()
	select {
	case b := <-done:
		return p.started(b)
	case <-ctx.Done():
	case <-p.cmd.GiveUp:
	}
	select {
	case b := <-done: // whoever gave it up ends it the usual way
		return p.started(b)
	case <-time.After(lateStart):
	}
	close(over)
	discarded := make(chan struct{})
	go func() {
		defer close(discarded)
		p.discard(<-done)
	}()
	if l != nil {
		_ = l.kill()
	}
	select {
	case <-discarded:
	case <-time.After(hurriedKill):
	}
	return nil, ErrNoStart
}

func (p *Process) started(b begun) (*exec.Cmd, error) {
	if b.err != nil {
		p.dropLeaf()
	}
	return b.cmd, b.err
}

// discard ends what was given up.
func (p *Process) discard(b begun) {
	if b.err != nil {
		p.dropLeaf()
		return
	}
	p.supervise(b.cmd)
	p.End(Limits{}, nil)
}

// startTouched starts the program once its file has answered. While the kernel
// executes a program that does not, it holds Go's fork lock, and the next
// garbage collection with it: so whoever hangs does it here, before.
func (p *Process) startTouched(over <-chan struct{}) (*exec.Cmd, error) {
	defer func() {
		for _, f := range p.files {
			_ = f.Close()
		}
	}()
	path, err := LookPath(p.cmd.Argv[0], p.cmd.Dir, p.cmd.Env)
	if err != nil {
		return nil, err
	}
	if touch(path); p.cmd.Dir != "" {
		_, _ = os.Stat(p.cmd.Dir) // an error is the start's to tell
	}
	select {
	case <-over:
		return nil, ErrNoStart
	default:
		return p.start(path)
	}
}

// headSize is what the kernel reads of a program to tell what it is,
// BINPRM_BUF_SIZE.
const headSize = 256

// touch reads the beginning of a program, and of the interpreter of a script.
// One that may be executed and not read is left to the start.
func touch(path string) {
	head := make([]byte, headSize)
	for range 2 {
		file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return
		}
		n, _ := file.Read(head)
		_ = file.Close()
		line, _, _ := bytes.Cut(head[:n], []byte{'\n'})
		words := strings.Fields(strings.TrimPrefix(string(line), "#!"))
		if !bytes.HasPrefix(line, []byte("#!")) || len(words) == 0 {
			return
		}
		path = words[0]
	}
}

// dup makes the files ours until the start is over: the caller closes its own
// as soon as he does not wait any longer.
func (p *Process) dup() (files []*os.File, err error) {
	for _, f := range []**os.File{&p.cmd.Stdin, &p.cmd.Stdout, &p.cmd.Stderr} {
		if *f == nil {
			continue
		}
		fd, err := unix.FcntlInt((*f).Fd(), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
			return nil, fmt.Errorf("keep %s open: %w", (*f).Name(), err)
		}
		*f = os.NewFile(uintptr(fd), (*f).Name())
		files = append(files, *f)
	}
	return files, nil
}
