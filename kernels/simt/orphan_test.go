package simt_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gpuci/kernels/simt"
)

// orphanDir is the variable by which the test binary is told to be a process that runs an
// endless kernel, and where.
const orphanDir = "GPUCI_SIMT_ORPHAN"

// orphan runs an endless kernel. It says when the runner was started, which has standard
// output from it as the only other.
func orphan() error {
	started := func(ctx context.Context, c simt.Command) error {
		cmd := command(ctx, c)
		if filepath.Base(c.Argv[0]) != "runner" {
			return cmd.Run()
		}
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			return err
		}
		fmt.Println("started")
		return cmd.Wait()
	}
	p, err := simt.Build(context.Background(), simt.Options{
		Sources: []string{"testdata/crash.cu"}, Dir: os.Getenv(orphanDir), CXX: os.Getenv("CXX"), Exec: started,
	})
	if err != nil {
		return err
	}
	_, err = p.Run(context.Background(), shape{kernel: "endless", blocks: 1, threads: 1}.job(0))
	return fmt.Errorf("the endless kernel has ended: %w", err)
}

// A process that was killed takes its runner with it, and the next build the directory
// of its job.
func TestKilledProcessLeavesNothing(t *testing.T) {
	cxx := compilers(t)[0]
	built(t, cxx, simt.Plain, "crash.cu") // for the child to find
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), orphanDir+"="+directory, "CXX="+cxx)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var word string
	if _, err := fmt.Fscanln(out, &word); err != nil || word != "started" {
		t.Errorf("the child says %q: %v", word, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	// The end of the output is the end of child and runner: nobody else has it.
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := child.Wait(); err == nil || !errors.As(err, new(*exec.ExitError)) {
		t.Errorf("the child was not killed: %v", err)
	}
	if n := rooms(t); n == 0 {
		t.Error("the killed process has left no directory; this test sees nothing")
	}
	if _, err := simt.Build(t.Context(), simt.Options{Sources: []string{"testdata/crash.cu"}, Dir: directory, CXX: cxx}); err != nil {
		t.Fatal(err)
	}
	if n := rooms(t); n != 0 {
		t.Errorf("%d directories of processes that are gone", n)
	}
}

// rooms counts what is neither objects nor programs nor the runtime.
func rooms(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if name := e.Name(); name != "objects" && name != "programs" && name != "runtime" {
			n++
		}
	}
	return n
}

// A build leaves alone the directories of jobs that are running.
func TestBuildLeavesRunningJobs(t *testing.T) {
	cxx := compilers(t)[0]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var built error
	started := func(ctx context.Context, c simt.Command) error {
		if filepath.Base(c.Argv[0]) == "runner" {
			_, built = simt.Build(t.Context(), simt.Options{Sources: []string{"testdata/crash.cu"}, Dir: directory, CXX: cxx})
			if _, err := os.Stat(filepath.Join(c.Dir, "job")); err != nil {
				built = errors.Join(built, err)
			}
			cancel()
		}
		return command(ctx, c).Run()
	}
	p, err := simt.Build(ctx, simt.Options{Sources: []string{"testdata/crash.cu"}, Dir: directory, CXX: cxx, Exec: started})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(ctx, shape{kernel: "endless", blocks: 1, threads: 1}.job(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if built != nil {
		t.Error(built)
	}
}
