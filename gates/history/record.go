package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Record keeps a result: in the database, or in the journal where that cannot be
// used, and fails only if neither can. A second result with the same run id is
// not kept, and that is no error. Nor is a number that is NaN or infinite: it is
// left out.
func (s *Store) Record(ctx context.Context, r Result) error {
	r.UID, r.Revision = s.uid, 0
	e, err := newEntry(r)
	if err != nil {
		return fmt.Errorf("record result of gate %s: %w", r.Gate, err)
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	err = s.put(ctx, e.body, func(tx *sql.Tx) error {
		_, err := s.insert(ctx, tx, e, s.uid)
		return err
	})
	if err != nil {
		return fmt.Errorf("record result of gate %s: %w", r.Gate, err)
	}
	return nil
}

// RecordKill keeps a process that was ended, in the same way.
func (s *Store) RecordKill(ctx context.Context, k Kill) error {
	k.By = s.uid
	e, err := newKillEntry(k)
	if err != nil {
		return fmt.Errorf("record what was swept: pid %d: %w", k.PID, err)
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	err = s.put(ctx, e.body, func(tx *sql.Tx) error {
		_, err := s.insertKill(ctx, tx, e, s.uid)
		return err
	})
	if err != nil {
		return fmt.Errorf("record what was swept: pid %d: %w", k.PID, err)
	}
	return nil
}

// ErrUnknown says that no result has a run id.
var ErrUnknown = errors.New("the history has no such run")

// Amend changes a result that is there, such as the one of a killed run on which
// a later run found more to say. What change makes of the id is not kept. Only
// who recorded a result can amend it. The error wraps ErrUnknown where there is
// none to change.
func (s *Store) Amend(ctx context.Context, run string, change func(*Result)) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	var e entry
	amend := func(q queryer) (err error) {
		e, err = amended(ctx, q, run, s.uid, change)
		return err
	}
	err := s.do(ctx, s.reading, func(db *sql.DB) error { return amend(db) })
	if errors.Is(err, errAbsent) {
		err = ErrUnknown
	}
	if err == nil {
		err = s.put(ctx, e.body, func(tx *sql.Tx) error {
			// Somebody else may have amended it since.
			if err := amend(tx); err != nil {
				return err
			}
			_, err := s.insert(ctx, tx, e, s.uid)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("amend result of run %s: %w", run, plain(err))
	}
	return nil
}

// amended is the next revision of a result.
func amended(ctx context.Context, q queryer, run string, uid int, change func(*Result)) (entry, error) {
	r, err := find(ctx, q, run)
	if err != nil {
		return entry{}, err
	}
	if r.UID != uid {
		return entry{}, fmt.Errorf("uid %d recorded it, and this is uid %d", r.UID, uid)
	}
	next := r.Revision + 1
	change(&r)
	r.Run, r.UID, r.Revision = run, uid, next
	return newEntry(r)
}

// put keeps one line: written is how the database takes it.
func (s *Store) put(ctx context.Context, line []byte, written func(*sql.Tx) error) error {
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	s.wake(ctx)
	var late error
	if s.network != "" {
		if late = s.append(ctx, line); late == nil {
			s.takeIn(ctx) // if it cannot be now, the next Store does it
			return nil
		}
	}
	err := s.write(ctx, written)
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrUnknown) {
		return err
	}
	if late == nil {
		if late = s.append(ctx, line); late == nil {
			s.note("%s was not written to: %v; the result is in %s", s.path(""), plain(err), s.journal())
			return nil
		}
	}
	return fmt.Errorf("in %s: %w; and in %s: %w", s.path(""), plain(err), s.journal(), late)
}
