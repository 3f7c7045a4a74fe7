package kernels

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// tree gathers the files below a directory.
type tree struct {
	ctx    context.Context
	root   string
	links  []string        // from the root, still to be followed
	seen   map[string]bool // directories and files, by the names that have no link in them
	files  []string        // from the root
	passed []string        // what is neither a file nor a directory, from the root
	errs   []error
}

// below gives the files below a directory, named from there, in order. Symbolic links
// are followed, those that lead out of it as well, but after all else: what is reached
// in two ways is given once, and where it can be without a link, by that name.
// Directories whose names begin with a dot are left out, and so is whatever is neither
// a file nor a directory, which is named apart; a link to nothing, or to itself, is nothing.
func below(ctx context.Context, root string) (files, passed []string, errs []error) {
	t := &tree{ctx: ctx, root: root, seen: map[string]bool{}}
	t.directory("")
	for len(t.links) > 0 && ctx.Err() == nil {
		next := t.links[0]
		t.links = t.links[1:]
		t.follow(next)
	}
	slices.Sort(t.files)
	slices.Sort(t.passed)
	return t.files, t.passed, t.errs
}

// directory goes through one that was not gone through.
func (t *tree) directory(rel string) {
	path := filepath.Join(t.root, rel)
	real, err := filepath.EvalSymlinks(path)
	if err != nil || t.seen[real] || t.ctx.Err() != nil {
		t.fail(err)
		return
	}
	t.seen[real] = true
	list, err := os.ReadDir(path)
	t.fail(err)
	for _, d := range list {
		name := filepath.Join(rel, d.Name())
		switch mode := d.Type(); {
		case mode&fs.ModeSymlink != 0:
			t.links = append(t.links, name)
		case mode.IsDir() && !strings.HasPrefix(d.Name(), "."):
			t.directory(name)
		case mode.IsRegular():
			t.file(name, filepath.Join(real, d.Name()))
		case !mode.IsDir():
			t.passed = append(t.passed, name)
		}
	}
}

// follow finds out what a link leads to.
func (t *tree) follow(rel string) {
	path := filepath.Join(t.root, rel)
	info, err := os.Stat(path)
	if err != nil {
		t.fail(err)
		return
	}
	real, err := filepath.EvalSymlinks(path)
	switch {
	case err != nil:
		t.fail(err)
	case info.IsDir() && !strings.HasPrefix(filepath.Base(rel), "."):
		t.directory(rel)
	case info.Mode().IsRegular():
		t.file(rel, real)
	case !info.IsDir():
		t.passed = append(t.passed, rel)
	}
}

func (t *tree) file(rel, real string) {
	if !t.seen[real] {
		t.seen[real] = true
		t.files = append(t.files, rel)
	}
}

// fail keeps an error, unless it is that a link leads nowhere.
func (t *tree) fail(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ELOOP) {
		t.errs = append(t.errs, err)
	}
}
