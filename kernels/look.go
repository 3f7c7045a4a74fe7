package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
)

// Look reads the device code of a file, or of every file below a directory that has
// some, symbolic links followed. A module's File is a name that the reader can open,
// path and what follows, and Below is what follows. Files of a directory that break off
// are in the error, joined, and those that can be read are given all the same; it wraps
// [inspect.ErrNone] where there is no device code at all.
func Look(ctx context.Context, path string) ([]entry.Module, error) {
	return look(ctx, path, inspect.Options{})
}

// LookBriefly is Look without the hashes that kernels are compared by.
func LookBriefly(ctx context.Context, path string) ([]entry.Module, error) {
	return look(ctx, path, inspect.Options{Brief: true})
}

func look(ctx context.Context, path string, o inspect.Options) ([]entry.Module, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	if !info.IsDir() {
		return inspect.File(ctx, path, o)
	}
	files, passed, errs := below(ctx, path)
	var all []entry.Module
	for _, file := range files {
		if ctx.Err() != nil {
			return all, errors.Join(append(errs, context.Cause(ctx))...)
		}
		modules, err := inspect.File(ctx, filepath.Join(path, file), o)
		if err != nil && !errors.Is(err, inspect.ErrNone) {
			errs = append(errs, err)
		}
		for _, m := range modules {
			m.Below = filepath.ToSlash(file)
			all = append(all, m)
		}
	}
	if err = errors.Join(errs...); err == nil && len(all) == 0 {
		err = fmt.Errorf("inspect %s: %w", path, inspect.ErrNone)
		if len(passed) > 0 {
			err = fmt.Errorf("%w; passed over what is no regular file: %s", err, few(passed))
		}
	}
	return all, err
}

// few names the first of a list.
func few(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// Plain are the modules as package entry has them.
func Plain(all []Module) (out []entry.Module) {
	for _, m := range all {
		out = append(out, m.Module)
	}
	return out
}
