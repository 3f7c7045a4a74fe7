package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Falsification is what came of planting the faults of a gate: whether it can be
// red at all. It is none of the gate's own outcomes, and stands in no list of them.
type Falsification struct {
	Run     string    `json:"run"` // the trial without a fault, whose directory has what the gate read
	Gate    string    `json:"gate"`
	Lane    string    `json:"lane"`
	Root    string    `json:"root,omitempty"` // of the lane, the directory of gpuci.toml
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	UID     int       `json:"uid"`     // of who recorded it; set by the store
	Partial bool      `json:"partial"` // not all of the gate's faults were asked for

	Commit   string            `json:"commit,omitempty"`
	Branch   string            `json:"branch,omitempty"`
	Changes  string            `json:"changes,omitempty"` // hash of what was not committed
	Tree     string            `json:"tree,omitempty"`    // id of all that was in the lane
	Settings string            `json:"settings"`          // hash of the gate's settings, without its faults
	Faults   string            `json:"faults"`            // hash of how its faults are declared
	Files    map[string]string `json:"files,omitempty"`   // SHA-256 of the faults' own files, by their paths from Root
	Reads    string            `json:"reads,omitempty"`   // hash of what the gate read, where that is known

	Host  string `json:"host,omitempty"`
	Gpuci string `json:"gpuci,omitempty"`

	Caught  int        `json:"caught"`
	Of      int        `json:"of"`
	Results []Planting `json:"results"`
}

// Planting is what came of one fault.
type Planting struct {
	Fault   string  `json:"fault"`
	Outcome string  `json:"outcome"`
	Gate    string  `json:"gate-outcome,omitempty"` // of the trial
	Run     string  `json:"run,omitempty"`          // the trial
	Why     string  `json:"why,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Moves   []Move  `json:"metrics,omitempty"`
}

// Move is where a metric went with a fault planted.
type Move struct {
	Metric    string   `json:"metric"`              // and labels, where only these were looked at
	Value     *float64 `json:"value,omitempty"`     // with the fault; nil where it was not read
	Unfaulted *float64 `json:"unfaulted,omitempty"` // without
	Factor    *float64 `json:"factor,omitempty"`    // of its bar; nil where it has none, or Beyond
	Beyond    bool     `json:"beyond,omitempty"`    // of a bar of 0: no factor is enough
	Must      string   `json:"must,omitempty"`      // "move" or "stay", where the fault says so
	Moved     bool     `json:"moved"`               // as far as that asks
}

type typedFalsification struct {
	Type string `json:"type"`
	*Falsification
}

func newFalsified(f Falsification) (kept[Falsification], error) {
	return newKept(typedFalsification{"falsification", &f}, Falsification.sound)
}

func readFalsified(body []byte) (kept[Falsification], error) {
	return readKept(body, Falsification.sound)
}

func (f Falsification) sound() error {
	if f.Run == "" || f.Gate == "" || f.Started.IsZero() {
		return errors.New("it has no run, no gate or no time")
	}
	return nil
}

// form2 has what came of planting faults.
const form2 = `
create table falsifications(
	id      integer primary key,
	run     text not null unique,
	uid     integer not null,
	gate    text not null,
	lane    text not null,
	partial integer not null,
	started integer not null,
	body    blob not null
) strict;
create index falsifications_gate on falsifications(gate, started);
`

// RecordFalsification keeps one, in the way of Record.
func (s *Store) RecordFalsification(ctx context.Context, f Falsification) error {
	f.UID = s.uid
	e, err := newFalsified(f)
	if err != nil {
		return fmt.Errorf("record falsification of gate %s: %w", f.Gate, err)
	}
	err = s.keep(ctx, e.body, func(tx *sql.Tx) error { return s.insertFalsified(ctx, tx, e, s.uid) })
	if err != nil {
		return fmt.Errorf("record falsification of gate %s: %w", f.Gate, err)
	}
	return nil
}

// insertFalsified writes what uid recorded, if it is not there.
func (s *Store) insertFalsified(ctx context.Context, tx *sql.Tx, e kept[Falsification], uid int) error {
	f := e.what
	_, err := tx.ExecContext(ctx, `insert or ignore into falsifications(run, uid, gate, lane, partial, started, body) values(?, ?, ?, ?, ?, ?, ?)`,
		f.Run, uid, f.Gate, f.Lane, f.Partial, f.Started.UnixMicro(), e.body)
	return err
}

// Falsifications gives those asked for, the newest first. Of the query, the gate,
// the lane, the times, the limit and whether partial ones are wanted count. What
// waits in a journal for the owner of the database is not among them.
func (s *Store) Falsifications(ctx context.Context, q Query) ([]Falsification, error) {
	c := &clause{}
	if !q.Partial {
		c.and("partial = 0")
	}
	return listKept(ctx, s, "falsifications", c, q, readFalsified, func(f *Falsification, uid int) { f.UID = uid })
}
