package gates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockDebt keeps every other gpuci of a state directory from paying the same debt,
// whatever is in its lane meanwhile, and one of another lane with the same content. busy
// says that somebody else does. The kernel lets go of it when we are killed; the debt is
// still there then.
func lockDebt(state string, d Debt) (release func(), busy bool, err error) {
	c := d.Content()
	release = func() {}
	for _, of := range []string{d.Gate + "\x00" + c.Commit + "\x00" + c.Changes, "lane\x00" + d.Lane + "\x00" + d.Gate} {
		one, busy, err := lockOne(state, of)
		if busy || err != nil {
			release()
			return nil, busy, err
		}
		before := release
		release = func() { one(); before() }
	}
	return release, false, nil
}

// lockOne takes the lock of a name.
func lockOne(state, name string) (release func(), busy bool, err error) {
	sum := sha256.Sum256([]byte(name))
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

// payerPause is how long another payer is left alone before its locks are tried again.
const payerPause = 200 * time.Millisecond

// lock is lockDebt, which who waits tries until the other one has paid, or has given up.
func (p *payer) lock(ctx context.Context, d Debt) (release func(), busy bool, err error) {
	for said := false; ; said = true {
		release, busy, err = lockDebt(p.o.State, d)
		if !busy || !p.waits || ctx.Err() != nil || time.Now().After(p.until) {
			return release, busy, err
		}
		if !said && p.o.Note != nil {
			p.o.Note(fmt.Sprintf("waiting for another gpuci that pays %s, until %s", d.Name(), p.until.Local().Format("15:04")))
		}
		select {
		case <-ctx.Done():
		case <-time.After(payerPause):
		}
	}
}
