package ab

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// keptFile is a copy of a file, or what a symbolic link says.
type keptFile struct {
	path string // of the copy
	link string
}

// What is kept in copies of a lane, at most: of what the check's run wrote, which is a cache
// or a log, and of all else, which a build made.
const (
	maxKept      = 10_000
	maxKeptBytes = 256 << 20
	maxBuilt     = 32 << 20
)

// keepFiles copies files into a directory, those first that were written since a time, and
// of each kind the smallest. One that cannot be copied is none.
func keepFiles(dir string, files map[string]stamp, since time.Time) map[string]keptFile {
	out := make(map[string]keptFile)
	if os.RemoveAll(dir) != nil || os.Mkdir(dir, 0o700) != nil {
		return nil
	}
	for _, kind := range []struct {
		built bool
		room  int64
	}{{false, maxKeptBytes}, {true, maxBuilt}} {
		for _, path := range bySize(files) {
			x := files[path]
			if x.mod.Before(since) != kind.built || len(out) == maxKept {
				continue
			}
			switch {
			case x.mode.IsRegular() && x.size <= kind.room:
				to := filepath.Join(dir, strconv.Itoa(len(out)))
				if copyFile(path, to) == nil {
					kind.room -= x.size
					out[path] = keptFile{path: to}
				}
			case x.mode.Type() == fs.ModeSymlink:
				if text, err := os.Readlink(path); err == nil {
					out[path] = keptFile{link: text}
				}
			}
		}
	}
	return out
}

func bySize(files map[string]stamp) []string {
	return slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(cmp.Compare(files[a].size, files[b].size), cmp.Compare(a, b))
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}

// restoreIn does so below a directory. Nothing leads out of it, whatever a run has put
// there.
func (g *ignored) restoreIn(top string, came, other []string) error {
	if len(came)+len(other) == 0 {
		return nil
	}
	if err := os.MkdirAll(top, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range slices.Backward(came) { // what is in a directory comes behind it
		rel, err := filepath.Rel(top, path)
		if err == nil {
			err = root.Remove(rel)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
	}
	for _, path := range other {
		rel, err := filepath.Rel(top, path)
		if err == nil {
			err = g.giveBack(root, rel, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// giveBack puts one in its place, with its time: a build tool is to find it older than what
// was made of it.
func (g *ignored) giveBack(root *os.Root, rel, path string) error {
	was, kept := g.was[path], g.copies[path]
	if was.mode.IsDir() {
		if info, err := root.Lstat(rel); err == nil && !info.IsDir() {
			if err := root.Remove(rel); err != nil {
				return err
			}
		}
		return root.MkdirAll(rel, 0o755)
	}
	err := root.RemoveAll(rel)
	if err == nil {
		err = root.MkdirAll(filepath.Dir(rel), 0o755)
	}
	if err == nil && kept.path == "" {
		err = root.Symlink(kept.link, rel)
	} else if err == nil {
		err = writeBack(root, rel, kept.path, was)
	}
	if err != nil {
		return err
	}
	info, err := root.Lstat(rel)
	if err == nil {
		g.was[path] = stampOf(info)
	}
	return err
}

func writeBack(root *os.Root, rel, from string, was stamp) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(was.mode.Perm()), out.Close())
	if err == nil {
		err = root.Chtimes(rel, was.mod, was.mod)
	}
	return err
}
