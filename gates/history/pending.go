package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// pending are our own results that wait in the journal of this host for somebody
// who may write to the database, the newest first: who works in another user's
// repository sees them with all others, and is held against them. Of more than
// maxTaken bytes the first are read.
func (s *Store) pending(ctx context.Context, db queryer) ([]Result, error) {
	if s.unwritten == nil || s.reader == nil || s.network != "" {
		return nil, nil
	}
	f, err := os.OpenFile(s.journal(), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil // nothing waits
	}
	defer f.Close()
	if owned(f, s.uid) != nil {
		return nil, nil
	}
	from := int64(0)
	err = db.QueryRowContext(ctx, "select offset from imports where file = ?", "journal/"+filepath.Base(f.Name())).Scan(&from)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	list, err := s.waiting(io.NewSectionReader(f, from, maxTaken))
	if err != nil {
		return nil, err
	}
	// What was imported between the two looks is there already.
	list = slices.DeleteFunc(list, func(r Result) bool {
		var n int
		return db.QueryRowContext(ctx, "select count(*) from results where run = ? and revision >= ?", text(r.Run), r.Revision).Scan(&n) == nil && n > 0
	})
	slices.SortFunc(list, func(a, b Result) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Run, a.Run))
	})
	return list, nil
}

// waiting are the results in the lines of a journal, each in its last revision.
func (s *Store) waiting(journal io.Reader) (list []Result, err error) {
	at := make(map[string]int)
	_, err = readLines(journal, func(line []byte) error {
		rec, err := readLine(line)
		if err != nil || rec.result == nil {
			return nil
		}
		r := rec.result.Result
		r.UID = s.uid
		i, known := at[r.Run]
		switch {
		case !known:
			at[r.Run] = len(list)
			list = append(list, r)
		case r.Revision > list[i].Revision:
			list[i] = r
		}
		return nil
	})
	return list, err
}

// asks says whether a query asks for a result.
func (q Query) asks(r Result) bool {
	return (q.Gate == "" || q.Gate == r.Gate) && (q.Lane == "" || q.Lane == r.Lane) && (q.Branch == "" || q.Branch == r.Branch) &&
		(len(q.Outcomes) == 0 || slices.Contains(q.Outcomes, r.Outcome)) && (q.Partial || !r.Partial) &&
		q.of.holds(r) && !r.Started.Before(q.Since) && (q.Until.IsZero() || r.Started.Before(q.Until))
}

// points are what a result gave of the series that which asks for.
func (r Result) points(which func(Series) bool) map[Series]Point {
	out := make(map[Series]Point)
	for _, m := range r.Metrics {
		if of := r.Series(m); which(of) {
			out[of] = Point{
				Run: r.Run, Started: r.Started, Lane: r.Lane, Commit: r.Commit, Branch: r.Branch, Clean: r.clean(), Outcome: r.Outcome,
				Partial: r.Partial, Marks: len(r.Marks) > 0, UID: r.UID, Count: m.Count, Low: m.Low, High: m.High, Last: m.Last, First: m.First,
			}
		}
	}
	return out
}

// withPending adds to greens those that wait, of the series that which asks for.
func (s *Store) withPending(ctx context.Context, db queryer, q Query, list []Point, which func(Series) bool) ([]Point, error) {
	waiting, err := s.pending(ctx, db)
	for _, r := range waiting {
		if !q.asks(r) || !q.Unclean && !r.clean() {
			continue
		}
		for _, p := range r.points(which) {
			list = append(list, p)
		}
	}
	if len(waiting) > 0 {
		slices.SortStableFunc(list, func(a, b Point) int { return b.Started.Compare(a.Started) })
		if q.Limit > 0 {
			list = list[:min(len(list), q.Limit)]
		}
	}
	return list, err
}

// lengthen adds what waits to courses, the oldest points first.
func lengthen(list []Course, waiting []Result, q Query, metric string) []Course {
	for _, r := range slices.Backward(waiting) {
		if !q.asks(r) {
			continue
		}
		for of, p := range r.points(func(of Series) bool { return metric == "" || of.Metric == metric }) {
			i := slices.IndexFunc(list, func(c Course) bool { return c.Series == of })
			if i < 0 {
				i, list = len(list), append(list, Course{Series: of})
			}
			points := append(list[i].Points, p)
			slices.SortStableFunc(points, func(a, b Point) int { return a.Started.Compare(b.Started) })
			if q.Limit > 0 {
				points = points[max(0, len(points)-q.Limit):]
			}
			list[i].Points = points
		}
	}
	return list
}

// latestOf puts those that wait in the place of earlier ones of their gate and
// lane.
func (s *Store) latestOf(list, waiting []Result) []Result {
	for _, r := range slices.Backward(waiting) {
		i := slices.IndexFunc(list, func(o Result) bool { return o.Lane == r.Lane && o.Gate == r.Gate })
		switch {
		case r.Partial || s.Ahead(r.Started):
		case i < 0:
			list = append(list, r)
		case r.Started.After(list[i].Started):
			list[i] = r
		}
	}
	if len(waiting) > 0 {
		slices.SortFunc(list, func(a, b Result) int { return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Gate, b.Gate)) })
	}
	return list
}

// merged gives what waits among what is stored.
func (s *Store) merged(ctx context.Context, q Query, waiting []Result, yield func(Result, error) bool) {
	given := 0
	give := func(r Result) bool {
		given++
		return yield(r, nil) && (q.Limit <= 0 || given < q.Limit)
	}
	for r, err := range s.stored(ctx, q) {
		if err != nil {
			yield(Result{}, err)
			return
		}
		for ; len(waiting) > 0 && waiting[0].Started.After(r.Started); waiting = waiting[1:] {
			if !give(waiting[0]) {
				return
			}
		}
		if !give(r) {
			return
		}
	}
	for _, r := range waiting {
		if !give(r) {
			return
		}
	}
}
