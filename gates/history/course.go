package history

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"
)

// Course is how the numbers of one series went, the oldest first.
type Course struct {
	Series
	Points []Point `json:"points"`
}

// Point is what one result gave of one series.
type Point struct {
	Run     string    `json:"run"`
	Started time.Time `json:"started"` // to the microsecond
	Lane    string    `json:"lane"`
	Commit  string    `json:"commit,omitempty"`
	Branch  string    `json:"branch,omitempty"`
	Clean   bool      `json:"clean,omitempty"` // nothing was changed in the lane
	Outcome string    `json:"outcome"`
	Partial bool      `json:"partial,omitempty"`
	Marks   bool      `json:"marks,omitempty"` // it carries some
	UID     int       `json:"uid"`             // who recorded it
	Count   int       `json:"count"`
	Low     float64   `json:"low"`
	High    float64   `json:"high"`
	Last    *float64  `json:"last,omitempty"`
	First   bool      `json:"first,omitempty"`
}

// Course gives the courses of a gate's metrics, or of one of them: each series
// that has points, by itself. q.Gate must be given; q.Limit is of each series.
// Of more than most series (0: all), those measured last are given.
func (s *Store) Course(ctx context.Context, q Query, metric string, most int) (list []Course, err error) {
	q = s.believed(q)
	err = s.read(ctx, "read the course of gate "+q.Gate+" in", func(db *sql.DB) error {
		list = nil
		found, err := seriesOf(ctx, db, q.Gate, metric, most)
		for _, f := range found {
			var points []Point
			if points, err = f.points(ctx, db, q, ""); err != nil {
				break
			}
			if slices.Reverse(points); len(points) > 0 {
				list = append(list, Course{f.Series, points})
			}
		}
		if err == nil {
			var waiting []Result
			waiting, err = s.pending(ctx, db)
			list = lengthen(list, waiting, q, metric)
		}
		return err
	})
	slices.SortFunc(list, func(a, b Course) int { return a.compare(b.Series) })
	return list, err
}

func (a Series) compare(b Series) int {
	return cmp.Or(cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Labels, b.Labels), cmp.Compare(a.Unit, b.Unit),
		cmp.Compare(a.Backend, b.Backend), cmp.Compare(a.Card, b.Card), cmp.Compare(a.Profile, b.Profile))
}

// numbered is a series and its row.
type numbered struct {
	Series
	id int64
}

// seriesOf gives the series of a gate, those measured last first.
func seriesOf(ctx context.Context, db queryer, gate, metric string, most int) (list []numbered, err error) {
	rows, err := db.QueryContext(ctx, `select s.id, s.gate, s.metric, s.labels, s.unit, s.backend, s.card, s.profile
		from series s where s.gate = ?1 and (?2 = '' or s.metric = ?2)
		order by (select max(m.started) from metrics m where m.series = s.id) desc limit ?3`, text(gate), text(metric), Query{Limit: most}.limit())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n numbered
		if err := rows.Scan(&n.id, &n.Gate, &n.Metric, &n.Labels, &n.Unit, &n.Backend, &n.Card, &n.Profile); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, rows.Err()
}

// points are those of the series that the query asks for, the newest first.
func (n numbered) points(ctx context.Context, db queryer, q Query, more string) (list []Point, err error) {
	q.Gate = "" // it is the series'
	c := q.conditions("m.started")
	args := append(append([]any{n.id}, c.args...), q.limit())
	return points(ctx, db, "m.series = ?"+c.String()+more, args)
}

// points are those that conditions choose, the newest first. A cross join is done
// in the order it is written in: along the series.
func points(ctx context.Context, db queryer, conditions string, args []any) (list []Point, err error) {
	rows, err := db.QueryContext(ctx, `select r.run, m.started, r.lane, r.head, r.branch, r.clean, r.outcome, r.partial, r.marked, r.uid,
		m.count, m.low, m.high, m.last, m.first from metrics m cross join results r on r.id = m.result
		where `+conditions+" order by m.started desc, m.result desc limit ?", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p Point
		var started int64
		if err := rows.Scan(&p.Run, &started, &p.Lane, &p.Commit, &p.Branch, &p.Clean, &p.Outcome, &p.Partial, &p.Marks, &p.UID,
			&p.Count, &p.Low, &p.High, &p.Last, &p.First); err != nil {
			return nil, err
		}
		p.Started = time.UnixMicro(started).UTC()
		list = append(list, p)
	}
	return list, rows.Err()
}

