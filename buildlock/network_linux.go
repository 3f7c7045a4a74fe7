package buildlock

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// FileSystem is what a directory stands on.
type FileSystem struct {
	Network string // NFS, SMB, …: locks and SQLite cannot be relied on there; "" for one of this machine
	Free    int64  // bytes that we may still write
	Full    bool   // nothing can be written, for want of space or of inodes
}

// FileSystemOf looks at the file system of a path, by statfs(2), which waits for
// ever where a server does not answer.
func FileSystemOf(path string) (FileSystem, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return FileSystem{}, fmt.Errorf("look at the file system of %s: %w", path, err)
	}
	left := fs.Bavail
	if unix.Geteuid() == 0 {
		left = fs.Bfree
	}
	return FileSystem{
		Network: networks[fs.Type],
		Free:    int64(left) * fs.Bsize,
		Full:    fs.Blocks > 0 && left == 0 || fs.Files > 0 && fs.Ffree == 0,
	}, nil
}
