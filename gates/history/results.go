package history

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
)

// page is how many results are read at one go. Nothing is locked, and no
// snapshot kept, while the caller looks at them.
const page = 200

// Results gives the results asked for, the newest first. One that is recorded
// meanwhile may be missing, none comes twice. An error is the last it gives.
func (s *Store) Results(ctx context.Context, q Query) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		var behind key
		for given := 0; q.Limit <= 0 || given < q.Limit; {
			want := page
			if q.Limit > 0 {
				want = min(page, q.Limit-given)
			}
			list, end, err := s.page(ctx, q, behind, want)
			if err != nil {
				yield(Result{}, err)
				return
			}
			for _, r := range list {
				if !yield(r, nil) {
					return
				}
			}
			if len(list) < want {
				return
			}
			behind, given = end, given+want
		}
	}
}

// key is where a result stands in the order of time; the zero one is before all.
type key struct{ started, id int64 }

const resultColumns = "r.id, r.started, r.uid, r.revision, b.body"

func (s *Store) page(ctx context.Context, q Query, behind key, want int) (list []Result, end key, err error) {
	c := q.conditions("r.started")
	if behind != (key{}) {
		c.and("(r.started, r.id) < (?, ?)", behind.started, behind.id)
	}
	err = s.read(ctx, "read results in", func(db *sql.DB) error {
		list, end, err = results(ctx, db, "select "+resultColumns+` from results r join bodies b on b.result = r.id
			where 1`+c.String()+" order by r.started desc, r.id desc limit ?", append(c.args, want)...)
		return err
	})
	return list, end, err
}

// results reads the rows of a query for resultColumns.
func results(ctx context.Context, db queryer, query string, args ...any) (list []Result, end key, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, end, err
	}
	defer rows.Close()
	for rows.Next() {
		var uid, revision int
		var body []byte
		if err := rows.Scan(&end.id, &end.started, &uid, &revision, &body); err != nil {
			return nil, end, err
		}
		e, err := readEntry(body)
		if err != nil {
			return nil, end, fmt.Errorf("result %d: %w", end.id, err)
		}
		e.UID, e.Revision = uid, revision
		list = append(list, e.Result)
	}
	return list, end, rows.Err()
}

// Find gives the result of a run; the error wraps ErrUnknown where there is none.
func (s *Store) Find(ctx context.Context, run string) (r Result, err error) {
	err = s.read(ctx, "find run "+run+" in", func(db *sql.DB) error {
		r, err = find(ctx, db, run)
		return err
	})
	if err == nil && r.Run == "" {
		err = fmt.Errorf("find run %s: %w", run, ErrUnknown)
	}
	return r, err
}

func find(ctx context.Context, db queryer, run string) (Result, error) {
	list, _, err := results(ctx, db, "select "+resultColumns+" from results r join bodies b on b.result = r.id where r.run = ?", text(run))
	if err == nil && len(list) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return Result{}, err
	}
	return list[0], nil
}

// newest walks through the index of lanes and gates, from each pair to the next:
// the first row of a pair is its newest.
const newest = `
with recursive newest(id) as (
	select (select id from results where partial = 0 order by lane, gate, started desc limit 1)
	union all
	select coalesce(
		(select n.id from results n where n.partial = 0 and n.lane = r.lane and n.gate > r.gate order by n.gate, n.started desc limit 1),
		(select n.id from results n where n.partial = 0 and n.lane > r.lane order by n.lane, n.gate, n.started desc limit 1))
	from newest join results r on r.id = newest.id
)
select ` + resultColumns + ` from newest join results r on r.id = newest.id join bodies b on b.result = r.id
order by r.lane, r.gate`

// Latest gives the last result of each gate in each lane that is not partial, in
// the order of lanes and gates.
func (s *Store) Latest(ctx context.Context) (list []Result, err error) {
	err = s.read(ctx, "read the latest results in", func(db *sql.DB) error {
		list, _, err = results(ctx, db, newest)
		return err
	})
	return list, err
}

// Count counts the results asked for, by outcome; the limit of q is not used.
func (s *Store) Count(ctx context.Context, q Query) (counts map[string]int, err error) {
	c := q.conditions("r.started")
	err = s.read(ctx, "count results in", func(db *sql.DB) error {
		counts = make(map[string]int)
		rows, err := db.QueryContext(ctx, "select r.outcome, count(*) from results r where 1"+c.String()+" group by r.outcome", c.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var outcome string
			var n int
			if err := rows.Scan(&outcome, &n); err != nil {
				return err
			}
			counts[outcome] = n
		}
		return rows.Err()
	})
	return counts, err
}
