package kernels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/kernels/check"
	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
)

// Look reads the device code of a file, or of every file below a directory that has
// some. Modules of a directory are named from there. Files of it that break off are in
// the error, joined, and those that can be read are given all the same; it wraps
// [inspect.ErrNone] where there is no device code at all.
func Look(ctx context.Context, path string) ([]entry.Module, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	if !info.IsDir() {
		return inspect.File(ctx, path, inspect.Options{})
	}
	var all []entry.Module
	var errs []error
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			errs = append(errs, err)
			return nil
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && file != path {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		modules, err := inspect.File(ctx, file, inspect.Options{})
		if err != nil && !errors.Is(err, inspect.ErrNone) {
			errs = append(errs, err)
		}
		rel, rerr := filepath.Rel(path, file)
		for _, m := range modules {
			if rerr == nil {
				m.File = filepath.ToSlash(rel)
			}
			all = append(all, m)
		}
		return nil
	})
	if err = errors.Join(append(errs, err)...); err == nil && len(all) == 0 {
		err = fmt.Errorf("inspect %s: %w", path, inspect.ErrNone)
	}
	return all, err
}

// Plain are the modules as package entry has them.
func Plain(all []Module) (out []entry.Module) {
	for _, m := range all {
		out = append(out, m.Module)
	}
	return out
}

// Diff compares two states, and gives what changed, the worst first: what a host no
// longer finds or passes wrongly, then what grew, by how much, then all else.
func Diff(a, b []entry.Module) []check.Change {
	all := check.Diff(a, b)
	slices.SortStableFunc(all, func(x, y check.Change) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), -cmp.Compare(grown(x), grown(y)))
	})
	return all
}

// Worse says whether a change can be for the worse by itself.
func Worse(c check.Change) bool { return rank(c) < better }

// The ranks of changes that need a name.
const (
	better = 10
	added  = 11
)

func rank(c check.Change) int {
	order := []string{"removed", "params", "spill-stores", "spill-loads", "registers", "shared", "stack", "code"}
	at := slices.Index(order, c.What)
	switch {
	case c.What == "added":
		return added
	case at > 1 && c.Delta != nil && *c.Delta < 0:
		return better
	case c.What == "params" && (c.Before == "" || c.After == ""):
		return better
	}
	return at
}

// grown is a change as a share of what there was.
func grown(c check.Change) float64 {
	if c.Delta == nil {
		return 0
	}
	var before float64
	_, _ = fmt.Sscan(c.Before, &before) // a number, where there is a delta
	return float64(*c.Delta) / max(before, 1)
}

// Matches says whether a name or pattern, of path.Match, means a kernel, by the name
// that the driver looks up or the one in its source.
func Matches(pattern string, k entry.Kernel) bool { return check.Matches(pattern, &k) }

// Single are modules without those that are committed of what is built here as well.
func Single(all []Module) (out []Module) {
	for _, m := range all {
		if m.Built || !m.twin(all) {
			out = append(out, m)
		}
	}
	return out
}

// twin says whether the module was built here as well.
func (m Module) twin(all []Module) bool {
	return m.Source != "" && slices.ContainsFunc(all, func(o Module) bool {
		return o.Built && o.Source == m.Source && o.Kind == m.Kind && o.Arch == m.Arch
	})
}
