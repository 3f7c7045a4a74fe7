package simt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// CompileError is a source that the compiler refused, with the compiler's own words.
type CompileError struct {
	Source string
	Output string
	Err    error
}

func (e *CompileError) Error() string {
	text := fmt.Sprintf("compile %s for the host: %v\n%s", e.Source, e.Err, e.Output)
	if strings.Contains(e.Output, "<<<") {
		text += "\nsimt: kernels are launched by a job; a launch in a .cu file is not there on the host"
	}
	return text
}

func (e *CompileError) Unwrap() error { return e.Err }

// unit is a text to be compiled to an object.
type unit struct {
	name, text string
	dir        string // where the compiler stands, to show the lines that it speaks of
	flags      []string
	parts      []string // what else the object is made of
	object     string
}

// compile compiles the units whose objects are not there, some at once, and says how
// many. The first error ends the others.
func (o Options) compile(ctx context.Context, c compiler, units []unit, headers string) (int, error) {
	if err := os.MkdirAll(filepath.Join(o.Dir, "objects"), 0o777); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	var n atomic.Int64
	slots := make(chan struct{}, o.Jobs)
	for i, u := range units {
		if _, err := os.Stat(u.object); err == nil {
			continue
		}
		n.Add(1)
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			if err := o.compileOne(ctx, c, u, headers, i > 1); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	return int(n.Load()), nil
}

// compileOne compiles a unit to a file of its own, which then takes the object's name.
func (o Options) compileOne(ctx context.Context, c compiler, u unit, headers string, kernels bool) error {
	tmp, err := os.MkdirTemp(o.Dir, "compile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	text, object := filepath.Join(tmp, "unit.cpp"), filepath.Join(tmp, "o")
	if err := os.WriteFile(text, []byte(u.text), 0o666); err != nil {
		return err
	}
	dir, err := filepath.Abs(u.dir)
	if err != nil {
		return err
	}
	argv := append([]string{c.path}, u.flags...)
	argv = append(argv, "-iquote", dir)
	for _, include := range o.Include {
		if include, err = filepath.Abs(include); err != nil {
			return err
		}
		argv = append(argv, "-I", include)
	}
	argv = append(argv, "-I", headers)
	if kernels {
		argv = append(argv, "-include", filepath.Join(headers, "gpuci_simt.h"))
	}
	argv = append(argv, "-c", text, "-o", object)
	var words bytes.Buffer
	if err := o.Exec(ctx, Command{Argv: argv, Dir: dir, Env: o.Env, Stdout: &words, Stderr: &words}); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &CompileError{Source: u.name, Output: strings.TrimSpace(words.String()), Err: err}
	}
	return os.Rename(object, u.object)
}

// link makes the shared object of the kernels and the runner that begins with it.
func (o Options) link(ctx context.Context, c compiler, units []unit, dir string) error {
	var objects []string
	for _, u := range units[1:] {
		objects = append(objects, u.object)
	}
	kernels, runner := filepath.Join(dir, "kernels.so"), filepath.Join(dir, "runner")
	shared := append(o.Mode.sharedFlags(), "-Wl,-soname,kernels.so", "-o", kernels)
	main := append(o.Mode.runnerFlags(), "-o", runner, units[0].object, kernels, "-Wl,-rpath,$ORIGIN", "-ldl")
	for _, args := range [][]string{append(shared, objects...), main} {
		var words bytes.Buffer
		err := o.Exec(ctx, Command{Argv: append([]string{c.path}, args...), Env: o.Env, Stdout: &words, Stderr: &words})
		if err != nil {
			return errors.Join(fmt.Errorf("link kernels: %w\n%s", err, strings.TrimSpace(words.String())), ctx.Err())
		}
	}
	return nil
}
