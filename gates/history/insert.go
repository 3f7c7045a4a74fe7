package history

import (
	"context"
	"database/sql"
	"errors"
)

// insert writes a result of uid. One that is there already stays, unless this is
// a later revision of it by the same user. fresh says that it was written.
func (s *Store) insert(ctx context.Context, tx *sql.Tx, e entry, uid int) (fresh bool, err error) {
	var id int64
	err = tx.QueryRowContext(ctx, `insert into results(run, revision, uid, gate, lane, branch, head, outcome, partial, clean, marked, started)
		values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict(run) do update set revision = excluded.revision, gate = excluded.gate, lane = excluded.lane,
			branch = excluded.branch, head = excluded.head, outcome = excluded.outcome, partial = excluded.partial,
			clean = excluded.clean, marked = excluded.marked, started = excluded.started
			where excluded.revision > revision and excluded.uid = uid
		returning id`,
		e.Run, e.Revision, uid, e.Gate, e.Lane, e.Branch, e.Commit, e.Outcome, e.Partial, e.clean(), len(e.Marks) > 0,
		e.Started.UnixMicro()).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil && e.Revision > 0 {
		_, err = tx.ExecContext(ctx, "delete from metrics where result = ?", id)
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, "insert or replace into bodies(result, body) values(?, ?)", id, e.body)
	}
	if err != nil {
		return false, err
	}
	return true, s.insertMetrics(ctx, tx, e.Result, id)
}

// clean says that the result holds for a commit, with nothing changed.
func (r Result) clean() bool { return r.Commit != "" && r.Changes == "" }

func (s *Store) insertMetrics(ctx context.Context, tx *sql.Tx, r Result, id int64) error {
	for _, m := range r.Metrics {
		series, err := s.number(ctx, tx, r.Series(m))
		if err != nil {
			return err
		}
		// Two of one series are merged before they are written; in a line of
		// somebody else's making the first one counts.
		if _, err := tx.ExecContext(ctx, `insert or ignore into metrics(series, started, result, count, low, high, last, first)
			values(?, ?, ?, ?, ?, ?, ?, ?)`, series, r.Started.UnixMicro(), id, m.Count, m.Low, m.High, m.Last, m.First); err != nil {
			return err
		}
	}
	return nil
}

// number is the row of a series, which is made if need be.
func (s *Store) number(ctx context.Context, tx *sql.Tx, key Series) (int64, error) {
	if id, ok := s.series[key]; ok {
		return id, nil
	}
	args := values(key.fields())
	var id int64
	err := tx.QueryRowContext(ctx, `select id from series where gate = ? and metric = ? and labels = ? and unit = ?
		and backend = ? and card = ? and profile = ?`, args...).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, `insert into series(gate, metric, labels, unit, backend, card, profile)
			values(?, ?, ?, ?, ?, ?, ?) returning id`, args...).Scan(&id)
	}
	if err == nil {
		if s.series == nil {
			s.series = make(map[Series]int64)
		}
		s.series[key] = id
	}
	return id, err
}

// insertKill writes a kill that uid swept, if it is not there.
func (s *Store) insertKill(ctx context.Context, tx *sql.Tx, k killEntry, uid int) (fresh bool, err error) {
	done, err := tx.ExecContext(ctx, `insert into kills(boot, pid, start, time, lane, by, body) select ?1, ?2, ?3, ?4, ?5, ?6, ?7
		where not exists (select 1 from kills where pid = ?2 and start = ?3 and (boot = ?1 or boot = '' or ?1 = ''))`,
		k.Boot, k.PID, int64(k.Start), k.Time.UnixMicro(), k.Lane, uid, k.body)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}
