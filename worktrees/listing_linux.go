package worktrees

import (
	"bytes"
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// listing is the content of one directory, sorted by name. It is reused from
// directory to directory so that a large tree costs no allocation per name.
type listing struct {
	all []onDisk
	raw []byte // what getdents64(2) gave, to which the names point
}

// onDisk is one name in a directory.
type onDisk struct {
	name  []byte
	kind  byte // DT_REG and so on; DT_UNKNOWN where the file system does not say
	known bool // the index knows it
}

// The layout of struct linux_dirent64, getdents64(2).
const (
	direntLength = 16
	direntKind   = 18
	direntName   = 19
	direntRoom   = 32 << 10 // holds the 1000 names of a large directory in one call
)

// read reads a whole directory.
func (l *listing) read(fd int) error {
	l.raw = l.raw[:0]
	for {
		l.raw = slices.Grow(l.raw, direntRoom)
		n, err := unix.Getdents(fd, l.raw[len(l.raw):cap(l.raw)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		l.raw = l.raw[:len(l.raw)+n]
	}
	l.all = appendNames(l.all[:0], l.raw)
	slices.SortFunc(l.all, func(a, b onDisk) int { return bytes.Compare(a.name, b.name) })
	return nil
}

// find returns the name's place in the listing, or nil.
func (l *listing) find(name []byte) *onDisk {
	i, ok := slices.BinarySearchFunc(l.all, name, func(d onDisk, name []byte) int {
		return bytes.Compare(d.name, name)
	})
	if !ok {
		return nil
	}
	return &l.all[i]
}

// appendNames appends the entries of a getdents64 buffer, less "." and "..".
// It stops at a record that does not fit.
func appendNames(all []onDisk, raw []byte) []onDisk {
	for len(raw) > direntName {
		length := int(binary.NativeEndian.Uint16(raw[direntLength:]))
		if length <= direntName || length > len(raw) {
			break
		}
		name := raw[direntName:length]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if s := string(name); s != "." && s != ".." {
			all = append(all, onDisk{name: name, kind: raw[direntKind]})
		}
		raw = raw[length:]
	}
	return all
}

// openDir opens a directory below at without following a link in its last
// component.
func openDir(at int, name string) (int, error) {
	for {
		fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// kindOf asks for the type of a name on a file system whose listings do not
// tell it.
func kindOf(fd int, name []byte) byte {
	var st unix.Stat_t
	if unix.Fstatat(fd, string(name), &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return unix.DT_UNKNOWN
	}
	return byte(st.Mode & unix.S_IFMT >> 12) // how the kernel makes DT_ from S_IF
}
