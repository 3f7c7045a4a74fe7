package proc

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// FileID is what tells one file from another, stat(2).
type FileID struct {
	Type uint32 // S_IFMT of the mode
	Dev  uint64
	Ino  uint64
	Rdev uint64 // of a device: which one it is, under whatever name
}

// Same says whether two are one file. Two nodes of one device are.
func (a FileID) Same(b FileID) bool {
	if a.Type == unix.S_IFCHR || a.Type == unix.S_IFBLK {
		return a.Type == b.Type && a.Rdev == b.Rdev
	}
	return a == b
}

func fileID(st unix.Statx_t) FileID {
	return FileID{
		Type: uint32(st.Mode) & unix.S_IFMT, Dev: device(st), Ino: st.Ino,
		Rdev: unix.Mkdev(st.Rdev_major, st.Rdev_minor),
	}
}

// OpenFile is an open file of some process, during Holding's pass only.
type OpenFile struct {
	FD  // Deleted is not looked at
	PID int

	files openFiles
}

// ID looks at the file itself; the error is ErrGone when it was closed
// meanwhile. It can wait for the server of a network file system.
func (f *OpenFile) ID() (FileID, error) {
	st, err := f.files.fds.target(strconv.Itoa(f.N), 0)
	if errors.Is(err, unix.ENOENT) {
		return FileID{}, ErrGone
	}
	return fileID(st), err
}
