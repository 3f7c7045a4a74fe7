package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Command is what Start runs. It has no standard input (/dev/null): a gate
// must not wait for somebody to type.
type Command struct {
	Argv   []string // Argv[0] with a slash is relative to Dir, without one it is looked up in Env's PATH
	Dir    string
	Env    []string
	Stdout *os.File // the child's end; Start does not close it
	Stderr *os.File
}

// Exit is how the command itself ended.
type Exit struct {
	Code   int // -1 when a signal ended it
	Signal unix.Signal
	Usage  unix.Rusage // of the command and all it waited for
}

// Clean says whether the command reported success.
func (e Exit) Clean() bool { return e.Code == 0 && e.Signal == 0 }

func (e Exit) String() string {
	if e.Signal != 0 {
		return fmt.Sprintf("killed by %s", unix.SignalName(e.Signal))
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Process is a started command with everything below it. There is one at a
// time in a gpuci process: orphans that the kernel hands to us are taken to
// be its own.
type Process struct {
	Identity Identity
	Started  time.Time

	pid  int // 0 after the command was waited for
	self int
	mu   sync.Mutex
	done chan struct{}
	exit Exit
}

// Start runs c in a session of its own and makes this process the one that
// inherits c's orphans. The error wraps exec.ErrNotFound or fs.ErrPermission
// when the program could not be started.
func Start(c Command) (*Process, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become subreaper: %w", err)
	}
	path, err := LookPath(c.Argv[0], c.Dir, c.Env)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	cmd := &exec.Cmd{Path: path, Args: c.Argv, Dir: c.Dir, Env: c.Env}
	// Nil interface, not a nil *os.File inside one: os/exec would use that.
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p := &Process{Started: time.Now(), self: os.Getpid(), done: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	p.pid = cmd.Process.Pid
	// It is our child and not waited for, so the pid is still its own.
	if p.Identity, err = Real.Identity(p.pid); err != nil {
		p.Identity = Identity{PID: p.pid}
	}
	go p.wait(cmd)
	return p, nil
}

func (p *Process) wait(cmd *exec.Cmd) {
	err := cmd.Wait()
	e := Exit{Code: cmd.ProcessState.ExitCode()}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		e.Code = -1
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal()
	}
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		e.Usage = unix.Rusage{
			Utime: unix.Timeval(ru.Utime), Stime: unix.Timeval(ru.Stime), Maxrss: ru.Maxrss,
			Inblock: ru.Inblock, Oublock: ru.Oublock, Nvcsw: ru.Nvcsw, Nivcsw: ru.Nivcsw,
		}
	}
	p.mu.Lock()
	p.exit, p.pid = e, 0
	p.mu.Unlock()
	close(p.done)
}

// Done is closed when the command itself has ended; what it started may live on.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how the command ended. It is the zero Exit before Done is closed.
func (p *Process) Exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}
