package spool

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"gpuci/gates"

	"golang.org/x/sys/unix"
)

// place is the directory that is ours in the shared one.
type place struct {
	dir string
	uid int // of what we write there: a network file system may map it
}

// dirs are the directories of a place.
var dirs = []string{"contents", "programs", "archives", "nights"}

// makePlace makes the place of this user, or finds it.
func makePlace(shared string) (place, error) {
	fail := func(err error) (place, error) {
		return place{}, fmt.Errorf("use the shared directory %s: %w", shared, err)
	}
	if !filepath.IsAbs(shared) {
		return fail(errors.New("it is no absolute path"))
	}
	var st unix.Stat_t
	switch err := unix.Stat(shared, &st); {
	case err != nil:
		return fail(err)
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return fail(errors.New("it is no directory"))
	case st.Mode&0o002 != 0 && st.Mode&unix.S_ISVTX == 0:
		return fail(errors.New("everybody may replace what is in it: chmod +t, or take away that others may write"))
	}
	dir := filepath.Join(shared, fmt.Sprintf("gpuci-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fail(err)
	}
	p, err := openPlace(dir)
	if err != nil {
		return fail(err)
	}
	for _, name := range dirs {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fail(err)
		}
	}
	return p, nil
}

// openPlace opens a place that is there, and says what is wrong with it: whose what we
// write there is tells whose it must be.
func openPlace(dir string) (place, error) {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return place{}, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return place{}, fmt.Errorf("%s is no directory: move it away", dir)
	}
	f, err := os.CreateTemp(dir, partPrefix)
	if err != nil {
		return place{}, err
	}
	var own unix.Stat_t
	err = errors.Join(unix.Fstat(int(f.Fd()), &own), f.Close(), os.Remove(f.Name()))
	switch {
	case err != nil:
		return place{}, err
	case st.Uid != own.Uid:
		return place{}, fmt.Errorf("%s belongs to uid %d, and what this user writes to uid %d: move it away", dir, st.Uid, own.Uid)
	case st.Mode&0o022 != 0:
		return place{}, fmt.Errorf("others may write to %s: chmod 700 it, once you know what is in it", dir)
	}
	return place{dir, int(own.Uid)}, nil
}

// partPrefix begins the names of what is not whole yet.
const partPrefix = ".part-"

func partName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // does not fail
	return partPrefix + hex.EncodeToString(b[:])
}

// write makes a file appear whole, on the disk, or not at all.
func (p place) write(path string, data []byte) error {
	part := filepath.Join(filepath.Dir(path), partName())
	err := writePart(part, data)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part)
		return err
	}
	return gates.SyncDir(filepath.Dir(path))
}

// writeNew does the same for a file that nobody else may have made: fs.ErrExist where
// somebody has, whoever was first.
func (p place) writeNew(path string, data []byte) error {
	part := filepath.Join(filepath.Dir(path), partName())
	err := writePart(part, data)
	if err == nil {
		err = link(part, path)
	}
	_ = os.Remove(part)
	if linkless(err) { // then a kill in between can leave it torn
		return writeExclusive(path, data)
	}
	if err != nil {
		return err
	}
	return gates.SyncDir(filepath.Dir(path))
}

// link gives a file a second name. A file server that was asked twice, since its first
// answer was lost, says that the name is there: then it is ours.
func link(from, to string) error {
	err := os.Link(from, to)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	a, err2 := os.Lstat(from)
	b, err3 := os.Lstat(to)
	if err2 == nil && err3 == nil && os.SameFile(a, b) {
		return nil
	}
	return err
}

// linkless says that a file system has no hard links.
func linkless(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS)
}

func writePart(part string, data []byte) error {
	err := writeExclusive(part, data)
	if err != nil {
		_ = os.Remove(part)
	}
	return err
}

func writeExclusive(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ErrForeign says that a file of the place is not one that we wrote.
var ErrForeign = errors.New("it is not ours")

// open opens a file of the place, and no link or file of somebody else in its stead.
func (p place) open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s: %w: it is a link", path, ErrForeign)
	}
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	switch err = unix.Fstat(int(f.Fd()), &st); {
	case err != nil:
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = fmt.Errorf("%s: %w: it is no file", path, ErrForeign)
	case int(st.Uid) != p.uid:
		err = fmt.Errorf("%s: %w: it is of uid %d", path, ErrForeign, st.Uid)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// read reads a file of the place, of at most so many bytes.
func (p place) read(path string, most int64) ([]byte, error) {
	f, err := p.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: it has more than %d bytes", path, most)
	}
	return data, err
}
