package buildlock

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tmpPrefix begins the names of new files on file systems without O_TMPFILE.
const tmpPrefix = ".new-"

// fresh is a new file that is not yet there under its own name.
type fresh struct {
	*os.File
	in  directory
	tmp string // its passing name, where the file system needs one
}

// fresh makes a new file with mode 0666, whatever the umask.
func (d directory) fresh() (fresh, error) {
	f := fresh{in: d}
	fd, err := unix.Openat(d.fd, ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENOENT) {
		f.tmp = tmpPrefix + strconv.Itoa(unix.Getpid())
		_ = unix.Unlinkat(d.fd, f.tmp, 0) // of an earlier bearer of our pid
		fd, err = unix.Openat(d.fd, f.tmp, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	}
	if err != nil {
		return f, hinted(err)
	}
	f.File = os.NewFile(uintptr(fd), filepath.Join(d.path, "(new)"))
	if err := unix.Fchmod(fd, 0o666); err != nil {
		f.drop()
		return f, err
	}
	return f, nil
}

// name gives the file its name, if that is free.
func (f fresh) name(name string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), f.in.fd, name, unix.AT_SYMLINK_FOLLOW)
}

// forget takes the passing name away.
func (f fresh) forget() {
	if f.tmp != "" {
		_ = unix.Unlinkat(f.in.fd, f.tmp, 0)
	}
}

func (f fresh) drop() {
	f.forget()
	_ = f.Close()
}

// make makes a file with its content from the moment it has its name. One that
// is there stays.
func (d directory) make(name, content string) error {
	var st unix.Stat_t
	if unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		return nil
	}
	f, err := d.fresh()
	if err != nil {
		return err
	}
	defer f.drop()
	if _, err := f.WriteString(content); err != nil {
		return err
	}
	if err := f.name(name); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	return nil
}

// open opens a file of ours without ever making one (fs.protected_regular
// refuses O_CREAT on another user's file in a sticky directory), without
// following a symbolic link, and without hanging on a FIFO.
func (d directory) open(name string, flags int) (*os.File, error) {
	fd, err := unix.Openat(d.fd, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, name)), nil
}

// names lists what is in the directory.
func (d directory) names() ([]string, error) {
	fd, err := unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	return f.Readdirnames(-1)
}

// sweep removes what a maker that was killed left under a passing name. Only
// the holder of the gate may: everybody else's new file is made under it too.
func (d directory) sweep(name string) {
	if strings.HasPrefix(name, tmpPrefix) {
		_ = unix.Unlinkat(d.fd, name, 0)
	}
}
