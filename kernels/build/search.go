package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gpuci/kernels/cache"
	"gpuci/kernels/nvcc"
)

// env is the compiler's environment.
func (b *builder) env() []string {
	return append(append([]string(nil), b.o.Env...), b.o.Compiler.Env...)
}

// search gives the include path, which only the compiler knows: it asks, or takes
// its answer to the same question from the cache.
func (b *builder) search(ctx context.Context) (chain, error) {
	question := fmt.Sprintf("search 2\n%s%q\n", b.common, b.set.common())
	key := cache.KeyOf(question)
	// Of a host compiler that cannot be seen, and of options that cannot, nothing may
	// be remembered.
	keeps := b.cache != nil && len(b.hosts) > 0 && b.orders.blind == ""
	if keeps {
		data, err := b.cache.Record(key)
		if c := decodeChain(string(data)); err == nil && c.stands(b.tree.absolute) {
			return c, nil
		}
	}
	said, err := b.ask(ctx)
	if err != nil {
		return chain{}, fmt.Errorf("ask the compiler for its include path: %w", err)
	}
	c, ok := parseChain(said)
	if !ok {
		return chain{}, &CompileError{Text: said, Err: errors.New("ask the compiler for its include path: it gave none")}
	}
	c = c.tell(b.env()).within(b.set.Root)
	c.shape = c.look(b.tree.absolute)
	if keeps {
		if err := b.cache.Keep(key, []byte(c.encode())); err != nil {
			b.note("%v", err)
		}
	}
	return c, nil
}

// ask has the compiler preprocess nothing, and say where it would look.
func (b *builder) ask(ctx context.Context) (string, error) {
	dir, remove, err := b.scratch()
	if err != nil {
		return "", err
	}
	defer remove()
	empty := filepath.Join(dir, "empty.cu")
	if err = os.WriteFile(empty, nil, 0o600); err != nil {
		return "", err
	}
	args := append([]string{"-E", "-Xcompiler", "-v"}, b.set.common()...)
	args = append(args, empty, "-o", filepath.Join(dir, "empty.ii"))
	var said bytes.Buffer
	c := b.command(dir, args, &said)
	c.Env = append(c.Env, "LC_ALL=C") // the words are looked for
	err = b.o.Exec(ctx, c)
	if err != nil && strings.Contains(said.String(), full) && b.leave() {
		return b.ask(ctx)
	}
	if err != nil {
		return "", &CompileError{Text: said.String(), Err: err}
	}
	return said.String(), nil
}

// command is a call of the compiler that works in this directory; in none for "".
func (b *builder) command(work string, args []string, said *bytes.Buffer) nvcc.Command {
	env := []string{}
	for _, e := range b.env() {
		if !named(e, misleading) {
			env = append(env, e)
		}
	}
	if work != "" {
		env = append(env, "TMPDIR="+work)
	}
	return nvcc.Command{
		Argv: append(append([]string{b.o.Compiler.Path}, b.o.Compiler.Args...), args...),
		Dir:  b.set.Root, Env: env, Stdout: said, Stderr: said,
	}
}

// scratch is a directory for one call, and what removes it: in the cache, from
// where a killed build's is removed in the end, or where temporary files are.
func (b *builder) scratch() (dir string, remove func(), err error) {
	if b.cache != nil && !b.outside.Load() {
		if dir, remove, err = b.cache.Scratch(); err == nil {
			return dir, remove, nil
		}
		b.note("working outside the cache: %v", err)
	}
	dir, err = os.MkdirTemp(variable(b.o.Env, "TMPDIR"), "gpuci-kernels-")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory to work in: %w", err)
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// leave works outside the cache from now on, whose disk is full; it is false if we
// already do, or always did.
func (b *builder) leave() bool {
	if b.cache == nil || !b.outside.CompareAndSwap(false, true) {
		return false
	}
	b.note("working outside the cache: the disk of %s is full", b.o.Cache)
	return true
}
