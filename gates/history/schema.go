package history

import (
	"context"
	"database/sql"
	"fmt"
)

// applicationID stands in the header of every database of ours: "gpuh".
const applicationID = 0x67707568

// migration brings a database from one form to the next, within a transaction.
type migration func(context.Context, *sql.Tx) error

// migrations lead from an empty database to the form of this gpuci, whose
// number (user_version) is how many there are. One that was released is never
// changed: the tests hold a database of every form.
func migrations() []migration {
	return []migration{script(form1), script(form2), script(form3)}
}

func script(text string) migration {
	return func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, text)
		return err
	}
}

// form1 has a row for each result, the JSON of it in a table of its own so that
// a course or a count reads small rows only. Everything but bodies and kills can
// be made again from them.
//
// Times are microseconds since 1970. The numbers of metrics have the type `any`:
// a column of type real loses the sign of a zero.
const form1 = `
create table results(
	id       integer primary key,
	run      text not null unique,
	revision integer not null,
	uid      integer not null,
	gate     text not null,
	lane     text not null,
	branch   text not null,
	head     text not null,
	outcome  text not null,
	partial  integer not null,
	clean    integer not null,
	marked   integer not null,
	started  integer not null
) strict;
create index results_started on results(started);
create index results_gate on results(gate, started, outcome, partial, lane);
create index results_newest on results(lane, gate, started desc) where partial = 0;
create table bodies(
	result integer primary key references results(id) on delete cascade,
	body   blob not null
) strict;
create table series(
	id      integer primary key,
	gate    text not null,
	metric  text not null,
	labels  text not null,
	unit    text not null,
	backend text not null,
	card    text not null,
	profile text not null,
	unique(gate, metric, labels, unit, backend, card, profile)
) strict;
create table metrics(
	series  integer not null references series(id),
	started integer not null,
	result  integer not null references results(id) on delete cascade,
	count   integer not null,
	low     any not null,
	high    any not null,
	last    any,
	first   integer not null,
	primary key(series, started, result)
) strict, without rowid;
create index metrics_result on metrics(result);
create table kills(
	id    integer primary key,
	boot  text not null,
	pid   integer not null,
	start integer not null,
	time  integer not null,
	lane  text not null,
	by    integer not null,
	body  blob not null,
	unique(pid, start, boot)
) strict;
create index kills_time on kills(time);
create table imports(
	file    text primary key,
	inode   integer not null,
	offset  integer not null,
	head    blob not null,
	garbled integer not null
) strict, without rowid;
`

// bring brings a database of form from to the last one. Form 0 is an empty file.
func bring(ctx context.Context, tx *sql.Tx, steps []migration, from int) error {
	for i, step := range steps[from:] {
		if err := step(ctx, tx); err != nil {
			return fmt.Errorf("bring the history from form %d to %d: %w", from+i, from+i+1, err)
		}
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf("pragma application_id = %d; pragma user_version = %d", applicationID, len(steps)))
	return err
}
