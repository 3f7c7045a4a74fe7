package buildlock

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// tmpPrefix begins the passing names of new files.
const tmpPrefix = ".new-"

// fresh is a new file that is not yet there under its own name. It is locked
// from the start, so that nobody takes it for what a killed maker left.
type fresh struct {
	*os.File
	in  directory
	tmp string
}

// fresh makes a new file with mode 0666, whatever the umask.
//
// (O_TMPFILE would need no passing name, but not every file system has it, and
// /proc/PID/fd, lsof and fuser would call a ticket "#4711 (deleted)" for ever.)
func (d directory) fresh() (fresh, error) {
	f := fresh{in: d, tmp: tmpPrefix + random()}
	fd, err := unix.Openat(d.fd, f.tmp, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return f, hinted(err)
	}
	f.File = os.NewFile(uintptr(fd), filepath.Join(d.path, f.tmp))
	// Nobody else has it but a sweeper who looks whether it is locked.
	err = retry(func() error { return unix.Flock(fd, unix.LOCK_EX) })
	if err == nil {
		err = unix.Fchmod(fd, 0o666)
	}
	if err != nil {
		f.drop()
	}
	return f, err
}

// name gives the file its name, if that is free.
func (f fresh) name(name string) error {
	return unix.Renameat2(f.in.fd, f.tmp, f.in.fd, name, unix.RENAME_NOREPLACE)
}

// drop throws away a file that got no name.
func (f fresh) drop() {
	_ = unix.Unlinkat(f.in.fd, f.tmp, 0)
	_ = f.Close()
}

// make makes a file with its content from the moment it has its name. One that
// is there stays.
func (d directory) make(name, content string) (err error) {
	for range 3 {
		var st unix.Stat_t
		if unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			return nil
		}
		if err = d.makeOnce(name, content); err == nil || errors.Is(err, unix.EEXIST) {
			return nil
		}
		if !errors.Is(err, unix.ENOENT) { // swept before it was locked
			return err
		}
	}
	return err
}

func (d directory) makeOnce(name, content string) error {
	f, err := d.fresh()
	if err != nil {
		return err
	}
	if _, err = f.WriteString(content); err == nil {
		err = f.name(name)
	}
	if err != nil {
		f.drop()
		return err
	}
	return f.Close()
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

// sweep removes what a maker that was killed left under a passing name: it is
// not locked any more.
func (d directory) sweep(name string) {
	if !strings.HasPrefix(name, tmpPrefix) {
		return
	}
	f, err := d.open(name, unix.O_RDONLY)
	if err != nil {
		return
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
		_ = unix.Unlinkat(d.fd, name, 0)
	}
}
