package device

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"gpuci/reaper/proc"
)

// child is the process that talks to the driver's library. A driver can hang in a
// system call that nothing interrupts; then the child does, is killed and given up,
// and is collected when the kernel lets go of it.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan told
	gone    chan struct{} // closed when it was collected
	how     error         // set before gone is closed
	said    *lastWords
	last    int // id of the last question
}

// errHung says that an answer did not come in time.
var errHung = errors.New("the driver does not answer")

// errDied says that the child ended by itself: its program or the library is broken.
var errDied = errors.New("the child that asks the driver died")

// inChild marks the environment of the child, so that a program that does not know
// Child cannot start itself without end.
const inChild = "GPUCI_NVML_CHILD=1"

// startChild starts it in a process group of its own: a Ctrl-C is for the gate, and
// what watches the card is needed until the gate has ended. In our session it stays.
func startChild(o Options) (*child, error) {
	program := o.Program
	if program == "" {
		program = "/proc/self/exe"
	}
	c := &child{answers: make(chan told, 1), gone: make(chan struct{}), said: &lastWords{}}
	c.cmd = &exec.Cmd{
		Path: program, Args: []string{Child}, Env: append(o.environ(), inChild), Stderr: c.said,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, WaitDelay: time.Second,
	}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.in, c.cmd.Stdout = in, w
	wait, err := proc.StartBeside(c.cmd)
	w.Close()
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("start %s to ask the driver: %w", program, err)
	}
	go c.read(out, wait)
	return c, nil
}

func (o Options) environ() []string {
	if o.Env != nil {
		return o.Env[:len(o.Env):len(o.Env)]
	}
	return os.Environ()
}

// answerMax bounds a line: some hundred bytes a process, and thousands of them.
const answerMax = 8 << 20

// read reads answers until the child's end, and collects it.
func (c *child) read(out *os.File, wait func() error) {
	defer out.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, answerMax)
	for lines.Scan() {
		t, err := parseTold(lines.Bytes())
		if err != nil {
			break
		}
		c.answers <- t
	}
	_ = c.cmd.Process.Kill() // what answers no sense is of no use
	c.how = wait()
	close(c.gone)
}

// parseTold reads one line of the child's.
func parseTold(line []byte) (t told, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return told{}, fmt.Errorf("read the answer about the cards: %w", err)
	}
	return t, nil
}

// ask puts one question. The error wraps errHung, errDied or is ctx's; after the
// first two the child is of no use any more.
func (c *child) ask(ctx context.Context, q ask, limit time.Duration) (told, error) {
	c.last++
	q.ID = c.last
	line, err := json.Marshal(q)
	if err != nil {
		return told{}, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return told{}, c.died()
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		select {
		case t := <-c.answers:
			if t.ID == q.ID {
				return t, nil // others are to questions that nobody waits for any more
			}
		case <-c.gone:
			return told{}, c.died()
		case <-late.C:
			return told{}, fmt.Errorf("%w (NVML, for %s)", errHung, limit)
		case <-ctx.Done():
			return told{}, ctx.Err()
		}
	}
}

// patience is how long a killed process gets until it is taken for one in D.
const patience = 2 * time.Second

func (c *child) died() error {
	select {
	case <-c.gone:
	case <-time.After(patience):
	}
	words := []string{errDied.Error()}
	select {
	case <-c.gone:
		if c.how != nil {
			words = append(words, c.how.Error())
		}
	default:
	}
	if s := c.said.telling(); s != "" {
		words = append(words, s)
	}
	return fmt.Errorf("%w%s", errDied, strings.TrimPrefix(strings.Join(words, ": "), errDied.Error()))
}

// end kills the child, and waits a moment for it. (Process.Kill is by pidfd where
// the kernel has such, and never after it was collected.)
func (c *child) end() {
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case <-c.gone:
			return
		case <-c.answers: // its reader must not wait for us
		case <-late.C:
			go func() {
				for {
					select {
					case <-c.gone:
						return
					case <-c.answers:
					}
				}
			}()
			return
		}
	}
}
