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
		rows, err := db.QueryContext(ctx, "select id, by, body from kills where 1"+c.String()+" order by time desc, id desc limit ?",
			append(c.args, q.limit())...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var by int
			var body []byte
			if err := rows.Scan(&id, &by, &body); err != nil {
				return err
			}
			e, err := readKillEntry(body)
			if err != nil {
				return fmt.Errorf("kill %d: %w", id, err)
			}
			e.By = by
			list = append(list, e.Kill)
		}
		return rows.Err()
	})
	return list, err
}
