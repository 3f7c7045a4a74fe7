package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"
)

// Query says which results are asked for; its zero value asks for all that are
// not partial.
type Query struct {
	Gate, Lane, Branch string    // "" for any
	Since, Until       time.Time // of the start, the former included; zero for no bound
	Outcomes           []string  // any of these; empty for all
	Partial            bool      // partial ones too
	Unclean            bool      // greens of no commit too, and of one with something changed
	Believed           bool      // only what Store.Believes
	Limit              int       // so many at most, the newest; 0 for all

	of belief // set by the store, where only what is believed is asked for
}

// belief is whose results are believed, and until when.
type belief struct {
	own, owner int
	until      time.Time // zero: whoever recorded what is believed, and whenever
}

// believed sets whose results are believed, as it is now.
func (s *Store) believed(q Query) Query {
	if q.Believed {
		q.of.own, q.of.owner = s.whose()
		q.of.until = time.Now().Add(skew)
	}
	return q
}

func (b belief) holds(r Result) bool {
	return b.until.IsZero() || (r.UID == b.own || r.UID == b.owner) && !r.Started.After(b.until)
}

// queryer is a database or a transaction.
type queryer interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// clause collects conditions, and the values that they name by ?.
type clause struct {
	text strings.Builder
	args []any
}

func (c *clause) and(condition string, args ...any) {
	c.text.WriteString(" and " + condition)
	c.args = append(c.args, args...)
}

func (c *clause) String() string { return c.text.String() }

// conditions are those on a row r of results. Times are asked of started, a
// column of the table that is read in its order.
func (q Query) conditions(started string) *clause {
	c := &clause{}
	for _, eq := range []struct{ column, value string }{{"r.gate", q.Gate}, {"r.lane", q.Lane}, {"r.branch", q.Branch}} {
		if eq.value != "" {
			c.and(eq.column+" = ?", text(eq.value))
		}
	}
	if !q.Partial {
		c.and("+r.partial = 0") // the plus keeps SQLite from the index of the newest, which is no help here
	}
	if len(q.Outcomes) > 0 {
		c.and("r.outcome in (?"+strings.Repeat(", ?", len(q.Outcomes)-1)+")", values(q.Outcomes)...)
	}
	if !q.of.until.IsZero() {
		// The pluses keep SQLite on the way it was given.
		c.and("+r.uid in (?, ?) and +"+started+" <= ?", q.of.own, q.of.owner, q.of.until.UnixMicro())
	}
	q.times(c, started)
	return c
}

func (q Query) times(c *clause, started string) {
	if !q.Since.IsZero() {
		c.and(started+" >= ?", q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		c.and(started+" < ?", q.Until.UnixMicro())
	}
}

// limit is for SQL, where a negative one is none.
func (q Query) limit() int {
	if q.Limit > 0 {
		return q.Limit
	}
	return -1
}

func values(list []string) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = text(v)
	}
	return out
}

// text is a string as the columns have it, which went through JSON.
func text(s string) string {
	if data, err := json.Marshal(s); err == nil {
		_ = json.Unmarshal(data, &s)
	}
	return s
}
