package cache

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is how often a waiter tries: short beside a compile, and cheap.
const lockPoll = 20 * time.Millisecond

// Lock waits until nobody else makes what belongs to the key, here or in another
// process. Keys share 4096 lock files, so that the files stay few and none need
// ever be removed; two keys of one file wait for each other now and then, and
// whoever holds one lock must not ask for a second. The kernel gives up the lock
// of a holder that dies. If somebody else has it, waiting is called once; it may be
// nil.
func (c *Cache) Lock(ctx context.Context, key Key, waiting func()) (release func(), err error) {
	if _, err := c.path("lock", string(key)); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(c.dir, "lock", string(key[:3])), flock.SetPermissions(0o666))
	ok, err := l.TryLock()
	if err == nil && !ok {
		if waiting != nil {
			waiting()
		}
		ok, err = l.TryLockContext(ctx, lockPoll)
	}
	if err != nil || !ok {
		l.Close()
		return nil, fmt.Errorf("lock an entry of the cache: %w", err)
	}
	return func() { l.Close() }, nil
}
