package simt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Command is a program to be run to its end.
type Command struct {
	Argv   []string // Argv[0] is a path, not a name to be looked up
	Dir    string   // "" is the directory of whoever runs it
	Env    []string // nil is the environment of whoever runs it
	Stdout io.Writer
	Stderr io.Writer
}

// Exec runs a command under the caller's supervision; a command that failed is an
// error.
type Exec func(ctx context.Context, c Command) error

// Options say what to build and where.
type Options struct {
	Sources []string // .cu files, each of another base name; required
	Include []string // directories for #include, after the source's own
	Mode    Mode     // "" is Plain
	Dir     string   // where objects and programs are kept, to be found again; required

	CXX       string   // the C++ compiler, a name or a path; "" is g++, else clang++, else c++
	Addr2line string   // tells lines of addresses; "" is addr2line, else llvm-addr2line
	Env       []string // of the compiler and the kernels; nil: as Exec has it
	Exec      Exec     // runs the compiler, linker and kernels; nil: as plain children
	Jobs      int      // compiles at once; 0: as many as there are CPUs
	Workers   int      // blocks at once; 0: as many as there are CPUs, at most 16; Check has one

	Limit time.Duration // of one launch; one that takes longer is a *LimitError; 0: five minutes
}

// prepared is the options with every blank filled in.
func (o Options) prepared() (Options, error) {
	if len(o.Sources) == 0 || o.Dir == "" {
		return o, errors.New("sources and a directory are required")
	}
	names := map[string]bool{}
	for _, s := range o.Sources {
		if names[filepath.Base(s)] {
			return o, fmt.Errorf("two sources are called %s; findings could not tell them apart", filepath.Base(s))
		}
		names[filepath.Base(s)] = true
	}
	if o.Mode == "" {
		o.Mode = Plain
	}
	if o.Exec == nil {
		o.Exec = child
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.NumCPU()
	}
	if o.Workers <= 0 {
		// Each thread of a block in flight has a stack and a guard page, and a process
		// has 65,530 mappings (vm.max_map_count): 16 blocks of 1,024 are half of them.
		o.Workers = min(runtime.NumCPU(), 16)
	}
	if o.Limit <= 0 {
		o.Limit = 5 * time.Minute // the longest launch of a gate here takes two seconds
	}
	if o.Mode == Check {
		o.Workers = 1 // the shadow is one, and what is seen first is the same each time
	}
	var err error
	if o.CXX, err = look(o.CXX, "g++", "clang++", "c++"); err != nil {
		return o, fmt.Errorf("find C++ compiler: %w; install g++ or clang++, or set CXX", err)
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return o, err
	}
	if line, err := look(o.Addr2line, "addr2line", "llvm-addr2line"); err == nil || o.Addr2line != "" {
		o.Addr2line = line
	}
	return o, nil
}

// look finds the program that was asked for, else the first of the names.
func look(asked string, names ...string) (string, error) {
	if asked != "" {
		names = []string{asked}
	}
	var first error
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil {
			return filepath.Abs(path)
		}
		if first == nil {
			first = err
		}
	}
	return "", first
}

// child runs a command as a plain child. A second after the context has ended its
// pipes are closed, whoever still holds them.
func child(ctx context.Context, c Command) error {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, c.Stdout, c.Stderr
	cmd.WaitDelay = time.Second
	return cmd.Run()
}
