package gates

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// lockDebt keeps every other gpuci of a state directory from paying the same debt,
// also one of another lane with the same content. busy says that somebody else does.
// The kernel lets go of it when we are killed; the debt is still there then.
func lockDebt(state string, d Debt) (release func(), busy bool, err error) {
	sum := sha256.Sum256([]byte(d.Gate + "\x00" + d.Commit + "\x00" + d.Changes))
	path := filepath.Join(state, "debts", hex.EncodeToString(sum[:8])+".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, false, fmt.Errorf("pay a debt: %w", err)
	}
	for {
		lock := flock.New(path, flock.SetPermissions(0o644))
		got, err := lock.TryLock()
		if err != nil || !got {
			_ = lock.Close()
			if err != nil {
				err = fmt.Errorf("pay a debt: %w", err)
			}
			return nil, err == nil, err
		}
		if stillAt(lock, path) {
			return func() { _ = os.Remove(path); _ = lock.Close() }, false, nil
		}
		_ = lock.Close() // who had it removed the file before we locked it
	}
}

// stillAt says whether the file that is locked is the one that others will open.
func stillAt(lock *flock.Flock, path string) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(held, there)
}
