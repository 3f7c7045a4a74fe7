package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// lookAgain is how often somebody looks who waits until another gpuci has made
// the database or set it aside.
const lookAgain = 10 * time.Millisecond

// attach finds the database and opens it; a file that is bad is set aside. What
// cannot be done is left in unread and unwritten.
func (s *Store) attach(ctx context.Context, bad ruin) {
	_ = s.detach()
	s.resting = false
	s.unread, s.unwritten = nil, s.place()
	if s.unwritten != nil {
		s.unread = s.unwritten
	} else if s.unwritten = s.mayWrite(); s.unwritten != nil {
		s.adopt(s.lookOnly(ctx))
	} else if s.settle(ctx, bad); s.unwritten == nil {
		s.prepareJournals()
		s.takeIn(ctx)
	}
	if s.unwritten != nil && s.unwritten != ErrReadOnly && ctx.Err() == nil {
		s.note("history %s is not written to: %v; results go to %s", s.path(""), plain(s.unwritten), s.journal())
	}
}

// lookOnly looks for somebody who may not write. He needs no lock: a file that
// is set aside while it is read is read to its end.
func (s *Store) lookOnly(ctx context.Context) sight {
	see := s.look(ctx, ruin{})
	switch see.state {
	case absent:
		see = sight{state: unusable, why: errAbsent}
	case older:
		see = sight{state: unusable, why: fmt.Errorf("it has the form %d of an earlier gpuci: let its owner run one of this version", see.form)}
	}
	return see
}

// adopt takes what was seen for the database of this store.
func (s *Store) adopt(see sight) {
	s.reader, s.file = see.reader, see.file
	if see.state != fit {
		s.unread = see.why
		s.file = file{}
		if s.unwritten == nil {
			s.unwritten = see.why
		}
	}
}

// settle opens the database under the lock, making or mending it first where
// that is needed, and gives up when others are at it for too long.
func (s *Store) settle(ctx context.Context, bad ruin) {
	s.lock = flock.New(filepath.Join(s.dir, "history.lock"),
		flock.SetFlag(os.O_CREATE|os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK), flock.SetPermissions(0o644))
	end := time.After(s.o.Wait)
	for !s.enter(ctx, bad) {
		select {
		case <-time.After(lookAgain):
			continue
		case <-end:
			s.adopt(sight{state: unusable, why: errors.New("another gpuci has been making it, or setting it aside, for all the time that may be waited")})
		case <-ctx.Done():
			s.adopt(sight{state: unusable, why: ctx.Err()})
		}
		return
	}
}

// enter takes the lock: shared where the database is fit, alone to make it so,
// and shared again afterwards. It is false when somebody else has it.
func (s *Store) enter(ctx context.Context, bad ruin) bool {
	got, err := s.lock.TryRLock()
	if err != nil {
		s.adopt(sight{state: unusable, why: fmt.Errorf("lock it: %w", err)})
		return true
	}
	if got {
		if see := s.look(ctx, bad); see.state == fit || see.state == unusable {
			s.adopt(see)
			return true
		}
		_ = s.lock.Unlock()
	}
	if got, err = s.lock.TryLock(); err != nil || !got {
		return false
	}
	see := s.look(ctx, bad)
	if see.state != fit && see.state != unusable {
		see = s.mend(ctx, see)
	}
	s.adopt(see)
	// Somebody can come in between and take it alone. He finds a fit database
	// then and leaves it, so that nothing is lost if we go on without the lock.
	_, _ = s.lock.TryRLock()
	return true
}

// mend makes a database of this form of what was seen.
func (s *Store) mend(ctx context.Context, see sight) sight {
	var aside string
	var err error
	if see.state == ruined {
		if aside, err = s.setAside(see.why); err != nil {
			return sight{state: unusable, why: err}
		}
	}
	db := connect(s.path(""), s.o.Wait, false)
	err = s.make(ctx, db, see.form, aside)
	if err = errors.Join(err, db.Close()); err == nil {
		see = s.look(ctx, ruin{})
	}
	if err != nil || see.state != fit {
		return sight{state: unusable, why: fmt.Errorf("make it: %w", errors.Join(err, see.why))}
	}
	return see
}

// make brings a database to this form, in one transaction. A new one is filled
// in the same with the runs at hand and with what can be read of one that was
// set aside, so that it is never seen without them.
func (s *Store) make(ctx context.Context, db *sql.DB, from int, aside string) error {
	var mode string
	if err := db.QueryRowContext(ctx, "pragma journal_mode = wal").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return errors.New("its file system cannot share memory between processes")
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing once it is committed
	if err := bring(ctx, tx, s.world.steps, from); err != nil {
		return err
	}
	if aside != "" {
		if err := s.salvage(ctx, tx, aside); err != nil {
			return err
		}
	}
	if from == 0 {
		if err := s.fill(ctx, tx); err != nil {
			return err
		}
	}
	return tx.Commit()
}
