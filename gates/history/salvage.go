package history

import (
	"context"
	"database/sql"
	"errors"
)

const (
	// maxSalvaged bounds how many results are asked for of a torn database, the
	// newest: a fifth of a millisecond each, while others wait.
	maxSalvaged = 100_000
	// maxMissing is after how many in a row that cannot be read no more are
	// looked for: of a file that was cut, nothing says how many there were.
	maxMissing = 2000
)

// salvage takes over what can still be read of a database of ours that was set
// aside. Each result is asked for by itself, so that a lost page takes only
// those with it that stood on it; one whose parts do not agree is not believed.
func (s *Store) salvage(ctx context.Context, tx *sql.Tx, path string) error {
	db := connect(path, s.o.Wait, true)
	defer db.Close()
	var id, last int64
	// With this pragma SQLite reads a file that is shorter than its header says.
	_, err := db.ExecContext(ctx, "pragma writable_schema = on")
	if err == nil {
		err = db.QueryRowContext(ctx, "select application_id from pragma_application_id").Scan(&id)
	}
	if err != nil || id != applicationID {
		return ctx.Err() // nothing of ours in it
	}
	if db.QueryRowContext(ctx, "select max(result) from bodies").Scan(&last) != nil {
		last = 0
	}
	taken, missing := 0, 0
	first := max(1, last-maxSalvaged+1)
	for at := first; at-first < maxSalvaged && (missing < maxMissing || at <= last); at++ {
		e, uid, err := salvaged(ctx, db, at)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if missing++; err != nil {
			continue
		}
		missing = 0
		fresh, err := s.insert(ctx, tx, e, uid)
		if err != nil {
			return err
		}
		if fresh {
			taken++
		}
	}
	if taken > 0 {
		s.note("%s: %s can be read and taken over", path, countOf(taken, "result", "results"))
	}
	return nil
}

// salvaged is one result of a torn database.
func salvaged(ctx context.Context, db *sql.DB, id int64) (e entry, uid int, err error) {
	var run string
	var body []byte
	err = db.QueryRowContext(ctx, "select r.run, r.uid, b.body from results r, bodies b where r.id = ?1 and b.result = ?1", id).Scan(&run, &uid, &body)
	if err == nil {
		e, err = readEntry(body)
	}
	if err == nil && e.Run != run {
		err = errors.New("the body is of another run")
	}
	return e, uid, err
}
