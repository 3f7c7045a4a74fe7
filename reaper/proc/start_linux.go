package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Command is what Start runs.
type Command struct {
	Argv   []string // Argv[0] with a slash is relative to Dir, without one it is looked up in Env's PATH
	Dir    string
	Env    []string
	Stdin  *os.File // nil is /dev/null: a gate must not wait for somebody to type
	Stdout *os.File // the child's ends; Start does not close them
	Stderr *os.File

	Name  string        // names the leaf; two commands at once need two names
	Grace time.Duration // between SIGTERM and SIGKILL when the context ends
	Leave []string      // names of daemons that may outlive the command: told, not ended

	// Interactive leaves the command in our session and process group, so
	// that it has the terminal: job control, Ctrl-Z, a prompt for a
	// passphrase. Otherwise it gets a session of its own.
	Interactive bool

	// NoLeaf supervises without a cgroup even where one could be made.
	NoLeaf bool
}

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

// Process is a started command with everything below it. Without a leaf there
// is one at a time in a gpuci process: orphans that the kernel hands to us are
// taken to be its own.
type Process struct {
	Identity Identity
	Started  time.Time
	NoLeaf   error // why there is no leaf; nil with one

	cmd     Command
	leaf    *leaf
	leafCPU time.Duration // of the whole leaf, read before it was removed
	done    chan struct{} // the command itself has ended
	over    chan struct{} // everything has

	mu      sync.Mutex
	pid     int // 0 after the command was waited for
	exit    Exit
	orphans Usage // of orphans that were reaped
	ended   *Result
	ending  sync.Mutex
}

// Start runs c under supervision: born in a cgroup leaf where one can be made,
// else in a session of its own; and this process inherits its orphans either
// way. When ctx ends, so does the command, as by [Process.End]. The error
// wraps exec.ErrNotFound or fs.ErrPermission when the program could not be
// started; then nothing is left.
func Start(ctx context.Context, c Command) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become subreaper: %w", err)
	}
	path, err := LookPath(c.Argv[0], c.Dir, c.Env)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	p := &Process{cmd: c, done: make(chan struct{}), over: make(chan struct{})}
	p.makeLeaf()
	cmd, err := p.start(path)
	if err != nil {
		p.dropLeaf()
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	p.pid = cmd.Process.Pid
	// It is our child and not waited for, so the pid is still its own.
	if p.Identity, err = Real.Identity(p.pid); err != nil {
		p.Identity = Identity{PID: p.pid}
	}
	go p.wait(cmd)
	go p.reapAlong(p.over)
	stop := context.AfterFunc(ctx, func() { p.End(Limits{Grace: c.Grace}, nil) })
	go func() { <-p.over; stop() }()
	return p, nil
}

func (p *Process) makeLeaf() {
	if p.cmd.NoLeaf {
		p.NoLeaf = fmt.Errorf("%w: none was asked for", ErrNoLeaf)
		return
	}
	name := p.cmd.Name
	if name == "" {
		name = strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	}
	p.leaf, p.NoLeaf = newLeaf(name)
}

func (p *Process) dropLeaf() {
	if p.leaf != nil {
		_ = p.leaf.remove()
		p.leaf = nil
	}
}

// start starts the program, in the leaf if there is one. Some kernels and
// containers let us make a cgroup and not start in it: then it is done without.
func (p *Process) start(path string) (*exec.Cmd, error) {
	p.Started = time.Now()
	cmd := p.command(path)
	if p.leaf == nil {
		return cmd, startCommand(cmd)
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(p.leaf.fd.Fd())
	err := startCommand(cmd)
	if err == nil || !refusedLeaf(err) {
		return cmd, err
	}
	p.dropLeaf()
	p.NoLeaf = noLeaf(err)
	cmd = p.command(path)
	return cmd, startCommand(cmd)
}

func (p *Process) command(path string) *exec.Cmd {
	cmd := &exec.Cmd{Path: path, Args: p.cmd.Argv, Dir: p.cmd.Dir, Env: p.cmd.Env}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: !p.cmd.Interactive}
	// Each only if it is there: a nil *os.File in an interface is not nil.
	if p.cmd.Stdin != nil {
		cmd.Stdin = p.cmd.Stdin
	}
	if p.cmd.Stdout != nil {
		cmd.Stdout = p.cmd.Stdout
	}
	if p.cmd.Stderr != nil {
		cmd.Stderr = p.cmd.Stderr
	}
	return cmd
}

// refusedLeaf tells a refusal of CLONE_INTO_CGROUP from a program that cannot
// be started. EACCES can mean either; then the second try decides.
func refusedLeaf(err error) bool {
	for _, e := range []error{unix.EBADF, unix.EPERM, unix.EACCES, unix.EBUSY, unix.EOPNOTSUPP, unix.EINVAL, unix.ENOSYS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
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

// Exit says how the command ended. It is the zero Exit before Done is closed.
func (p *Process) Exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}
