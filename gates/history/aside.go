package history

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// setAside renames a database that cannot be used, with its log, for a person to
// look at. Nobody else has it open: the lock is ours alone. The log goes first,
// or a new database would be begun beside it, and SQLite would remove it.
func (s *Store) setAside(why error) (name string, err error) {
	var b [4]byte
	_, _ = rand.Read(b[:]) // does not fail
	name = s.path(".set-aside-" + time.Now().UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:]))
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		err := os.Rename(s.path(suffix), name+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("set it aside (%w): %w", why, err)
		}
	}
	s.note("%s was set aside as %s: %v; nothing of it was deleted, and a new one is filled from what is at hand", s.path(""), name, why)
	return name, nil
}
