package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// errAbsent is a database that is not there, and may not be made.
var errAbsent = errors.New("there is no history yet")

// tries bounds how often a piece of work begins again: a file that is torn or
// removed more often than that is somebody's doing.
const tries = 3

// read runs a query. A history that was never begun has no answers, and no
// error.
func (s *Store) read(ctx context.Context, what string, work func(*sql.DB) error) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	err := s.do(ctx, s.reading, work)
	if err == nil || errors.Is(err, errAbsent) {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, s.path(""), plain(err))
}

// do runs work on a connection, and again on a new one if the file turns out to
// be torn, or not to be the one that others find under its name. So work must
// come to the same when it is done twice.
func (s *Store) do(ctx context.Context, connection func() (*sql.DB, error), work func(*sql.DB) error) error {
	s.wake(ctx)
	for range tries {
		db, err := connection()
		if err == nil {
			err = work(db)
		}
		var bad ruin
		switch {
		case ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case torn(err) && s.mayAside():
			bad = ruin{s.file, err}
		case s.file != (file{}) && !s.file.still(s.path("")): // whatever SQLite says of that
		default:
			return err
		}
		s.attach(ctx, bad)
	}
	return errors.New("it was torn or removed again and again: something else writes there")
}

// mayAside says that a torn file is ours to set aside.
func (s *Store) mayAside() bool { return s.unwritten == nil && s.file != (file{}) }

// reading gives the connection that reads.
func (s *Store) reading() (*sql.DB, error) {
	if s.reader == nil {
		return nil, s.unread
	}
	return s.reader, nil
}

// writing gives the connection that writes.
func (s *Store) writing() (*sql.DB, error) {
	if s.unwritten != nil {
		return nil, s.unwritten
	}
	if s.writer == nil {
		s.writer = connect(s.path(""), s.o.Wait, false)
	}
	return s.writer, nil
}

// write runs work in one transaction that has the right to write from its
// beginning, so that it never finds at its end that somebody else was faster.
func (s *Store) write(ctx context.Context, work func(*sql.Tx) error) error {
	err := s.do(ctx, s.writing, func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := work(tx); err != nil {
			_ = tx.Rollback()
			s.series = nil // some may have been numbered in it
			return err
		}
		return tx.Commit()
	})
	if err == nil {
		s.fold(maxLog)
	}
	return err
}
