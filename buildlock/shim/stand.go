package shim

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Stand is a tool that a shim stands in for.
type Stand struct {
	Name  string // of the shim, and of the tool
	Path  string // of the tool: what the name leads to without shims
	Role  Role
	Cache bool // it is a link to ccache or sccache under a compiler's name
}

// Stands are the tools that Make would make shims for, sorted by name. Nothing
// is made.
func (in Install) Stands() (out []Stand) {
	list, ok := Lookup(in.Env, "PATH")
	if !ok {
		list = defaultPath
	}
	s := newSearch(nil, "")
	for _, name := range toolsOn(in.Env).names {
		if path, err := s.in(list, name); err == nil {
			out = append(out, Stand{name, path, RoleOf(name), s.cached})
		}
	}
	return out
}

// Parent is the directory that Make would make its directories in; there says
// whether it is there already. The error wraps ErrUnfit, as Make's would, where
// none could be made in it. Nothing is made.
func (in Install) Parent() (dir string, there bool, err error) {
	if dir = in.Base; dir == "" {
		dir = defaultBase(in.Env)
	}
	if there = isDir(dir); there || strings.ContainsAny(dir, notInPath) {
		_, err = in.base() // which has nothing to make then
	} else if !ourPlace(dir) {
		err = fmt.Errorf("%w: %s cannot be made; set XDG_DATA_HOME to a directory that can be written", ErrUnfit, dir)
	}
	if err == nil {
		err = runnable(dir)
	}
	return dir, there, err
}

// runnable refuses a place that no program can be run from.
func runnable(dir string) error {
	var fs unix.Statfs_t
	for ; ; dir = filepath.Dir(dir) {
		err := unix.Statfs(dir, &fs)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.ENOENT) || dir == "/" {
			return fmt.Errorf("%w: look at the file system of %s: %w", ErrUnfit, dir, err)
		}
	}
	if fs.Flags&unix.ST_NOEXEC != 0 {
		return fmt.Errorf("%w: the file system of %s is mounted noexec; set XDG_DATA_HOME to a directory that programs can be run from", ErrUnfit, dir)
	}
	return nil
}