// Greens gives the points of one series that a later number might be held
// against, the newest first: green, whole, of a commit with nothing changed.
// Those with marks are among them, and those that are not believed unless q says
// otherwise. q.Gate, q.Outcomes and q.Partial are not used.
func (s *Store) Greens(ctx context.Context, of Series, q Query) (list []Point, err error) {
	q = s.believed(q)
	q.Outcomes, q.Partial = []string{"green"}, false
	err = s.read(ctx, "read the green results of metric "+of.Metric+" in", func(db *sql.DB) error {
		list = nil
		n := numbered{Series: of}
		err := db.QueryRowContext(ctx, `select id from series where gate = ? and metric = ? and labels = ? and unit = ?
			and backend = ? and card = ? and profile = ?`, values(of.fields())...).Scan(&n.id)
		switch {
		case err == nil:
			list, err = n.points(ctx, db, q, q.clean())
		case err == sql.ErrNoRows:
			err = nil
		}
		if err == nil {
			list, err = s.withPending(ctx, db, q, list, func(a Series) bool { return a == of })
		}
		return err
	})
	return list, err
}

// GreensOf is Greens of all series of a metric, whatever their labels, unit and
// card are.
func (s *Store) GreensOf(ctx context.Context, of Series, q Query) (list []Point, err error) {
	q = s.believed(q)
	q.Gate, q.Outcomes, q.Partial = "", []string{"green"}, false
	err = s.read(ctx, "read the green results of metric "+of.Metric+" in", func(db *sql.DB) error {
		c := q.conditions("m.started")
		args := append(append(values([]string{of.Gate, of.Metric, of.Backend, of.Profile}), c.args...), q.limit())
		list, err = points(ctx, db, `m.series in (select id from series where gate = ? and metric = ? and backend = ? and profile = ?)`+
			c.String()+q.clean(), args)
		if err == nil {
			q.Gate = of.Gate
			list, err = s.withPending(ctx, db, q, list, func(a Series) bool {
				return a.Metric == of.Metric && a.Backend == of.Backend && a.Profile == of.Profile
			})
		}
		return err
	})
	return list, err
}

// Unheld says which greens of a metric, or of one of its series, are not believed.
type Unheld struct {
	Others int     // of users who are not believed
	Ahead  []Point // of those who are, dated in the future; the last of them
	Aheads int     // how many there are
}

// mostNamed is how many of those that are not believed are given: they are named to
// a reader.
const mostNamed = 5

// Unheld counts the greens that Greens leaves out where only what is believed is
// asked for: those of one series, or of all of its metric. q.Since and q.Unclean
// are used.
func (s *Store) Unheld(ctx context.Context, of Series, whole bool, q Query) (u Unheld, err error) {
	q = Query{Outcomes: []string{"green"}, Since: q.Since, Unclean: q.Unclean}
	own, owner := s.whose()
	soon := time.Now().Add(skew).UnixMicro()
	err = s.read(ctx, "read the green results of metric "+of.Metric+" in", func(db *sql.DB) error {
		chosen, args := "gate = ? and metric = ? and labels = ? and unit = ? and backend = ? and card = ? and profile = ?", values(of.fields())
		if whole {
			chosen, args = "gate = ? and metric = ? and backend = ? and profile = ?", values([]string{of.Gate, of.Metric, of.Backend, of.Profile})
		}
		c := q.conditions("m.started")
		chosen = "m.series in (select id from series where " + chosen + ")" + c.String() + q.clean()
		args = append(args, c.args...)
		err := db.QueryRowContext(ctx, `select count(iif(r.uid in (?, ?), null, 1)), count(iif(r.uid in (?, ?) and m.started > ?, 1, null))
			from metrics m cross join results r on r.id = m.result where `+chosen,
			append([]any{own, owner, own, owner, soon}, args...)...).Scan(&u.Others, &u.Aheads)
		if err == nil && u.Aheads > 0 {
			u.Ahead, err = points(ctx, db, chosen+" and r.uid in (?, ?) and m.started > ?", append(args, own, owner, soon, mostNamed))
		}
		return err
	})
	return u, err
}

func (q Query) clean() string {
	if q.Unclean {
		return ""
	}
	return " and r.clean = 1"
}

// fields are the columns of a series in their order.
func (a Series) fields() []string {
	return []string{a.Gate, a.Metric, a.Labels, a.Unit, a.Backend, a.Card, a.Profile}
}
