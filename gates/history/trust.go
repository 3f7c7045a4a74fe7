package history

import (
	"context"
	"database/sql"
	"time"

	"golang.org/x/sys/unix"
)

// skew is how far ahead of ours another clock may be for a result to be of now:
// hosts that share a repository are in step to seconds, where they are at all.
const skew = time.Minute

// Believes says whether what uid recorded at a time can be held against: it is
// our own, or of the owner of the state directory, who can put any file there in
// the place of any other; and the time is not still to come. Everybody else can
// leave any line in a journal.
func (s *Store) Believes(uid int, started time.Time) bool {
	own, owner := s.whose()
	return (uid == own || uid == owner) && !s.Ahead(started)
}

// Ahead says that a time is still to come, by more than clocks differ.
func (s *Store) Ahead(started time.Time) bool { return started.After(time.Now().Add(skew)) }

// whose gives the uids that are believed: ours, and that of the state directory's
// owner; where there is no such directory, ours twice.
func (s *Store) whose() (own, owner int) {
	var st unix.Stat_t
	if unix.Stat(s.o.State, &st) != nil {
		return s.uid, s.uid
	}
	return s.uid, int(st.Uid)
}

// Aside is how many results one user left that are not believed.
type Aside struct {
	UID   int       `json:"uid"`
	Ahead bool      `json:"ahead,omitempty"` // dated in the future, whoever they are of
	Count int       `json:"count"`
	Last  time.Time `json:"last"` // the start of the newest
}

// Aside counts the results that are not believed, of a gate or of all ("").
func (s *Store) Aside(ctx context.Context, gate string) (list []Aside, err error) {
	own, owner := s.whose()
	err = s.read(ctx, "count results of others in", func(db *sql.DB) error {
		list = nil
		rows, err := db.QueryContext(ctx, `select uid, started > ?3, count(*), max(started) from results
			where (uid not in (?1, ?2) or started > ?3) and (?4 = '' or gate = ?4) group by 1, 2 order by 1, 2`,
			own, owner, time.Now().Add(skew).UnixMicro(), text(gate))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var a Aside
			var last int64
			if err := rows.Scan(&a.UID, &a.Ahead, &a.Count, &last); err != nil {
				return err
			}
			a.Last = time.UnixMicro(last).UTC()
			list = append(list, a)
		}
		return rows.Err()
	})
	return list, err
}
