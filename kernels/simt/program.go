package simt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gpuci/kernels/launch"
)

// CrashError is a kernel that ended the process.
type CrashError struct {
	Signal syscall.Signal
	Kernel string
	Block  [3]int
	Thread [3]int
	File   string // "" where it is not known
	Line   int
}

func (e *CrashError) Error() string {
	at := ""
	if e.File != "" {
		at = fmt.Sprintf(" at %s:%d", e.File, e.Line)
	}
	why := ""
	if e.Signal == syscall.SIGILL {
		why = "; was a float converted to an integer that cannot hold it? __float2int_rz saturates as devices do"
	}
	return fmt.Sprintf("kernel %s crashed%s in thread %s of block %s: %v%s",
		e.Kernel, at, triple(e.Thread), triple(e.Block), e.Signal, why)
}

// Name is how outcomes name the backend.
func (p *Program) Name() string { return "host" }

// Mode is the mode that the program was built in.
func (p *Program) Mode() Mode { return p.o.Mode }

// Run runs a job in a process of its own. A kernel that crashes is a *CrashError; a
// kernel that the program does not have, or other arguments than its parameters, is
// an error; what was seen to be wrong is in the result.
func (p *Program) Run(ctx context.Context, job launch.Job) (launch.Result, error) {
	result, err := p.run(ctx, job)
	if err != nil {
		return launch.Result{}, fmt.Errorf("run kernels on the host: %w", err)
	}
	return result, nil
}

func (p *Program) run(ctx context.Context, job launch.Job) (launch.Result, error) {
	if err := job.Check(); err != nil {
		return launch.Result{}, err
	}
	memory, err := memoryOf("/proc/meminfo")
	if err != nil {
		return launch.Result{}, err
	}
	if err := fits(job, memory); err != nil {
		return launch.Result{}, err
	}
	dir, leave, err := enter(p.o.Dir)
	if err != nil {
		return launch.Result{}, err
	}
	defer leave()
	if err := writeJob(dir, job, p.o.Workers, p.o.Limit); err != nil {
		return launch.Result{}, fmt.Errorf("write job: %w", err)
	}
	var words bytes.Buffer
	bounded, cancel := context.WithTimeout(ctx, p.bound(job))
	defer cancel()
	ended := p.o.Exec(bounded, Command{
		Argv: []string{filepath.Join(p.dir, "runner"), "job", "result"}, Dir: dir, Env: p.o.Env, Stdout: &words, Stderr: &words,
	})
	if ctx.Err() != nil {
		return launch.Result{}, context.Cause(ctx)
	}
	if bounded.Err() != nil { // the runner did not end itself
		return launch.Result{}, &LimitError{Limit: p.o.Limit, Kernels: kernels(job)}
	}
	text, err := os.ReadFile(filepath.Join(dir, "result"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return launch.Result{}, err
	}
	a, err := parse(string(text))
	if err != nil {
		return launch.Result{}, err
	}
	if err := p.locate(ctx, &a); err != nil {
		return launch.Result{}, err
	}
	return p.result(dir, job, a, ended, words.String())
}

// result reads what the runner has left, which depends on how it ended.
func (p *Program) result(dir string, job launch.Job, a answer, ended error, words string) (launch.Result, error) {
	r := launch.Result{Launches: a.counts, Findings: a.result()}
	switch {
	case a.crash != nil:
		return r, p.died(a.crash.crash())
	case !a.whole && (r.Found(launch.OutOfBounds) || r.Found(launch.Rewritten)): // it was ended there
		return r, nil
	case ended != nil || !a.whole:
		return r, fmt.Errorf("%s", strings.Join(append(tail(words, 20), fmt.Sprintf("the runner ended before its end: %v", ended)), "\n"))
	case r.Found(launch.Deadlock):
		return r, nil
	}
	var err error
	r.Buffers, err = readBuffers(dir, job)
	return r, err
}

// tail is the last lines of what the runner said, without its own prefix.
func tail(words string, n int) []string {
	lines := strings.Split(strings.TrimSpace(words), "\n")
	if lines[0] == "" {
		return nil
	}
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "simt: ")
	}
	return lines[max(0, len(lines)-n):]
}
