package reader

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// fileID is what makes a file that one and no other, whatever it is called. A
// number of an inode is soon used again; when the file was made tells those
// apart, where the file system knows (statx(2), STATX_BTIME).
type fileID struct {
	major, minor uint32
	inode        uint64
	made         unix.StatxTimestamp
}

// oldFile is a report that was there before the run.
type oldFile struct {
	size int64
	at   time.Time
	sum  [sha256.Size]byte
	read bool // sum is of all of it
}

// maxOld bounds what is read of reports before a run, in bytes: a second of one
// core. A project's reports are some megabytes.
const maxOld = 256 << 20

// oldFiles looks at the reports that are there. One that cannot be opened is left
// out: after the run it is a contradiction then, or another file.
func oldFiles(paths []string) map[fileID]oldFile {
	out := make(map[fileID]oldFile)
	left := int64(maxOld)
	for _, path := range paths {
		f, id, err := openReport(path)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil {
			old := oldFile{size: info.Size(), at: info.ModTime()}
			if left -= old.size; left >= 0 {
				old.sum, err = hashOf(f)
				old.read = err == nil
			}
			out[id] = old
		}
		_ = f.Close()
	}
	return out
}

// openReport opens a regular file, and does not wait for who writes to a FIFO.
func openReport(path string) (*os.File, fileID, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fileID{}, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file: write a narrower glob")
	}
	var st unix.Statx_t
	if err == nil {
		err = unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_INO|unix.STATX_BTIME, &st)
	}
	if err != nil {
		_ = f.Close()
		return nil, fileID{}, err
	}
	return f, fileID{st.Dev_major, st.Dev_minor, st.Ino, st.Btime}, nil
}

// hashOf is of a whole file, and leaves it at its beginning.
func hashOf(f *os.File) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, fmt.Errorf("hash a report: %w", err)
	}
	_, err = f.Seek(0, io.SeekStart)
	return [sha256.Size]byte(h.Sum(nil)), err
}
