package history

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// maxLine bounds a line of a journal, and so a result, in bytes.
const maxLine = 4 << 20

// maxHost bounds the host in the name of a journal, in bytes.
const maxHost = 64

// journals is the directory of the journals.
func (s *Store) journals() string { return filepath.Join(s.o.State, "journal") }

// journal is the file that this host and user append to. It is never cut: all
// databases that are made of it, on whatever host, begin at its first line.
func (s *Store) journal() string {
	return filepath.Join(s.journals(), fmt.Sprintf("%s-%d.jsonl", hostName(s.o.Host), s.uid))
}

// hostName makes a host fit for the name of a file.
func hostName(host string) string {
	b := []byte(host)[:min(len(host), maxHost)]
	for i, c := range b {
		plain := c == '.' && i > 0 || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !plain {
			b[i] = '_'
		}
	}
	if len(b) == 0 {
		return "unknown"
	}
	return string(b)
}

// prepareJournals makes the directory in which every user can leave his journal,
// with its mode from the start, whatever the umask. Where it cannot be made,
// only others notice, and they say so.
func (s *Store) prepareJournals() {
	if _, err := os.Lstat(s.journals()); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err := os.MkdirAll(s.o.State, 0o755); err != nil {
		return
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // does not fail
	made := s.journals() + "." + hex.EncodeToString(b[:])
	err := os.Mkdir(made, 0o700)
	if err == nil {
		err = os.Chmod(made, 0o777|fs.ModeSticky)
	}
	if err == nil {
		err = unix.Renameat2(unix.AT_FDCWD, made, unix.AT_FDCWD, s.journals(), unix.RENAME_NOREPLACE)
	}
	if err == unix.EINVAL { // not every file system can do that; an empty directory is then replaced
		err = os.Rename(made, s.journals())
	}
	if err != nil {
		_ = os.Remove(made)
	}
}

// append writes a line to the journal, in one write.
func (s *Store) append(ctx context.Context, line []byte) error {
	s.prepareJournals()
	for range tries {
		f, err := s.openJournal()
		if err != nil {
			return fmt.Errorf("open journal: %w", err)
		}
		gone, err := appendTo(ctx, f, s.o.Wait, line)
		if err != nil || !gone {
			return err
		}
	}
	return errors.New("append to journal: it is removed again and again")
}

// openJournal opens our journal and makes sure that it is ours: the directory is
// everybody's.
func (s *Store) openJournal() (*os.File, error) {
	const flags = unix.O_RDWR | unix.O_APPEND | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	if info, err := os.Lstat(s.journals()); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory, or not there: let the owner of %s run gpuci in this repository", s.journals(), s.o.State)
	}
	f, err := os.OpenFile(s.journal(), flags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.OpenFile(s.journal(), flags|unix.O_CREAT|unix.O_EXCL, 0o644)
		if err == nil {
			err = f.Chmod(0o644) // the owner of the database reads it, whatever our umask
		}
		if errors.Is(err, fs.ErrExist) {
			f, err = os.OpenFile(s.journal(), flags, 0)
		}
	}
	if err == nil {
		err = owned(f, s.uid)
	}
	if err != nil && f != nil {
		_ = f.Close()
	}
	return f, err
}

// owned says what keeps a file from being a journal of uid.
func owned(f *os.File, uid int) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return err
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return fmt.Errorf("%s is no regular file: remove it", f.Name())
	case int(st.Uid) != uid:
		return fmt.Errorf("%s belongs to uid %d, not to %d: remove it, or map users on its file system", f.Name(), st.Uid, uid)
	case st.Nlink > 1:
		return fmt.Errorf("%s has %d names: remove the others", f.Name(), st.Nlink)
	}
	return nil
}

// appendTo writes the line under the lock of the file, which is closed; gone
// says that somebody removed the file meanwhile. A line that a killed writer
// left unfinished is ended first, and reads as garbled.
func appendTo(ctx context.Context, f *os.File, wait time.Duration, line []byte) (gone bool, err error) {
	defer f.Close()
	// A file system without locks has one writer for each host and user, most
	// times; the line is one write in any case.
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	lock := flock.New(f.Name(), flock.SetFlag(os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK))
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, lookAgain); ctx.Err() != nil {
		return false, fmt.Errorf("lock journal %s: %w", f.Name(), err)
	}
	open, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("append to journal: %w", err)
	}
	if named, err := os.Lstat(f.Name()); err != nil || !os.SameFile(open, named) {
		return true, nil
	}
	text := append(line[:len(line):len(line)], '\n')
	var last [1]byte
	if size := open.Size(); size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	if _, err := f.Write(text); err != nil {
		return false, fmt.Errorf("append to journal: %w", err)
	}
	return false, nil
}
