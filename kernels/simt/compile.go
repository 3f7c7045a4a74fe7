package simt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	first      string // the header of the runtime that the text begins with; "" for none
	flags      []string
	whole      string // the text with all that it includes
	key        string // what its object is found by
	object     string
}

// each does something for all units, some at once. The first error ends the others.
func (o Options) each(ctx context.Context, units []unit, do func(ctx context.Context, u *unit) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	slots := make(chan struct{}, o.Jobs)
	for i := range units {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			if err := do(ctx, &units[i]); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// compile finds the objects of the units, or compiles them, and says how many it did.
func (o Options) compile(ctx context.Context, c compiler, units []unit) (int, error) {
	var n atomic.Int64
	err := o.each(ctx, units, func(ctx context.Context, u *unit) error {
		dir, err := keep(filepath.Join(o.Dir, "objects"), u.key, func(tmp string) error {
			n.Add(1)
			return o.compileOne(ctx, c, *u, filepath.Join(tmp, "o"))
		})
		u.object = filepath.Join(dir, "o")
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(n.Load()), nil
}

// form is how objects are made here of what the compiler makes: another is another name.
const form = "objects 3"

// named is the key of a unit: a name of all that its object is made of.
func (u unit) named(c compiler) string {
	return sum(form, c.path, c.identity, content(u.whole), strings.Join(u.flags, "\n"))
}

// compileOne compiles what the preprocessor has left: what the object is found by is
// what it was made of, whatever becomes of the files meanwhile.
func (o Options) compileOne(ctx context.Context, c compiler, u unit, object string) error {
	text := filepath.Join(filepath.Dir(filepath.Dir(object)), "unit.ii")
	argv := append([]string{c.path}, u.flags...)
	argv = append(argv, "-c", text, "-o", object)
	dump := filepath.Join(filepath.Dir(text), "dump")
	looked := u.first != "" && o.Mode == Check && !c.clang
	if looked {
		argv = append(argv, "-fdump-tree-optimized-lineno="+dump)
	}
	if err := o.compiler(ctx, u, text, u.whole, argv, nil); err != nil || u.first == "" {
		return err
	}
	if looked {
		if err := u.refuseUnseen(dump); err != nil {
			return err
		}
	}
	return separate(object, u.name)
}

// compiler puts a text into a file and runs the compiler on it. What it says of errors
// is the error.
func (o Options) compiler(ctx context.Context, u unit, path, text string, argv []string, out io.Writer) error {
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return err
	}
	dir, err := filepath.Abs(u.dir)
	if err != nil {
		return err
	}
	var words bytes.Buffer
	if out == nil {
		out = &words
	}
	if err := o.Exec(ctx, Command{Argv: argv, Dir: dir, Env: o.Env, Stdout: out, Stderr: &words}); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &CompileError{Source: u.name, Output: strings.TrimSpace(words.String()), Err: err}
	}
	return nil
}

// link makes the shared object of the kernels and the runner that begins with it.
func (o Options) link(ctx context.Context, c compiler, units []unit, dir string) error {
	var objects []string
	for _, u := range units[1:] {
		objects = append(objects, u.object)
	}
	kernels, runner := filepath.Join(dir, "kernels.so"), filepath.Join(dir, "runner")
	shared := append(o.Mode.sharedFlags(), "-Wl,-soname,kernels.so", "-o", kernels)
	names, err := dynamicNames(objects)
	if err != nil {
		return err
	}
	for _, name := range names {
		shared = append(shared, "-Wl,--defsym="+name+"=gpuci_dynamic")
	}
	main := append(o.Mode.runnerFlags(), "-o", runner, units[0].object, kernels, "-Wl,-rpath,$ORIGIN", "-ldl")
	for _, args := range [][]string{append(shared, objects...), main} {
		var words bytes.Buffer
		err := o.Exec(ctx, Command{Argv: append([]string{c.path}, args...), Env: o.Env, Stdout: &words, Stderr: &words})
		if err != nil {
			return errors.Join(fmt.Errorf("link kernels: %w\n%s", err, strings.TrimSpace(words.String())), ctx.Err())
		}
	}
	known, err := facts(kernels)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "facts"), []byte(known), 0o666)
}
