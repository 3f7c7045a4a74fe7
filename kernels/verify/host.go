package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// Host builds programs for the processor, by package simt.
type Host struct {
	Sources string    // directory of the .cu files
	Shown   string    // the same, as messages name it; "": Sources
	Fast    []string  // what else makes a device less exact than the host: flags of its compiler; each is a finding
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

// Sight implements [Backends].
func (h Host) Sight() Sight { return HostSight() }

// Build implements [Backends]. A source that does not compile is a
// [simt.CompileError]; where there is no compiler the error wraps [ErrNoCompiler].
func (h Host) Build(ctx context.Context, p Program) (launch.Backend, error) {
	cxx, err := h.compiler()
	if err != nil {
		return nil, err
	}
	sources, err := h.sources(p)
	if err != nil {
		return nil, err
	}
	if err := h.directory(); err != nil {
		return nil, &DirError{Dir: h.Dir, Err: err}
	}
	began := time.Now()
	b, err := simt.Build(ctx, simt.Options{
		Sources: sources, Mode: mode(p.Look), Dir: h.Dir, CXX: cxx, Env: h.Env, Exec: h.Exec, Workers: h.Workers,
	})
	switch {
	case errors.As(err, new(*exec.Error)): // of looking for it
		return nil, fmt.Errorf("%w: %w", ErrNoCompiler, err)
	case err != nil:
		return nil, err
	case h.Note != nil && b.Compiled > 0:
		h.Note(fmt.Sprintf("%s: compiled %s in %.1f s", p, strings.Join(p.Sources, ", "), time.Since(began).Seconds()))
	}
	return h.placed(b, p, sources)
}

// DirError is a directory in which nothing can be built.
type DirError struct {
	Dir string
	Err error
}

func (e *DirError) Error() string {
	return fmt.Sprintf("make directory for what is built: %v", e.Err)
}

func (e *DirError) Unwrap() error { return e.Err }

// sources are the paths of a program's sources, all of which are there: nothing is made
// for a program that is not.
func (h Host) sources(p Program) (paths []string, err error) {
	for _, name := range p.Sources {
		if name == CanaryFile {
			paths = append(paths, filepath.Join(h.Dir, name))
			continue
		}
		path := filepath.Join(h.Sources, name)
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("read source: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// placed is a program's backend, with what it does not judge where numbers count.
func (h Host) placed(b launch.Backend, p Program, sources []string) (launch.Backend, error) {
	with := placed{Backend: b, dir: h.Sources, shown: cmp.Or(h.Shown, h.Sources)}
	if p.Look != Numbers {
		return with, nil
	}
	var err error
	if with.besides, err = notJudged(sources); err != nil {
		return nil, err
	}
	for _, text := range h.Fast {
		with.besides = append(with.besides, launch.Finding{Kind: NotJudged, Memory: text, Count: 1,
			Text: fmt.Sprintf("%s: %s makes a device less exact than the host, so that these numbers say nothing of it", NotJudged, text)})
	}
	return with, nil
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

// keep writes a file where it is not there as it is to be, whole or not at all: another
// gpuci may be reading it.
func keep(path string, text []byte) error {
	if was, err := os.ReadFile(path); err == nil && bytes.Equal(was, text) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
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
