package gates

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock/links"
	"gpuci/kernels/nvcc"
	"gpuci/reaper/proc"
)

// Compilers runs compilers as a gate's commands are run, but several at once: each is
// supervised, nothing that it starts outlives it, and its links queue.
type Compilers struct {
	Name  string                                        // of the run that they are of
	Env   func(argv, env []string, dir string) []string // puts the shims in front
	Links *links.Watch                                  // looks at their links; nil for none
	Hurry <-chan struct{}                               // closed: end what runs at once

	mu      sync.Mutex
	running []*proc.Process
	left    []string // what could not be ended
}

// Ask runs one for its answer, without shims: it links nothing, and they take time.
func (c *Compilers) Ask(ctx context.Context, cmd nvcc.Command) error {
	return (&Compilers{Name: c.Name, Hurry: c.Hurry}).Exec(ctx, cmd)
}

// compilerGrace is what a compiler may take to remove its temporary files.
const compilerGrace = 2 * time.Second

// Exec runs one to its end, or to that of the context, whose cause is the error then.
func (c *Compilers) Exec(ctx context.Context, cmd nvcc.Command) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var out taps
	defer out.close()
	stdout, err := out.tap(cmd.Stdout)
	stderr := stdout
	if err == nil && cmd.Stderr != cmd.Stdout {
		stderr, err = out.tap(cmd.Stderr)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", cmd.Argv[0], err)
	}
	env := cmd.Env
	if c.Env != nil {
		env = c.Env(cmd.Argv, env, cmd.Dir)
	}
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Command{
		Argv: cmd.Argv, Dir: cmd.Dir, Env: env, Name: c.Name, GiveUp: ctx.Done(), Stdout: stdout, Stderr: stderr,
	})
	out.closeChild()
	switch {
	case errors.Is(err, proc.ErrNoStart):
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	c.begins(p)
	lim := proc.Limits{Settle: settle}
	select {
	case <-p.Done():
	case <-ctx.Done():
		lim = proc.Limits{Grace: compilerGrace}
	}
	r := p.End(lim, c.Hurry)
	c.ended(p, survivors(r))
	out.drain()
	x := p.Exit()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case x.Clean():
		return nil
	}
	e := Ended{Argv: cmd.Argv, Exit: x.Code}
	if x.Signal != 0 {
		e.Signal = unix.SignalName(x.Signal)
	}
	return errors.New(howEnded(e))
}

// Tracked gives those of some files of a workspace that git tracks, which a compiler's
// output must not be written over. Outside of git, and where there is none, that is none.
func (c *Compilers) Tracked(ctx context.Context, root string, paths []string) ([]string, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, nil
	}
	var said, wrong bytes.Buffer
	argv := append([]string{git, "--literal-pathspecs", "-C", root, "ls-files", "-z", "--full-name", "--"}, paths...)
	if err := c.Ask(ctx, nvcc.Command{Argv: argv, Dir: root, Env: append(os.Environ(), "LC_ALL=C"), Stdout: &said, Stderr: &wrong}); err != nil {
		if ctx.Err() == nil && (strings.Contains(wrong.String(), "not a git repository") || strings.Contains(wrong.String(), "is outside repository")) {
			return nil, nil
		}
		return nil, fmt.Errorf("git ls-files: %w: %.200s", err, strings.TrimSpace(wrong.String()))
	}
	return strings.FieldsFunc(said.String(), func(r rune) bool { return r == 0 }), nil
}

func (c *Compilers) begins(p *proc.Process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = append(c.running, p)
}

func (c *Compilers) ended(p *proc.Process, left []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = slices.DeleteFunc(c.running, func(o *proc.Process) bool { return o == p })
	c.left = append(c.left, left...)
}

// Left are the processes that could not be ended.
func (c *Compilers) Left() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.left)
}

// members are the processes of all that run.
func (c *Compilers) members() (all []proc.Stat, err error) {
	c.mu.Lock()
	list := slices.Clone(c.running)
	c.mu.Unlock()
	for _, p := range list {
		some, perr := p.Members()
		all, err = append(all, some...), errors.Join(err, perr)
	}
	return all, err
}

// Watch looks at the links until the returned function is called.
func (c *Compilers) Watch(ctx context.Context) (stop func()) {
	if c.Links == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { c.Links.Run(ctx, c.members) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// taps are the pipes of one command, and what copies from them.
type taps struct {
	ours, theirs []*os.File
	done         sync.WaitGroup
}

// tap is a pipe into a writer; nil, which is /dev/null, for none.
func (t *taps) tap(w io.Writer) (*os.File, error) {
	if w == nil {
		return nil, nil
	}
	r, child, err := pipe()
	if err != nil {
		return nil, err
	}
	t.ours, t.theirs = append(t.ours, r), append(t.theirs, child)
	t.done.Go(func() { _, _ = io.Copy(w, r) })
	return child, nil
}

func (t *taps) closeChild() {
	for _, f := range t.theirs {
		_ = f.Close()
	}
	t.theirs = nil
}

// drain waits for what is still in the pipes. Only what could not be ended still has
// them open: closed, they end the copies.
func (t *taps) drain() {
	late := time.AfterFunc(drainTime, t.closeOurs)
	t.done.Wait()
	late.Stop()
}

func (t *taps) closeOurs() {
	for _, f := range t.ours {
		_ = f.Close()
	}
}

func (t *taps) close() {
	t.closeChild()
	t.closeOurs()
	t.done.Wait()
}
