package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Snapshot writes all that the history has to a database of its own, for a machine that
// cannot reach this one: a Store on a directory with that file as its history.db answers as
// this one does. The file is on a disk of this machine, and is not there yet.
//
// What the owner of the state directory recorded is ours there, since whose a directory is
// says there who is believed: see [Store.Believes]. What others left stays theirs. A
// history that was never begun gives no file, and an error that wraps fs.ErrNotExist.
func (s *Store) Snapshot(ctx context.Context, file string) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	err := s.do(ctx, s.reading, func(db *sql.DB) error {
		_ = os.Remove(file) // of a try before
		if _, err := db.ExecContext(ctx, "vacuum into ?", uri(file)); err != nil {
			return err
		}
		return s.settleIn(ctx, file)
	})
	if errors.Is(err, errAbsent) {
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	if err != nil {
		_ = os.Remove(file)
		return fmt.Errorf("take a snapshot of %s: %w", s.path(""), plain(err))
	}
	return nil
}

// settleIn adds to a snapshot what waits in our journal, and makes what is believed ours.
func (s *Store) settleIn(ctx context.Context, file string) (err error) {
	own, owner := s.whose()
	waiting, err := s.pending(ctx, s.reader)
	if err != nil {
		return err
	}
	db := connect(file, s.o.Wait, false)
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "pragma synchronous = off"); err != nil { // it is copied away whole
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing once it is committed
	for _, table := range []string{"results", "falsifications", "decisions"} {
		if _, err := tx.ExecContext(ctx, "update "+table+" set uid = ? where uid = ?", own, owner); err != nil {
			return err
		}
	}
	into := &Store{o: s.o, uid: own} // whose numbers of series are the file's
	for _, r := range waiting {
		e, err := newEntry(r)
		if err != nil {
			return err
		}
		if _, err := into.insert(ctx, tx, e, own); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// PlaceSnapshot makes a snapshot the history of a state directory which has none.
func PlaceSnapshot(file, state string) error {
	to := filepath.Join(state, "history.db")
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("place snapshot: there is a history in %s", state)
	}
	err := os.MkdirAll(state, 0o755)
	if err == nil {
		err = os.Rename(file, to)
	}
	if err != nil {
		return fmt.Errorf("place snapshot: %w", err)
	}
	return nil
}

// Line is a verdict, in its form as JSON, as a journal has it: without the end of a line.
func Line(verdict []byte) ([]byte, error) {
	r, err := FromVerdict(verdict)
	if err != nil {
		return nil, err
	}
	e, err := newEntry(r)
	if err != nil {
		return nil, fmt.Errorf("write result of gate %s: %w", r.Gate, err)
	}
	return e.body, nil
}

// Commits are those that results of a gate are of.
func (s *Store) Commits(ctx context.Context, gate string) (list []string, err error) {
	err = s.read(ctx, "list commits in", func(db *sql.DB) error {
		list = nil
		rows, err := db.QueryContext(ctx, "select distinct head from results where gate = ? and head <> '' order by head", text(gate))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var c string
			if err := rows.Scan(&c); err != nil {
				return err
			}
			list = append(list, c)
		}
		return rows.Err()
	})
	return list, err
}
