package links

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gpuci/buildlock"
)

// stand is a directory that is to stay what it was.
type stand struct{ first os.FileInfo }

// gone says whether the directory is not there any more, or is another one, and
// begins anew then. filled asks for the same entries as well: those of an
// untouched directory have come and gone at no other time.
func (s *stand) gone(path string, filled bool) bool {
	now, err := os.Lstat(path)
	switch {
	case s.first == nil:
		if err == nil {
			s.first = now // else there is none yet
		}
		return false
	case errors.Is(err, fs.ErrNotExist):
		s.first = nil
		return true
	case err != nil || os.SameFile(s.first, now) && (!filled || now.ModTime().Equal(s.first.ModTime())):
		return false
	}
	s.first = now
	return true
}

// stands notes when the queue's directory is not the one it was, and when the
// shims are not: who held a ticket in that one is seen by nobody any more, and
// what was linked without these did not queue.
func (w *Watch) stands() {
	removed := w.queue.gone(filepath.Join(w.lockDir(), string(buildlock.Link)), false)
	broken := w.Shims != "" && w.front.gone(w.Shims, true)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.removed, w.broken = w.removed || removed, w.broken || broken
}

func (w *Watch) lockDir() string {
	if w.LockDir == "" {
		return buildlock.DefaultDir()
	}
	return w.LockDir
}

// Broken says whether shims were removed while the build ran, though they may
// stand there again.
func (w *Watch) Broken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}
