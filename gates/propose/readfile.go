package propose

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// maxText bounds a manifest or a source, in bytes; generated ones come to a few MiB.
const maxText = 4 << 20

var errNoFile = errors.New("it is no regular file")

// readFile reads up to limit bytes of a regular file. It follows no symbolic
// link and does not wait for the other end of a pipe.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %w", path, errNoFile)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// osDir is the tree below a directory, which may have characters in its name
// that a glob would take for its own.
func osDir(path string) fs.FS { return os.DirFS(path) }

// isFile says whether a path of the workspace is a regular file.
func (s *survey) isFile(file string) bool {
	info, err := os.Lstat(s.path(file))
	return err == nil && info.Mode().IsRegular()
}

func (s *survey) isDir(at string) bool {
	info, err := os.Lstat(s.path(at))
	return err == nil && info.IsDir()
}
