package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// state is what stands in the database's place.
type state int

const (
	absent   state = iota // nothing, or an empty file
	older                 // ours, of an earlier form
	fit                   // ours, of this form
	ruined                // torn, or somebody else's
	unusable              // not to be touched, or not to be read: why says it
)

// sight is what was seen there.
type sight struct {
	state  state
	why    error // of ruined and unusable
	form   int   // of older
	file   file
	reader *sql.DB // of fit
}

// ruin is a file that turned out to be torn while it was used.
type ruin struct {
	file
	err error
}

// look says what stands in the database's place, through a connection that
// cannot write to it.
func (s *Store) look(ctx context.Context, bad ruin) sight {
	f, size, err := regular(s.path(""))
	switch {
	case err != nil:
		return sight{state: unusable, why: err}
	case size == 0:
		return sight{state: absent}
	case bad.err != nil && f == bad.file:
		return sight{state: ruined, why: bad.err, file: f}
	}
	db := connect(s.path(""), s.o.Wait, true)
	see := s.judge(ctx, db)
	see.file = f
	if see.state == fit && f.still(s.path("")) {
		see.reader = db
		return see
	}
	_ = db.Close()
	if see.state == fit { // it was exchanged while it was opened
		return s.look(ctx, bad)
	}
	return see
}

// judge tells a database by its header and by whether it has anything in it.
func (s *Store) judge(ctx context.Context, db *sql.DB) sight {
	var id, form, tables int
	err := db.QueryRowContext(ctx, `select application_id, user_version, (select count(*) from sqlite_schema)
		from pragma_application_id, pragma_user_version`).Scan(&id, &form, &tables)
	switch {
	case torn(err):
		return sight{state: ruined, why: fmt.Errorf("it is torn, or no database: %w", err)}
	case err != nil:
		return sight{state: unusable, why: err}
	case id == 0 && form == 0 && tables == 0:
		return sight{state: absent}
	case id != applicationID:
		return sight{state: ruined, why: errors.New("it is a database of something else")}
	case form > len(s.world.steps):
		return sight{state: unusable, why: fmt.Errorf("%w (schema %d, this one knows %d): upgrade gpuci", ErrNewer, form, len(s.world.steps))}
	case form < 1:
		return sight{state: ruined, why: fmt.Errorf("its schema has the number %d", form)}
	case form < len(s.world.steps):
		return sight{state: older, form: form}
	}
	return sight{state: fit}
}
