package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// kept is what stands beside the results, as it is stored: a falsification, or a decision.
// body is its line in a journal and its column in the database, from which it is read.
type kept[T any] struct {
	what T
	body []byte
}

// newKept makes one of its line, which has the type in it; sound says what is missing.
func newKept[T any](line any, sound func(T) error) (kept[T], error) {
	body, err := json.Marshal(line)
	if err != nil {
		return kept[T]{}, err
	}
	if len(body) > maxLine {
		return kept[T]{}, fmt.Errorf("it is over %d MiB", maxLine>>20)
	}
	return readKept(body, sound)
}

func readKept[T any](body []byte, sound func(T) error) (kept[T], error) {
	k := kept[T]{body: body}
	if err := json.Unmarshal(body, &k.what); err != nil {
		return k, err
	}
	return k, sound(k.what)
}

// keep writes one into the database, or into the journal in the way of Record.
func (s *Store) keep(ctx context.Context, body []byte, insert func(*sql.Tx) error) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.put(ctx, body, insert)
}

// listKept gives those of a table, the newest first; by gives each who recorded it.
func listKept[T any](ctx context.Context, s *Store, table string, c *clause, q Query, read func([]byte) (kept[T], error), by func(*T, int)) (list []T, err error) {
	for _, eq := range []struct{ column, value string }{{"gate", q.Gate}, {"lane", q.Lane}} {
		if eq.value != "" {
			c.and(eq.column+" = ?", text(eq.value))
		}
	}
	q.times(c, "started")
	err = s.read(ctx, "read "+table+" in", func(db *sql.DB) error {
		list = nil
		return eachBody(ctx, db, "select rowid, uid, body from "+table+" where 1"+c.String()+" order by started desc, rowid desc limit ?", append(c.args, q.limit()),
			func(id int64, uid int, body []byte) error {
				k, err := read(body)
				if err != nil {
					return fmt.Errorf("row %d of %s: %w", id, table, err)
				}
				by(&k.what, uid)
				list = append(list, k.what)
				return nil
			})
	})
	return list, err
}
