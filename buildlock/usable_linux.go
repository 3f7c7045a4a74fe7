package buildlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Usable says whether tickets can be had in a lock directory, or in one that
// would be made there, without making or changing anything. The error wraps
// ErrUnfit, and ENOSPC where nothing but space is wanting: what is there can be
// read then. It can be nil and the next ticket fail all the same.
func Usable(dir string) error {
	dir = orDefault(dir)
	if !filepath.IsAbs(dir) {
		return unfit(dir, errors.New("it is not an absolute path"))
	}
	err := usable(dir)
	if errors.Is(err, unix.ENOENT) {
		above := filepath.Dir(dir)
		if err := mayMake(above); err != nil {
			return unfit(dir, fmt.Errorf("it is not there, and cannot be made in %s: %w", above, err))
		}
		return nil
	}
	if err == nil {
		err = usable(filepath.Join(dir, string(Link)))
	}
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return unfit(dir, err)
	}
	return nil
}

// usable looks at one directory that all users share.
func usable(path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return errors.New("it is a symbolic link, or no directory")
	case err != nil:
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&0o7777 != shared {
		return fmt.Errorf("its mode is %04o and must be %04o, so that every user can queue in it: if it is there for the locks alone, chmod %04o %s", st.Mode&0o7777, shared, shared, path)
	}
	return mayMake(path)
}

// mayMake says whether files can be made in a directory.
func mayMake(path string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return err
	}
	if name, ok := networks[fs.Type]; ok {
		return fmt.Errorf("it is on a network file system (%s), whose locks cannot be relied on", name)
	}
	if err := unix.Access(path, unix.R_OK|unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%s may not be written to: %w", path, err)
	}
	left := fs.Bavail // what root has beside it is nothing to count on
	if os.Geteuid() == 0 {
		left = fs.Bfree
	}
	if fs.Blocks > 0 && left == 0 || fs.Files > 0 && fs.Ffree == 0 {
		return fmt.Errorf("its file system is full: %w", unix.ENOSPC)
	}
	return nil
}
