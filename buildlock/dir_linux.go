package buildlock

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrUnfit says that the lock directory cannot be used: no right, no space, a
// symbolic link, a network file system. Nothing is locked then, and nothing
// may run as if it were.
var ErrUnfit = errors.New("the lock directory cannot be used")

// shared is the mode of every directory here: all users make tickets in it,
// and only its owner (and root) removes one.
const shared = 0o1777

// DefaultDir is where the tickets are: $GPUCI_LOCK_DIR, else /run/lock/gpuci
// where /run/lock is there for everybody, else /var/tmp/gpuci. Every user of
// the machine must arrive at the same one.
func DefaultDir() string {
	if dir := os.Getenv("GPUCI_LOCK_DIR"); dir != "" {
		return dir
	}
	var st unix.Stat_t
	if unix.Stat("/run/lock", &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && st.Mode&0o1002 == 0o1002 {
		return "/run/lock/gpuci"
	}
	return "/var/tmp/gpuci"
}

// directory is an open directory of ours.
type directory struct {
	path string
	fd   int
}

func (d directory) close() { _ = unix.Close(d.fd) }

// unfit is the error for a directory that cannot be used.
func unfit(path string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrUnfit, path, err)
}

// openDirectory opens a directory that all users share, and makes it if it is
// not there.
func openDirectory(path string) (directory, error) {
	if !filepath.IsAbs(path) {
		return directory{}, unfit(path, errors.New("it is not an absolute path"))
	}
	for range 3 { // somebody may remove it between two steps
		d, err := openShared(path)
		if !errors.Is(err, unix.ENOENT) {
			return d, err
		}
		if err := makeShared(path); err != nil {
			return d, unfit(path, err)
		}
	}
	return directory{}, unfit(path, errors.New("it is removed again and again"))
}

func openShared(path string) (directory, error) {
	d, err := openPlain(path, unix.O_RDONLY)
	if err == nil {
		if err = d.check(); err != nil {
			d.close()
		}
	}
	switch {
	case errors.Is(err, unix.ENOENT):
		return directory{}, err
	case err != nil:
		return directory{}, unfit(path, err)
	}
	return d, nil
}

// openPlain opens a directory that is one itself, and no link to one.
func openPlain(path string, flags int) (directory, error) {
	fd, err := unix.Open(path, flags|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		err = errors.New("it is a symbolic link, or no directory")
	}
	return directory{path, fd}, err
}

// check refuses what would lock nobody out: a network file system, whose locks
// may hold on this machine only or not at all, and a directory that other
// users cannot write to. Its mode is not put right: it may be somebody's home.
func (d directory) check() error {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(d.fd, &fs); err != nil {
		return err
	}
	if err := local(fs); err != nil {
		return err
	}
	return d.checkMode()
}

// local refuses network file systems.
func local(fs unix.Statfs_t) error {
	if name, ok := networks[fs.Type]; ok {
		return fmt.Errorf("it is on a network file system (%s), whose locks cannot be relied on", name)
	}
	return nil
}

func (d directory) checkMode() error {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return err
	}
	if st.Mode&0o7777 == shared {
		return nil
	}
	return fmt.Errorf("its mode is %04o and must be %04o, so that every user can queue in it: if it is there for the locks alone, chmod %04o %s", st.Mode&0o7777, shared, shared, d.path)
}

// networks are the file systems refused, by statfs(2). FUSE is among them
// because nothing says what is behind it.
var networks = map[int64]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.CODA_SUPER_MAGIC: "Coda",
	unix.CEPH_SUPER_MAGIC: "Ceph",
	unix.V9FS_MAGIC:       "9p",
	unix.FUSE_SUPER_MAGIC: "FUSE",
	unix.NCP_SUPER_MAGIC:  "NCP",
	0x0bd00bd0:            "Lustre",
	0x47504653:            "GPFS",
	0x19830326:            "BeeGFS",
	0x7461636f:            "OCFS2",
	0x01161970:            "GFS2",
}

// makeShared makes a directory with its mode from the start, whatever the
// umask: another user may come in the moment it is there. It is made under a
// name that nobody can guess and given its mode through a descriptor, so that
// no symbolic link laid in its place is followed.
func makeShared(path string) error {
	tmp := path + tmpPrefix + random()
	if err := unix.Mkdir(tmp, 0o700); err != nil {
		return hinted(err)
	}
	fd, err := unix.Open(tmp, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Fchmod(fd, shared)
		_ = unix.Close(fd)
	}
	if err == nil {
		err = unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
	}
	if err != nil {
		_ = unix.Rmdir(tmp)
	}
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return err
}

// random is a name that nobody can foresee.
func random() string {
	b := make([]byte, 8)
	_, _ = unix.Getrandom(b, 0) // of that many bytes it does not fail
	return hex.EncodeToString(b)
}

// hinted adds what to do to an error of making something.
func hinted(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT):
		return fmt.Errorf("the directory above it does not exist (%w)", err)
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, unix.EROFS):
		return fmt.Errorf("%w; name one that every user can write to in GPUCI_LOCK_DIR, or lock-dir in /etc/gpuci.toml", err)
	}
	return err
}

// still says whether the path leads to the directory that is open.
func (d directory) still() bool {
	var open, named unix.Stat_t
	return unix.Fstat(d.fd, &open) == nil && unix.Lstat(d.path, &named) == nil &&
		open.Dev == named.Dev && open.Ino == named.Ino
}
