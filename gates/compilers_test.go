package gates

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/kernels/nvcc"
)

// A compiler's output is all there when it has ended, and nothing it started is.
func TestCompilers(t *testing.T) {
	c := &Compilers{Name: "test"}
	var out, errs bytes.Buffer
	err := c.Exec(t.Context(), nvcc.Command{Argv: []string{"/bin/sh", "-c", "sleep 1000 & echo $!; echo said >&2; exit 3"}, Env: os.Environ(), Stdout: &out, Stderr: &errs})
	if err == nil || err.Error() != "exit status 3" || errs.String() != "said\n" {
		t.Errorf("%v, %q", err, errs.String())
	}
	pid, perr := strconv.Atoi(strings.TrimSpace(out.String()))
	if perr != nil {
		t.Fatal(perr)
	}
	if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("what it started is still there: %v", err)
	}
	if err := c.Exec(t.Context(), nvcc.Command{Argv: []string{"/bin/true"}}); err != nil {
		t.Error(err)
	}
	if err := c.Exec(t.Context(), nvcc.Command{Argv: []string{"/nowhere/nvcc"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
	var both bytes.Buffer
	if err := c.Exec(t.Context(), nvcc.Command{Argv: []string{"/bin/sh", "-c", "echo a; echo b >&2"}, Stdout: &both, Stderr: &both}); err != nil || both.String() != "a\nb\n" {
		t.Errorf("%v, %q", err, both.String())
	}
}

// lineTold closes a channel at the first line that is written to it.
type lineTold struct {
	once sync.Once
	line chan struct{}
}

func (w *lineTold) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.line) })
	return len(p), nil
}

// Several at once are ended by the context, whose cause is what they end with.
func TestCompilersEnded(t *testing.T) {
	c := &Compilers{Name: "test"}
	why := errors.New("somebody said so")
	ctx, cancel := context.WithCancelCause(t.Context())
	errs := make(chan error, 3)
	var begun []*lineTold
	for range cap(errs) {
		w := &lineTold{line: make(chan struct{})}
		begun = append(begun, w)
		go func() {
			errs <- c.Exec(ctx, nvcc.Command{Argv: []string{"/bin/sh", "-c", "trap '' TERM; echo; sleep 1000"}, Env: os.Environ(), Stdout: w})
		}()
	}
	for _, w := range begun {
		<-w.line
	}
	for late := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) { // a child may print before it is written down
		all, err := c.members()
		if err == nil && len(all) >= len(begun) {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("%d processes are known, %v", len(all), err)
		}
	}
	hurry := make(chan struct{})
	close(hurry)
	c.Hurry = hurry
	cancel(why)
	for range cap(errs) {
		if err := <-errs; !errors.Is(err, why) {
			t.Error(err)
		}
	}
	if left := c.Left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
