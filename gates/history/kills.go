package history

import (
	"context"
	"database/sql"
	"fmt"
)

// Kills gives the processes that sweeps ended, the newest first. Of the query,
// the lane, the times and the limit count.
func (s *Store) Kills(ctx context.Context, q Query) (list []Kill, err error) {
	c := &clause{}
	if q.Lane != "" {
		c.and("lane = ?", text(q.Lane))
	}
	q.times(c, "time")
	err = s.read(ctx, "read kills in", func(db *sql.DB) error {
		list = nil
		return eachBody(ctx, db, "select id, by, body from kills where 1"+c.String()+" order by time desc, id desc limit ?", append(c.args, q.limit()),
			func(id int64, by int, body []byte) error {
				e, err := readKillEntry(body)
				if err != nil {
					return fmt.Errorf("kill %d: %w", id, err)
				}
				e.By = by
				list = append(list, e.Kill)
				return nil
			})
	})
	return list, err
}

// eachBody hands on the rows of a query for an id, a uid and a body.
func eachBody(ctx context.Context, db *sql.DB, query string, args []any, do func(id int64, uid int, body []byte) error) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var uid int
		var body []byte
		if err := rows.Scan(&id, &uid, &body); err != nil {
			return err
		}
		if err := do(id, uid, body); err != nil {
			return err
		}
	}
	return rows.Err()
}
