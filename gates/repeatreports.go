package gates

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"gpuci/gates/reader"
)

// reportsAside keeps the files that a reader counts in (junit:GLOB) apart by the runs
// that wrote them: a tool that writes over a file what it held would otherwise look as
// if it had written none. Before each run what is there goes into the directory of the
// run's record; what no run has written anew comes back.
type reportsAside struct {
	reader, dir, to string
	moved           [][2]string // from, to; the oldest first
}

// before moves what is there away before run i.
func (a *reportsAside) before(i int) error {
	paths, err := reader.Reports(a.reader, a.dir)
	if err != nil {
		return nil // the reader says so
	}
	for _, from := range paths {
		rel, err := filepath.Rel(a.dir, from)
		if err != nil {
			return err
		}
		if info, err := os.Lstat(from); err != nil || !info.Mode().IsRegular() {
			continue
		}
		to := filepath.Join(a.to, fmt.Sprintf("reports-%d", i-1), rel)
		if err := move(from, to); err != nil {
			return fmt.Errorf("move a report aside before run %d: %w", i, err)
		}
		a.moved = append(a.moved, [2]string{from, to})
	}
	return nil
}

// back gives back what is not there any more, the latest of each.
func (a *reportsAside) back() {
	for n := len(a.moved) - 1; n >= 0; n-- {
		from, to := a.moved[n][0], a.moved[n][1]
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			_ = move(to, from)
		}
	}
}

// drop removes what is kept, but for what comes back.
func (a *reportsAside) drop() {
	a.back()
	for _, m := range a.moved {
		if _, err := os.Lstat(m[0]); err == nil {
			_ = os.Remove(m[1])
			for dir := filepath.Dir(m[1]); dir != a.to && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
			}
		}
	}
}

// move renames a file, or where that is to another disk copies it, with its time.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Chtimes(to, info.ModTime(), info.ModTime())
	}
	if err != nil {
		_ = os.Remove(to)
		return err
	}
	return os.Remove(from)
}
