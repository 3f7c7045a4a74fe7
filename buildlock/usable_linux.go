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
	d, err := openPlain(path, unix.O_PATH)
	if err != nil {
		return err
	}
	defer d.close()
	if err := d.checkMode(); err != nil {
		return err
	}
	return mayMake(path)
}

// mayMake says whether files can be made in a directory.
func mayMake(path string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return err
	}
	if err := local(fs); err != nil {
		return err
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
