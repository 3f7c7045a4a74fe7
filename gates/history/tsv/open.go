package tsv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrNoFile says that something else than a plain file stands where the history
// should: a FIFO, a device, a directory, a symbolic link. Of a link git keeps
// where it leads and not what is there, and the rows would go to somebody else's
// file.
var ErrNoFile = errors.New("no plain file")

// ReadBytes reads the text of a file. It waits for nobody who might write to a
// FIFO. The error wraps ErrNoFile, or fs.ErrNotExist.
func ReadBytes(path string) ([]byte, error) {
	f, err := openPlain(path, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("read history file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read history file: %w", err)
	}
	return data, nil
}

// Read reads a file; one that is not there is empty.
func Read(path string) (File, error) {
	data, err := ReadBytes(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return File{}, err
	}
	file, err := Parse(data)
	if err != nil {
		return File{}, fmt.Errorf("read history file %s: %w", path, err)
	}
	return file, nil
}

// openPlain opens a file that must be a plain one.
func openPlain(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0o644)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EISDIR) {
		return nil, fmt.Errorf("%w: %s is %s", ErrNoFile, path, kindOf(path))
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, fmt.Errorf("%w: %s is %s", ErrNoFile, path, kindOf(path))
	}
	return f, nil
}

// kindOf names what stands at a path.
func kindOf(path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "something else"
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(path)
		return "a symbolic link to " + to
	case info.Mode()&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case info.IsDir():
		return "a directory"
	}
	return "a device or a socket"
}

// noLinks refuses a name that leads through a symbolic link below root.
func noLinks(root, name string) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%w of ours: it is outside of %s", ErrNoFile, root)
	}
	at := root
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(name)), "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%w: %s is %s", ErrNoFile, at, kindOf(at))
		}
	}
	return nil
}
