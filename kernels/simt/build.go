package simt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Program is kernels that can be run. It is one for every job, also at once.
type Program struct {
	// Compiled is how many files were compiled for it: 0 when all was found as it
	// was left by an earlier build of the same content.
	Compiled int

	o   Options
	dir string // has runner and kernels.so
}

// Build compiles and links what is not there yet. What the compiler's preprocessor
// makes of the sources and of the runtime is found again with what was made of it, by
// the same compiler with the same options, wherever the sources lie. A source that does not compile is a *CompileError.
func Build(ctx context.Context, o Options) (*Program, error) {
	o, err := o.prepared()
	if err != nil {
		return nil, fmt.Errorf("build kernels for the host: %w", err)
	}
	p, err := build(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("build kernels for the host, mode %s: %w", o.Mode, err)
	}
	return p, nil
}

func build(ctx context.Context, o Options) (*Program, error) {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, err
	}
	sweep(o.Dir)
	c, err := ask(ctx, o)
	if err != nil {
		return nil, err
	}
	headers, err := unpack(o.Dir)
	if err != nil {
		return nil, err
	}
	units, err := o.units(ctx, c, headers)
	if err != nil {
		return nil, err
	}
	var keys []string
	for i := range units {
		units[i].key = units[i].named(c)
		keys = append(keys, units[i].key)
	}
	keys = append(keys, o.Mode.sharedFlags()...)
	keys = append(keys, o.Mode.runnerFlags()...)
	p := &Program{o: o}
	programs, name := filepath.Join(o.Dir, "programs"), sum(append(keys, string(o.Mode))...)
	var there bool
	if p.dir, there, err = find(programs, name); there || err != nil {
		return p, err
	}
	if p.Compiled, err = o.compile(ctx, c, units); err != nil {
		return nil, err
	}
	p.dir, err = keep(programs, name, func(tmp string) error { return o.link(ctx, c, units, tmp) })
	return p, err
}

// units is what there is to compile: the runner first, then the dynamic shared memory,
// then the sources.
func (o Options) units(ctx context.Context, c compiler, headers string) ([]unit, error) {
	flags, err := o.Mode.kernelFlags(c)
	if err != nil {
		return nil, err
	}
	units := []unit{{name: "runner", text: "#include \"runner.cpp\"\n", dir: headers, flags: o.Mode.runnerFlags()}}
	for _, path := range o.Sources {
		s, err := read(path)
		if err != nil {
			return nil, err
		}
		if len(s.entries) == 0 {
			return nil, fmt.Errorf("read source: %s has no __global__ function", path)
		}
		units = append(units, unit{
			name: filepath.Base(s.path), text: s.unit(), dir: filepath.Dir(s.path), first: "gpuci_simt.h", flags: flags,
		})
	}
	err = o.each(ctx, units, func(ctx context.Context, u *unit) error { return o.preprocess(ctx, c, u, headers) })
	if err != nil {
		return nil, err
	}
	return slices.Insert(units, 1, unit{name: "shared", whole: sharedUnit, dir: headers, flags: flags}), nil
}
