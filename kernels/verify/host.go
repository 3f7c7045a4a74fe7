package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// Host builds programs for the processor, by package simt.
type Host struct {
	Sources string    // directory of the .cu files
	Dir     string    // where what is built goes; it is ignored by git
	CXX     string    // the C++ compiler; "" looks for one
	Env     []string  // of the compiler and the kernels; nil: as Exec has it
	Exec    simt.Exec // runs the compiler and the kernels; nil: as plain children
	Workers int       // blocks at once; 0 is one for each core

	Note func(string) // told what was compiled; may be nil
}

// ErrNoCompiler says that there is no C++ compiler.
var ErrNoCompiler = errors.New("there is no C++ compiler")

// Name implements [Backends].
func (h Host) Name() string { return "host" }

// Build implements [Backends]. A source that does not compile is a
// [simt.CompileError]; where there is no compiler the error wraps [ErrNoCompiler].
func (h Host) Build(ctx context.Context, p Program) (launch.Backend, error) {
	if err := h.directory(); err != nil {
		return nil, fmt.Errorf("make directory for what is built: %w", err)
	}
	var sources []string
	for _, name := range p.Sources {
		from := h.Sources
		if name == CanaryFile {
			from = h.Dir
		}
		sources = append(sources, filepath.Join(from, name))
	}
	began := time.Now()
	b, err := simt.Build(ctx, simt.Options{
		Sources: sources, Mode: mode(p.Look), Dir: h.Dir, CXX: h.CXX, Env: h.Env, Exec: h.Exec, Workers: h.Workers,
	})
	switch {
	case errors.As(err, new(*exec.Error)): // of looking for it
		return nil, fmt.Errorf("%w: %w", ErrNoCompiler, err)
	case err != nil:
		return nil, err
	case h.Note != nil && b.Compiled > 0:
		h.Note(fmt.Sprintf("%s: %d files compiled in %.1f s", p, b.Compiled, time.Since(began).Seconds()))
	}
	return b, nil
}

// directory makes the place of all programs, with the canary in it. Git is told to look
// at nothing there: a lane in which something was built is not one that was changed.
func (h Host) directory() error {
	if err := os.MkdirAll(h.Dir, 0o755); err != nil {
		return err
	}
	if err := keep(filepath.Join(h.Dir, ".gitignore"), []byte("*\n")); err != nil {
		return err
	}
	return keep(filepath.Join(h.Dir, CanaryFile), CanarySource)
}

// keep writes a file where it is not there as it is to be: another gpuci may be reading
// it.
func keep(path string, text []byte) error {
	if was, err := os.ReadFile(path); err == nil && bytes.Equal(was, text) {
		return nil
	}
	return os.WriteFile(path, text, 0o644)
}

// mode is the simt's way of looking.
func mode(l Look) simt.Mode {
	switch l {
	case Accesses:
		return simt.Check
	case Bounds:
		return simt.Address
	}
	return simt.Plain
}
