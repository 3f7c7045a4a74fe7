package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// page is how many results are read at one go. Nothing is locked, and no
// snapshot kept, while the caller looks at them.
const page = 200

// Results gives the results asked for, the newest first. One that is recorded
// meanwhile may be missing, none comes twice. An error is the last it gives.
func (s *Store) Results(ctx context.Context, q Query) iter.Seq2[Result, error] {
	q = s.believed(q)
	return func(yield func(Result, error) bool) {
		var waiting []Result
		err := s.read(ctx, "read results in", func(db *sql.DB) (err error) {
			waiting, err = s.pending(ctx, db)
			waiting = slices.DeleteFunc(waiting, func(r Result) bool { return !q.asks(r) })
			return err
		})
		if err != nil {
			yield(Result{}, err)
			return
		}
		if len(waiting) > 0 {
			s.merged(ctx, q, waiting, yield)
			return
		}
		s.stored(ctx, q)(yield)
	}
}

// stored are the results asked for that the database has.
func (s *Store) stored(ctx context.Context, q Query) iter.Seq2[Result, error] {
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
		if errors.Is(err, ErrUnknown) {
			waiting, _ := s.pending(ctx, db)
			if i := slices.IndexFunc(waiting, func(w Result) bool { return w.Run == run }); i >= 0 {
				r, err = waiting[i], nil
			}
		}
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
// the first row of a pair that is believed is its newest. The plus keeps SQLite from
// the index of times.
const newest = `
with recursive newest(id) as (
	select (select id from results where partial = 0 and uid in (?1, ?2) and +started <= ?3 order by lane, gate, started desc limit 1)
	union all
	select coalesce(
		(select n.id from results n where n.partial = 0 and n.uid in (?1, ?2) and +n.started <= ?3 and n.lane = r.lane and n.gate > r.gate
			order by n.gate, n.started desc limit 1),
		(select n.id from results n where n.partial = 0 and n.uid in (?1, ?2) and +n.started <= ?3 and n.lane > r.lane
			order by n.lane, n.gate, n.started desc limit 1))
	from newest join results r on r.id = newest.id
)
select ` + resultColumns + ` from newest join results r on r.id = newest.id join bodies b on b.result = r.id
order by r.lane, r.gate`

// Latest gives the last result of each gate in each lane that is not partial and
// is believed, in the order of lanes and gates.
func (s *Store) Latest(ctx context.Context) (list []Result, err error) {
	own, owner := s.whose()
	err = s.read(ctx, "read the latest results in", func(db *sql.DB) error {
		list, _, err = results(ctx, db, newest, own, owner, time.Now().Add(skew).UnixMicro())
		if err == nil {
			var waiting []Result
			waiting, err = s.pending(ctx, db)
			list = s.latestOf(list, waiting)
		}
		return err
	})
	return list, err
}

// Count counts the results asked for, by outcome; the limit of q is not used.
func (s *Store) Count(ctx context.Context, q Query) (counts map[string]int, err error) {
	q = s.believed(q)
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
		if err := rows.Err(); err != nil {
			return err
		}
		_ = rows.Close() // there is one connection
		waiting, err := s.pending(ctx, db)
		for _, r := range waiting {
			if q.asks(r) {
				counts[r.Outcome]++
			}
		}
		return err
	})
	return counts, err
}
