package kernels

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/kernels/build"
	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
	"gpuci/kernels/nvcc"
	"gpuci/kernels/ptxas"
)

// Find finds the set's compiler. The error wraps [nvcc.ErrNone] where there is none.
func Find(ctx context.Context, s Set, o Options) (nvcc.Found, []nvcc.Rejected, error) {
	n := nvcc.Options{Path: o.NVCC, Why: o.NVCCWhy, Version: s.Version, Exec: o.Ask}
	if n.Exec == nil {
		n.Exec = o.Exec
	}
	if n.Path == "" && s.Compiler != "" {
		n.Path, n.Why = s.Compiler, "named by the set "+s.Name()
		if !filepath.IsAbs(n.Path) {
			n.Path = filepath.Join(s.Build.Root, n.Path)
		}
	}
	return nvcc.Find(ctx, o.Env, n)
}

// NoCompilerError says that there is no compiler for a set.
type NoCompilerError struct {
	Set      string
	Rejected []nvcc.Rejected
	Err      error
}

func (e *NoCompilerError) Error() string { return fmt.Sprintf("build the set %s: %v", e.Set, e.Err) }

// Unwrap gives the reason.
func (e *NoCompilerError) Unwrap() error { return e.Err }

// Build compiles what of the set is not what it must be, and reads all of it. Units
// that failed are a [*build.Failure], with what there is of the others; where there is
// no compiler, a *[NoCompilerError]. A set that compiles nothing needs none.
func Build(ctx context.Context, s Set, o Options) (b Built, err error) {
	if !s.Compiles() {
		return Built{Cache: o.Cache}, nil
	}
	if err := s.Sound(); err != nil {
		return Built{}, err
	}
	b.Compiler, b.Rejected, err = Find(ctx, s, o)
	if err != nil {
		if ctx.Err() != nil {
			return b, err
		}
		return b, &NoCompilerError{s.Name(), b.Rejected, err}
	}
	o.Options.Compiler = b.Compiler
	if o.Verify == nil {
		o.Verify = asked
	}
	s.Build.Keep = s.Prebuilt
	b.Result, err = build.Build(ctx, s.Build, o.Options)
	if ctx.Err() == nil {
		b.Cache = o.Cache
		b.remember(o)
		b.read(ctx, s)
	}
	return b, err
}

// asked holds what was made against what was asked for: a variable of the environment
// or a file of options can have the compiler make code for another architecture.
func asked(ctx context.Context, _ build.Kind, archs []string, path string) error {
	modules, err := inspect.File(ctx, path, inspect.Options{})
	if err != nil || len(modules) == 0 {
		return nil // whoever reads the output says so
	}
	for _, a := range archs {
		if !slices.ContainsFunc(modules, func(m entry.Module) bool { return isFor(m.Arch, a) }) {
			return fmt.Errorf("it is code for %s, and %s was asked for: look for an architecture in NVCC_APPEND_FLAGS, NVCC_PREPEND_FLAGS and files of options",
				modules[0].Arch, a)
		}
	}
	return nil
}

// isFor is whether code says that it is for an architecture that was asked for. PTX says
// sm_90 of what is compute_90 to nvcc, and cubins of before CUDA 12 have no letter.
func isFor(made, asked string) bool {
	_, m, _ := strings.Cut(made, "_")
	_, a, _ := strings.Cut(asked, "_")
	return m == a || m == strings.TrimRight(a, "af")
}

// Existing gives what lies there of the set, and compiles nothing. Whether it is
// what the sources make today is not known; what was spilled is where the cache of
// builds has it.
func Existing(ctx context.Context, s Set, cache string) (b Built, err error) {
	b.Cache = cache
	if !s.Compiles() {
		return b, nil
	}
	if b.Units, err = build.Outputs(s.Build); err != nil {
		return b, err
	}
	b.read(ctx, s)
	return b, ctx.Err()
}

// read reads the outputs, with what the compiler said of them.
func (b *Built) read(ctx context.Context, s Set) {
	for _, u := range b.Units {
		if u.Outcome == build.Failed {
			continue
		}
		modules, err := inspect.File(ctx, u.Output, inspect.Options{})
		if err != nil && ctx.Err() == nil {
			b.Unread = append(b.Unread, Unread{s.relative(u.Output), err})
		}
		if u.Log == "" { // it lay there
			Known(b.Cache, modules)
		}
		uses := ptxas.Parse(u.Log)
		for _, m := range modules {
			ptxas.Into(&m, uses)
			m.File = s.relative(m.File)
			b.Modules = append(b.Modules, Module{Module: m, Built: true, Source: u.Source})
		}
	}
	join(b.Modules)
}

// join gives cubins the types that PTX of the same source declares.
func join(all []Module) {
	bySource := make(map[string][]int)
	for i, m := range all {
		bySource[m.Source] = append(bySource[m.Source], i)
	}
	for _, list := range bySource {
		var some []entry.Module
		for _, i := range list {
			some = append(some, all[i].Module)
		}
		inspect.Join(some) // it writes into what the kernels' slices share
	}
}

// relative is a path from the set's root, where it is below.
func (s Set) relative(path string) string {
	if rel, err := filepath.Rel(s.Build.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// missing says whether a file is just not there.
func (u Unread) missing() bool { return errors.Is(u.Err, fs.ErrNotExist) }
