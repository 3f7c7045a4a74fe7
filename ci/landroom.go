package ci

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// noRoom makes an outcome of an error that comes of a full disk.
func (l *landing) noRoom(err error) bool {
	dir, full := l.fullDisk()
	if !full && !saysFull(err) {
		return false
	}
	l.endFull(dir)
	return true
}

// endFull ends the landing because there is no room in a directory, "" for that of
// scratch lanes: what filled it may be removed by now.
func (l *landing) endFull(dir string) {
	next := "make room there, or name another directory by scratch in [ci] of your own configuration"
	if dir == "" {
		dir = l.scratchDir
	}
	if dir != l.scratchDir {
		next = "make room there"
	}
	l.end(Refused, fmt.Sprintf("no space left on the disk of %s", dir), next)
}

// saysFull says whether an error is one of a full disk. What git says of it comes
// as text.
func saysFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "no space left on device") || strings.Contains(text, "disk quota exceeded")
}

// fullDisk names the directory that there is no room in any more, of those that a
// landing writes to.
func (l *landing) fullDisk() (dir string, full bool) {
	const least = 1 << 20 // bytes: what git leaves of a disk that it has filled
	for _, dir := range []string{l.scratchDir, l.o.Here.CommonDir} {
		var st syscall.Statfs_t
		if syscall.Statfs(dir, &st) == nil && (st.Bavail*uint64(st.Bsize) < least || st.Files > 0 && st.Ffree == 0) {
			return dir, true
		}
	}
	return "", false
}
