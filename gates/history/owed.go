package history

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Owed says of a refused result that its measurement is owed, and why it could not
// be taken: for the card or the machine, not for what the gate itself is.
type Owed struct {
	Why    string `json:"why"`              // "card busy", "card unknown", "contended", "box …"
	Detail string `json:"detail,omitempty"` // who was on it, and until when
}

// maxOwing is how many results are read to tell what is owed, the newest: a fifth of
// a millisecond each. Those around what others say they owe are read apart, and few:
// whoever floods a journal keeps no debt of ours from being seen.
const (
	maxOwing       = 5000
	maxOwingOthers = 300
)

// owing finds the pairs of gate and commit of which something was refused that is
// owed, and all that came of them. Only a key of the body's own object is written as
// "owed":{, since quotes in texts are escaped. The plus makes it one way through the
// table, with each row looked up among the pairs.
const owing = `
select ` + resultColumns + ` from results r join bodies b on b.result = r.id
where r.partial = 0 and r.uid in (?1, ?2) and +r.started <= ?3 and r.outcome <> 'interrupted' and (+r.gate, r.head) in (
	select q.gate, q.head from results q join bodies c on c.result = q.id
	where q.outcome = 'refused' and q.partial = 0 and q.head <> '' and q.uid in (?1, ?2) and q.started <= ?3
		and instr(c.body, cast('"owed":{' as blob)) > 0
) order by r.started desc, r.id desc limit ?4`

// owingOthers is the same for what was refused of users who are not believed, with
// all results of those pairs, believed or not.
const owingOthers = `
select ` + resultColumns + ` from results r join bodies b on b.result = r.id
where r.partial = 0 and +r.started <= ?3 and r.outcome <> 'interrupted' and (+r.gate, r.head) in (
	select q.gate, q.head from results q join bodies c on c.result = q.id
	where q.outcome = 'refused' and q.partial = 0 and q.head <> '' and q.uid not in (?1, ?2) and q.started <= ?3
		and instr(c.body, cast('"owed":{' as blob)) > 0
) order by r.started desc, r.id desc limit ?4`

// Owing gives what debts are told from: the results of each gate and commit of which
// one was refused with something owed, the oldest first. None is partial, and what was
// interrupted is not among them. Of more than 5,000, the newest. Those that are not
// believed are among them, the newest 300 around them: see Believes.
func (s *Store) Owing(ctx context.Context) (list []Result, err error) {
	own, owner := s.whose()
	err = s.read(ctx, "read what is owed in", func(db *sql.DB) error {
		list, _, err = results(ctx, db, owing, own, owner, time.Now().Add(skew).UnixMicro(), maxOwing)
		if err != nil {
			return err
		}
		others, _, err := results(ctx, db, owingOthers, own, owner, time.Now().Add(skew).UnixMicro(), maxOwingOthers)
		if err != nil {
			return err
		}
		list = append(list, others...)
		waiting, err := s.pending(ctx, db)
		for _, r := range waiting {
			if !r.Partial && r.Commit != "" && r.Outcome != "interrupted" && !s.Ahead(r.Started) {
				list = append(list, r)
			}
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b Result) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.Run, b.Run))
	})
	list = slices.CompactFunc(list, func(a, b Result) bool { return a.Run == b.Run })
	if err != nil {
		return nil, fmt.Errorf("tell what is owed: %w", err)
	}
	return list, nil
}
