package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// front is a cache in front of compilers, and who put it there.
type front struct {
	cache string // as it is named: ccache, or a path
	by    string // a variable, a file and line, a directory of PATH
}

func (d *doctor) checkCaches(context.Context) []check {
	out := d.checksOf("caches")
	fronts := d.fronts()
	if len(fronts) == 0 {
		return append(out, fine("in front", "no cache is in front of a compiler here"))
	}
	for _, f := range fronts {
		out = append(out, d.checkFront(f))
	}
	return out
}

// fronts finds the caches that are in front of a compiler here.
func (d *doctor) fronts() (out []front) {
	for _, name := range []string{"RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_CUDA_COMPILER_LAUNCHER"} {
		if v, _ := shim.Lookup(d.env, name); v != "" {
			out = append(out, front{v, name})
		}
	}
	for _, l := range d.cargoLines() {
		for _, key := range []string{"rustc-wrapper", "rustc-workspace-wrapper"} {
			if v := l.value(key); v != "" {
				out = append(out, front{v, fmt.Sprintf("%s:%d", l.file, l.line)})
			}
		}
	}
	dirs := make(map[string][]string)
	var order []string
	for _, s := range (shim.Install{Env: d.env}).Stands() {
		if dir := filepath.Dir(s.Path); s.Cache {
			if dirs[dir] == nil {
				order = append(order, dir)
			}
			dirs[dir] = append(dirs[dir], s.Name)
		}
	}
	for _, dir := range order {
		out = append(out, front{masked(filepath.Join(dir, dirs[dir][0])), fmt.Sprintf("%s on PATH (%s)", dir, strings.Join(dirs[dir], ", "))})
	}
	return out
}

// masked is the cache that a link under a compiler's name leads to.
func masked(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	return filepath.Base(real)
}

// checkFront says whether the cache can be run, and whether it keeps its entries
// right behind the shims.
func (d *doctor) checkFront(f front) check {
	name := filepath.Base(f.cache)
	if _, err := proc.LookPath(f.cache, d.place.dir, d.env); err != nil {
		return broken(name, fmt.Sprintf("%s names %s, which cannot be run: %v", f.by, f.cache, err), "each compile through it fails", "install it, or take it out of "+f.by)
	}
	name, value := "in front", fmt.Sprintf("%s, by %s", f.cache, f.by)
	switch {
	case filepath.Base(f.cache) == "ccache":
		if own, _ := shim.Lookup(d.env, "CCACHE_COMPILERCHECK"); own == "none" {
			return lost(name, value+", with CCACHE_COMPILERCHECK=none", "after an upgrade of the compiler it gives back what the old one made", "unset CCACHE_COMPILERCHECK")
		}
		return fine(name, value+"; it looks at the real compiler behind the shims")
	case filepath.Base(f.cache) != "sccache":
		return fine(name, value)
	case filepath.IsAbs(f.cache):
		return lost(name, value, "called by its path it is told once, by gpuci env, which compilers there are: after an upgrade it gives back what the old one made",
			"call it by its name, or run gpuci env again after an upgrade")
	}
	return fine(name, value+"; called by its name it looks at the real compiler")
}
