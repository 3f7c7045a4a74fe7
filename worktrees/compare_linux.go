package worktrees

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// differs reports whether the file of an entry may differ from it. on is the
// name's place in the directory, nil when it is not there; what is found there
// is marked known.
//
// Equal stat data clears a file, as it does for git, unless the file could
// have changed within the same second after git looked ("racy git"). What stat
// data cannot clear, equal content can: git may not write the index for us, so
// a file that was only touched would otherwise cost a run of git every time.
func (w *walk) differs(ctx context.Context, fd int, e entry, name []byte, on *onDisk) bool {
	if on == nil {
		return !e.skip()
	}
	on.known = true
	if !e.plain() {
		return true
	}
	var st unix.Stat_t
	if unix.Fstatat(fd, string(name), &st, unix.AT_SYMLINK_NOFOLLOW) != nil || !sameMode(e.mode(), st.Mode) {
		return true
	}
	if sameStat(e, &st) && !w.index.racy(e) {
		return false
	}
	// Git marks a file it saw change too soon by a size of 0.
	if e.size() != uint32(st.Size) && e.size() != 0 {
		return true
	}
	return !sameContent(ctx, fd, string(name), e, &st)
}

// racy reports whether a file may have changed after git took its stat data
// without it showing: it was modified in the second the index was written, or
// later. Git as it is built by default compares whole seconds; so do we, or we
// would clear what git looks at again.
func (x *index) racy(e entry) bool {
	return binary.BigEndian.Uint32(e.fixed[8:]) >= x.written
}

// sameMode compares type and executable bit, all of a mode that git keeps.
func sameMode(mode, st uint32) bool {
	switch st & unix.S_IFMT {
	case unix.S_IFREG:
		return mode&modeType == unix.S_IFREG && (mode^st)&modeExecute == 0
	case unix.S_IFLNK:
		return mode&modeType == unix.S_IFLNK
	}
	return false
}

// sameStat compares all that an entry keeps of lstat(2) but the device, which
// git leaves out too (it changes across mounts). Nanoseconds count: stricter
// than most builds of git, and free.
func sameStat(e entry, st *unix.Stat_t) bool {
	seconds, nanos := st.Ctim.Unix()
	mtime, mnanos := st.Mtim.Unix()
	for i, value := range [...]int64{
		seconds, nanos, mtime, mnanos, -1,
		int64(st.Ino), -1, int64(st.Uid), int64(st.Gid), st.Size,
	} {
		if value != -1 && binary.BigEndian.Uint32(e.fixed[4*i:]) != uint32(value) {
			return false
		}
	}
	return true
}

// sameContent reports whether a file's bytes are the entry's blob. Content
// with a carriage return is never cleared here: line-ending rules added after
// the commit can make git call it modified all the same. Other conversions are
// no such trouble, since a clean filter leaves clean content alone
// (gitattributes(5)).
func sameContent(ctx context.Context, fd int, name string, e entry, st *unix.Stat_t) bool {
	sum := sha1.New()
	fmt.Fprintf(sum, "blob %d\x00", st.Size)
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		target := make([]byte, maxPath)
		n, err := unix.Readlinkat(fd, name, target)
		sum.Write(target[:max(n, 0)])
		return err == nil && bytes.Equal(sum.Sum(nil), e.id())
	}
	// O_NONBLOCK: a FIFO that took the file's place must not hold us.
	file, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(file), name)
	defer f.Close()
	returns := &carriageReturns{}
	// Limited, because io.Copy then takes a buffer no larger than the file.
	_, err = io.Copy(io.MultiWriter(sum, returns), &io.LimitedReader{R: untilDone{ctx, f}, N: st.Size + 1})
	return err == nil && !returns.seen && bytes.Equal(sum.Sum(nil), e.id())
}

// carriageReturns is a writer that watches for them.
type carriageReturns struct{ seen bool }

func (c *carriageReturns) Write(p []byte) (int, error) {
	c.seen = c.seen || bytes.IndexByte(p, '\r') >= 0
	return len(p), nil
}

// untilDone is a reader that ends with its context.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}
