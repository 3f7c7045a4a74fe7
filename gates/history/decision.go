package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Decision is what was decided by a comparison of two arms of a gate, with what it was
// decided by. It is none of the gate's own outcomes.
type Decision struct {
	ID      string    `json:"id"` // of the comparison
	Gate    string    `json:"gate"`
	Lane    string    `json:"lane"` // in which it was asked for
	At      time.Time `json:"at"`   // when it was banked
	Taken   time.Time `json:"taken"`
	UID     int       `json:"uid"` // of who recorded it; set by the store
	Who     string    `json:"who"`
	Why     string    `json:"why,omitempty"`
	Again   string    `json:"again,omitempty"` // the decision that this one takes the place of
	Verdict string    `json:"verdict"`

	Base DecidedArm `json:"base"`
	Arm  DecidedArm `json:"arm"`

	Metric  string   `json:"metric"` // that led
	Unit    string   `json:"unit,omitempty"`
	Control float64  `json:"control"` // median of the base
	Change  float64  `json:"change"`  // of the arm to it, as a share
	Low     float64  `json:"low"`
	High    float64  `json:"high"`
	Floor   float64  `json:"floor"`
	Samples int      `json:"samples"` // of each arm
	Flags   []string `json:"flags,omitempty"`

	Settings string   `json:"settings"`          // hash of the gate's settings
	Reads    []string `json:"reads,omitempty"`   // what the build read, from the lane's root, where that is known
	Rules    string   `json:"rules"`             // of banking that it met, as TOML
	Profile  string   `json:"profile,omitempty"` // of the gate
	Card     string   `json:"card,omitempty"`
	Driver   string   `json:"driver,omitempty"`
	Host     string   `json:"host,omitempty"`
	Gpuci    string   `json:"gpuci,omitempty"`

	Evidence json.RawMessage `json:"evidence,omitempty"` // the whole answer
}

// DecidedArm is one of the two.
type DecidedArm struct {
	Name   string          `json:"name"`
	Spec   string          `json:"spec"`
	Commit string          `json:"commit"`
	Tree   string          `json:"tree,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"` // as the comparison has it
}

// ErrDecided says that a decision is there already.
var ErrDecided = errors.New("it is banked already")

type typedDecision struct {
	Type string `json:"type"`
	*Decision
}

func newDecided(d Decision) (kept[Decision], error) {
	return newKept(typedDecision{"decision", &d}, Decision.sound)
}

func readDecided(body []byte) (kept[Decision], error) { return readKept(body, Decision.sound) }

func (d Decision) sound() error {
	if d.ID == "" || d.Gate == "" || d.At.IsZero() {
		return errors.New("it has no id, no gate or no time")
	}
	if strings.ContainsFunc(d.ID, unicode.IsSpace) { // such a key is one that insertDecided makes
		return fmt.Errorf("%q is the id of no comparison", d.ID)
	}
	return nil
}

// form3 has what was decided by comparisons. They are few, so that no index is worth its
// place: the text of the schema fits the first page of the file still, which is there
// however short the file was cut.
const form3 = `
create table decisions(
	run text primary key,
	uid integer, gate text, lane text, started integer, body blob
) strict;
`

// RecordDecision keeps one, in the way of Record. The error wraps ErrDecided where one
// of this comparison is there.
func (s *Store) RecordDecision(ctx context.Context, d Decision) error {
	d.UID = s.uid
	e, err := newDecided(d)
	if err != nil {
		return fmt.Errorf("record decision %s: %w", d.ID, err)
	}
	fresh := true
	err = s.keep(ctx, e.body, func(tx *sql.Tx) (err error) {
		fresh, err = s.insertDecided(ctx, tx, e, s.uid)
		return err
	})
	if err == nil && !fresh {
		err = ErrDecided
	}
	if err != nil {
		return fmt.Errorf("record decision %s: %w", d.ID, err)
	}
	return nil
}

// insertDecided writes what uid recorded, if it is not there. An id is no user's alone:
// whoever sees that a comparison runs can write it into a journal of his own, and what he
// says of it stands beside the answer, and not in its place.
func (s *Store) insertDecided(ctx context.Context, tx *sql.Tx, e kept[Decision], uid int) (fresh bool, err error) {
	d, key, others := e.what, e.what.ID, 0
	if err := tx.QueryRowContext(ctx, "select count(*) from decisions where run = ? and uid <> ?", d.ID, uid).Scan(&others); err != nil {
		return false, err
	}
	if others > 0 {
		key = fmt.Sprintf("%s of uid %d", d.ID, uid)
	}
	r, err := tx.ExecContext(ctx, `insert or ignore into decisions(run, uid, gate, lane, started, body) values(?, ?, ?, ?, ?, ?)`,
		key, uid, d.Gate, d.Lane, d.At.UnixMicro(), e.body)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// Decisions gives those asked for, the newest first. Of the query, the gate, the lane,
// the times and the limit count. What waits in a journal for the owner of the database
// is not among them.
func (s *Store) Decisions(ctx context.Context, q Query) ([]Decision, error) {
	return listKept(ctx, s, "decisions", &clause{}, q, readDecided, func(d *Decision, uid int) { d.UID = uid })
}
