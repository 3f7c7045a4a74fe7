package proc

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

	Name  string        // names the leaf and the cookie, for a Leftover to find; many commands may share it
	Grace time.Duration // between SIGTERM and SIGKILL when the context ends
	Leave []string      // names of daemons that may outlive the command: told, not ended

	// Interactive leaves the command in our session and process group, so
	// that it has the terminal: job control, Ctrl-Z, a prompt for a
	// passphrase. Otherwise it gets a session of its own.
	Interactive bool

	// Aside marks a short question to a program, asked beside a command: what
	// is neither's for certain is the command's.
	Aside bool

	// GiveUp, when closed, ends the wait for a program that does not start, as
	// one on a dead server. A context would end a started command as well.
	GiveUp <-chan struct{}

	// NoLeaf supervises without a cgroup even where one could be made.
	NoLeaf bool
}

// Process is a started command with everything below it. There can be many at
// once: see owns for how their orphans are told apart. Whatever else this
// program starts has to stay in our session, or it is taken for an orphan.
type Process struct {
	Identity Identity
	Started  time.Time
	NoLeaf   error // why there is no leaf; nil with one

	cmd   Command
	mark  string // its own item of the cookie
	leaf  *leaf
	files []*os.File    // the command's ends, ours until it is started
	done  chan struct{} // the command itself has ended
	over  chan struct{} // everything has, or was let go

	mu       sync.Mutex
	pid      int // 0 after the command was waited for
	exit     Exit
	floor    int64        // bytes: a peak of memory no larger than this may be our own
	orphans  Usage        // of orphans that were reaped
	leaves   Usage        // what the leaf knew of all its members when it was taken away
	measured bool         // leaves is set
	before   map[key]bool // our children that are none of its own: there before it, or let go
	known    map[key]bool // its members at the last look
	denied   map[key]bool // orphans that turned out to be none of its own

	killing atomic.Bool // its whole group is to be killed
	looking sync.Mutex  // one look at the members at a time
	ending  sync.Mutex
	ended   *Result
}

// Start runs c under supervision: born in a cgroup leaf where one can be made,
// else in a session of its own; and this process inherits its orphans either
// way. When ctx ends, so does the command, as by [Process.End]. The error
// wraps exec.ErrNotFound or fs.ErrPermission when the program could not be
// started, and ErrNoStart when nobody waited for it any longer; then nothing is
// left.
func Start(ctx context.Context, c Command) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	if strings.ContainsAny(c.Name, "/:\n\x00") {
		return nil, fmt.Errorf("start %s: the name %q cannot name a leaf: leave out slash, colon and newline", c.Argv[0], c.Name)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become subreaper: %w", err)
	}
	p := &Process{
		cmd: c, mark: newMark(c.Name), exit: Exit{Code: -1},
		denied: make(map[key]bool), done: make(chan struct{}), over: make(chan struct{}),
	}
	p.makeLeaf()
	cmd, err := p.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	p.supervise(cmd)
	stop := context.AfterFunc(ctx, func() { p.End(Limits{Grace: c.Grace}, nil) })
	go func() { <-p.over; stop() }()
	return p, nil
}

// supervise begins to wait for what was started.
func (p *Process) supervise(cmd *exec.Cmd) {
	go p.wait(cmd)
	go p.reapAlong(p.over)
}

// markDigits is how many digits make a mark single.
const markDigits = 12

// newMark makes a name single.
func newMark(name string) string {
	var b [markDigits / 2]byte
	_, _ = rand.Read(b[:]) // crypto/rand does not fail
	if name == "" {
		name = strconv.Itoa(os.Getpid()) + "-unnamed"
	}
	return name + "." + hex.EncodeToString(b[:])
}

// markName is the name that a mark was made of.
func markName(mark string) string {
	return mark[:max(0, strings.LastIndexByte(mark, '.'))]
}

func (p *Process) makeLeaf() {
	if p.cmd.NoLeaf {
		p.NoLeaf = fmt.Errorf("%w: none was asked for", ErrNoLeaf)
		return
	}
	p.leaf, p.NoLeaf = newLeaf(p.mark)
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
		return cmd, startCommand(cmd, p)
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(p.leaf.fd.Fd())
	err := startCommand(cmd, p)
	if err == nil || !refusedLeaf(err) {
		return cmd, err
	}
	p.dropLeaf()
	p.NoLeaf = noLeaf(err)
	cmd = p.command(path)
	return cmd, startCommand(cmd, p)
}

func (p *Process) command(path string) *exec.Cmd {
	cmd := &exec.Cmd{Path: path, Args: p.cmd.Argv, Dir: p.cmd.Dir, Env: withMark(p.cmd.Env, p.mark)}
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

// withMark adds a command to the cookie in an environment.
func withMark(env []string, mark string) []string {
	return append(slices.Clone(env), markVariable+"="+strings.Join(append(marksIn(env), mark), ":"))
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
