package proc

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exit is how the command itself ended.
type Exit struct {
	Code   int // -1 when a signal ended it
	Signal unix.Signal
	rusage unix.Rusage // of the command and all it waited for
}

// Clean says whether the command reported success.
func (e Exit) Clean() bool { return e.Code == 0 && e.Signal == 0 }

func (e Exit) String() string {
	if e.Signal != 0 {
		return fmt.Sprintf("killed by %s", unix.SignalName(e.Signal))
	}
	return fmt.Sprintf("exit status %d", e.Code)
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
		e.rusage = unix.Rusage{
			Utime: unix.Timeval(ru.Utime), Stime: unix.Timeval(ru.Stime), Maxrss: ru.Maxrss,
			Inblock: ru.Inblock, Oublock: ru.Oublock, Nvcsw: ru.Nvcsw, Nivcsw: ru.Nivcsw,
		}
	}
	waited(cmd.Process.Pid)
	p.mu.Lock()
	p.exit, p.pid = e, 0
	p.mu.Unlock()
	close(p.done)
}

// Done is closed when the command itself has ended; what it started may live on.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how the command ended. Before Done is closed its Code is -1: not
// the 0 of one that went well.
func (p *Process) Exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}
