package cuda

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// grace is how long we read on when the child was ended: what it started can hold its
// pipes.
const grace = 5 * time.Second

// call runs gpuci-cuda on one request, under a tool where one is asked for.
func (o Options) call(ctx context.Context, r Request) (answers, error) {
	request, err := json.Marshal(r)
	if err != nil {
		return answers{}, err
	}
	if o.Tool != "" {
		return o.watched(ctx, request)
	}
	return o.run(ctx, []string{o.Program}, request)
}

// run runs one command line to its end and judges how it ended.
func (o Options) run(ctx context.Context, argv []string, request []byte) (answers, error) {
	bounded, cancel := context.WithTimeout(ctx, o.limit())
	defer cancel()
	cmd := exec.CommandContext(bounded, argv[0], argv[1:]...)
	var words bytes.Buffer
	cmd.Stdin, cmd.Stderr, cmd.Env = bytes.NewReader(request), &words, o.Env
	// A group of its own, so that what a tool starts ends with it. What outlives us all
	// the same ends by itself: nobody reads its answers any more.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
	out, err := cmd.StdoutPipe()
	if err != nil {
		return answers{}, err
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return answers{}, context.Cause(ctx)
		}
		return answers{}, fmt.Errorf("start %s: %w", argv[0], notThere(err))
	}
	a, read := readAnswers(out)
	if read != nil {
		cancel() // what it goes on to say is nobody's answer
	}
	ended := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return a, context.Cause(ctx)
	case read == nil && bounded.Err() != nil && !a.done:
		return a, &LimitError{Limit: o.limit()}
	case read != nil && !a.any:
		return a, &strangerError{errors.Join(read, lastWords(words.String()))}
	case read != nil:
		return a, errors.Join(read, lastWords(words.String()))
	}
	return a, a.judge(ended, words.String())
}

func notThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	return err
}

// judge says what a child's end means. Only "done" and exit code 0 together are an end.
func (a *answers) judge(ended error, words string) error {
	if a.refused != nil {
		switch a.refused.Code {
		case NoDriver:
			return fmt.Errorf("%w: %w", ErrNoCard, a.refused)
		case NoCUDA:
			return fmt.Errorf("%w that has CUDA in it: %w", ErrNoProgram, a.refused)
		}
		return a.refused
	}
	if ended == nil && a.done {
		return nil
	}
	how := "without its last line"
	if ended != nil {
		how = ended.Error()
	}
	err := errors.Join(fmt.Errorf("gpuci-cuda ended before its end: %s", how), lastWords(words))
	if !a.any && neverBegan(ended) {
		return &strangerError{err}
	}
	return err
}

// neverBegan says whether a program that gave no answer ended as one does that is no
// gpuci-cuda, or cannot be loaded here, and not as one that crashed.
func neverBegan(ended error) bool {
	var exit *exec.ExitError
	return ended == nil || errors.As(ended, &exit) && slices.Contains([]int{exitUnfit, 126, 127}, exit.ExitCode())
}

// strangerError is of a program that does not answer as gpuci-cuda does.
type strangerError struct{ err error }

func (e *strangerError) Error() string { return e.err.Error() }
func (e *strangerError) Unwrap() error { return e.err }

// lastWords is the end of what a child said on standard error; nil for nothing.
func lastWords(words string) error {
	words = strings.TrimSpace(words)
	if words == "" {
		return nil
	}
	lines := strings.Split(words, "\n")
	return errors.New(strings.Join(lines[max(0, len(lines)-20):], "\n"))
}
