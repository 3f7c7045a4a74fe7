package proc

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"golang.org/x/sys/unix"
)

// direntHeader is the length of the fixed part of a directory entry as
// getdents64(2) writes it: inode 8, offset 8, length of the entry 2, type 1.
const direntHeader = 19

// numbers lists the entries of d whose names are decimal numbers (processes,
// threads, open files), and stops at about limit of them; 0 is no limit. Whole
// says that it did not stop early.
func (d dir) numbers(limit int) (found []int, whole bool, err error) {
	buf := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(int(d), buf)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, false, gone(err)
		case n == 0:
			return found, true, nil
		case limit > 0 && len(found) >= limit:
			return found, false, nil
		}
		found = appendNumbers(found, buf[:n])
	}
}

// appendNumbers appends the numeric names among the entries that one call of
// getdents64(2) wrote. What does not look like an entry ends the list.
func appendNumbers(found []int, entries []byte) []int {
	for len(entries) > direntHeader {
		size := int(binary.NativeEndian.Uint16(entries[16:]))
		if size <= direntHeader || size > len(entries) {
			return found
		}
		name := entries[direntHeader:size]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if n, ok := decimal(name); ok {
			found = append(found, n)
		}
		entries = entries[size:]
	}
	return found
}

// decimal reads a whole name of digits. The kernel writes no sign and no
// leading zero, so "+1" and "007" are somebody's file, not a process.
func decimal(name []byte) (int, bool) {
	if len(name) == 0 || name[0] < '0' || name[0] > '9' || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	n, err := strconv.Atoi(string(name))
	return n, err == nil
}
