package proc

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// linkMax is what the kernel gives for one magic link at most: it builds the
// text in one page.
const linkMax = 4096

// dir is an open directory: Root itself, one process's, or one below that. A
// process's goes on meaning the process it was opened for: after the end of
// that one every read answers ESRCH or ENOENT, whoever has the pid by then.
type dir int

// openDir opens a directory by its path.
func openDir(path string) (dir, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return dir(fd), gone(err)
}

// process opens the directory of one process.
func (r Root) process(pid int) (dir, error) {
	return openDir(string(r) + "/" + strconv.Itoa(pid))
}

// below opens a directory in d.
func (d dir) below(name string) (dir, error) {
	fd, err := unix.Openat(int(d), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return dir(fd), gone(err)
}

func (d dir) close() { _ = unix.Close(int(d)) }

// read returns the content of a file as the first read call gives it, in buf.
// The kernel writes these files in one piece when the buffer holds it; one
// that fills the buffer may be cut and is an error.
func (d dir) read(name string, buf []byte) ([]byte, error) {
	return d.readz(append([]byte(name), 0), buf)
}

// readz is read for a name that ends in a NUL byte. The string the library
// wants would be two allocations for every process of a pass.
func (d dir) readz(namez, buf []byte) ([]byte, error) {
	n, err := d.headz(namez, buf)
	switch {
	case err != nil:
		return nil, err
	case n == len(buf):
		return nil, errLong
	}
	return buf[:n], nil
}

// headz reads the beginning of a file.
func (d dir) headz(namez, buf []byte) (int, error) {
	fd, errno := openatz(int(d), namez)
	if errno != 0 {
		return 0, gone(errno)
	}
	n, err := unix.Read(fd, buf)
	for err == unix.EINTR {
		n, err = unix.Read(fd, buf)
	}
	_ = unix.Close(fd)
	return n, gone(err)
}

var errLong = errors.New("the file is longer than any the kernel writes there")

// readAll returns the content of a file that can be of any length.
func (d dir) readAll(name string) ([]byte, error) {
	fd, errno := openatz(int(d), append([]byte(name), 0))
	if errno != 0 {
		return nil, gone(errno)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, gone(err)
}

// linkz reads a symbolic link into buf. Name ends in a NUL byte.
func (d dir) linkz(namez, buf []byte) ([]byte, unix.Errno) {
	n, _, errno := unix.Syscall6(unix.SYS_READLINKAT, uintptr(d),
		uintptr(unsafe.Pointer(&namez[0])), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), 0, 0)
	if errno != 0 {
		return nil, errno
	}
	return buf[:n], 0
}

// link is linkz for one link at a time.
func (d dir) link(name string) (string, error) {
	text, errno := d.linkz(append([]byte(name), 0), make([]byte, linkMax))
	if errno != 0 {
		return "", errno
	}
	return string(text), nil
}

// target looks at what a magic link leads to, without asking the server of a
// network file system for anything newer than what is known here. Some file
// systems ask all the same: see prompt.
func (d dir) target(name string, flags int) (unix.Statx_t, error) {
	var st unix.Statx_t
	err := unix.Statx(int(d), name, flags|unix.AT_STATX_DONT_SYNC, unix.STATX_NLINK|unix.STATX_INO|unix.STATX_TYPE|unix.STATX_MNT_ID, &st)
	return st, err
}

// device is st_dev the way stat(2) gives it.
func device(st unix.Statx_t) uint64 { return unix.Mkdev(st.Dev_major, st.Dev_minor) }

func openatz(dirfd int, namez []byte) (int, unix.Errno) {
	for {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(dirfd),
			uintptr(unsafe.Pointer(&namez[0])), unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
		if errno != unix.EINTR {
			return int(fd), errno
		}
	}
}

// gone maps the two ways in which a process vanishes under a reader (no
// directory any more; an open file that answers ESRCH) to ErrGone.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

// denied says whether a file of a process is there and not for us.
func denied(err error) bool { return errors.Is(err, fs.ErrPermission) }
