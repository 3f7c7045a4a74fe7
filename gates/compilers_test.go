package gates

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/kernels/build"
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

// What git tracks of some files is told, by the names they were asked by; outside of git
// nothing is tracked.
func TestTracked(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	root := t.TempDir()
	c := &Compilers{Name: "test"}
	for _, name := range []string{"sub/a b.cubin", "sub/b.cubin"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{filepath.Join(root, "sub/a b.cubin"), filepath.Join(root, "sub/b.cubin"), filepath.Join(root, "sub/[ab].cubin")}
	if got, err := c.Tracked(t.Context(), root, paths); err != nil || len(got) > 0 {
		t.Errorf("outside of git: %q, %v", got, err)
	}
	for _, argv := range [][]string{{"init", "-q", "."}, {"add", "sub/a b.cubin"}} {
		cmd := exec.Command("git", argv...)
		if cmd.Dir = root; cmd.Run() != nil {
			t.Fatal(argv)
		}
	}
	for _, from := range []string{root, filepath.Join(root, "sub")} {
		got, err := c.Tracked(t.Context(), from, paths)
		if err != nil || len(got) != 1 || got[0] != "sub/a b.cubin" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if got, err := c.Tracked(t.Context(), root, []string{filepath.Join(t.TempDir(), "k.cubin")}); err != nil || len(got) > 0 {
		t.Errorf("outside of the repository: %q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Tracked(ctx, root, paths); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A set knows the outputs of the others, and the device code that is committed, as what
// its own must not be written over.
func TestSetBeside(t *testing.T) {
	cfg := kernelWorkspace(t, "[[kernels]]\nname = 'a'\nsources = ['k.cu']\narch = ['sm_90']\noutput = 'out'\nflags = ['-DV=1']\n"+
		"[[kernels]]\nname = 'b'\nsources = ['k.cu']\narch = ['sm_90']\noutput = 'out'\nflags = ['-DV=2']\n"+
		"[[kernels]]\nname = 'c'\nsources = ['k.cu']\narch = ['sm_90']\noutput = 'pre'\nprebuilt = ['pre/*.cubin']\n")
	if err := os.WriteFile(filepath.Join(cfg.Root, "k.cu"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "is an output of the set b as well", "b": "is an output of the set a as well", "c": "is committed device code"} {
		k, _ := cfg.KernelSet(name)
		if _, err := build.Outputs(KernelSet(cfg, k, cfg.Root).Build); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
