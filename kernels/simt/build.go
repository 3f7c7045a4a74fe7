package simt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Program is kernels that can be run. It is one for every job, also at once.
type Program struct {
	// Compiled is how many files were compiled for it: 0 when all was found as it
	// was left by an earlier build of the same content.
	Compiled int

	o   Options
	dir string // has runner and kernels.so
}

// Build compiles and links what is not there yet. What the sources, their headers,
// the runtime, the options and the compiler together have made once is not made
// again, wherever the sources lie. A source that does not compile is a *CompileError.
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
	c, err := ask(ctx, o)
	if err != nil {
		return nil, err
	}
	own, err := runtimeSum()
	if err != nil {
		return nil, err
	}
	headers, err := unpack(o.Dir, own)
	if err != nil {
		return nil, err
	}
	units, err := o.units(c, headers)
	if err != nil {
		return nil, err
	}
	var keys []string
	for i := range units {
		u := &units[i]
		key := sum(append([]string{c.path, c.identity, own, u.text, strings.Join(u.flags, "\n")}, u.parts...)...)
		u.object = filepath.Join(o.Dir, "objects", key+".o")
		keys = append(keys, key)
	}
	p := &Program{o: o, dir: filepath.Join(o.Dir, "programs", sum(append(keys, string(o.Mode))...))}
	if _, err := os.Stat(p.dir); err == nil {
		return p, nil
	}
	if p.Compiled, err = o.compile(ctx, c, units, headers); err != nil {
		return nil, err
	}
	return p, arrive(p.dir, func(tmp string) error { return o.link(ctx, c, units, tmp) })
}

// units is what there is to compile: the runner first, then the dynamic shared memory,
// then the sources.
func (o Options) units(c compiler, headers string) ([]unit, error) {
	flags, err := o.Mode.kernelFlags(c)
	if err != nil {
		return nil, err
	}
	var sources []source
	for _, path := range o.Sources {
		s, err := read(path, o.Include)
		if err != nil {
			return nil, err
		}
		if len(s.entries) == 0 {
			return nil, fmt.Errorf("read source: %s has no __global__ function", path)
		}
		sources = append(sources, s)
	}
	units := []unit{
		{name: "runner", text: "#include \"runner.cpp\"\n", dir: headers, flags: o.Mode.runnerFlags()},
		{name: "shared", text: sharedUnit(sources), dir: headers, flags: flags},
	}
	for _, s := range sources {
		units = append(units, unit{
			name: filepath.Base(s.path), text: s.unit(), dir: filepath.Dir(s.path), flags: flags, parts: s.closure,
		})
	}
	return units, nil
}
