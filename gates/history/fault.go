package history

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrNewer says that a newer gpuci made the database: it is neither read nor
// written.
var ErrNewer = errors.New("the history was made by a newer gpuci")

// ErrReadOnly is what writing to a Store that was opened to be read gives.
var ErrReadOnly = errors.New("the history was opened to be read only")

// code is SQLite's primary result code, 0 for an error of somebody else.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// whole is SQLite's extended result code.
func whole(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// torn says that what SQLite read cannot be a database, or not a whole one. The
// file has to be set aside then. A full disk, a lock or an IO error says nothing
// about the file.
func torn(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}

// plain says in words what SQLite's codes mean here.
func plain(err error) error {
	c := code(err)
	words := map[int]string{
		sqlite3.SQLITE_BUSY:     "other gpuci were writing to it all the time that may be waited",
		sqlite3.SQLITE_FULL:     "the disk is full",
		sqlite3.SQLITE_READONLY: "it cannot be written to",
		sqlite3.SQLITE_CANTOPEN: "it, or its log beside it, cannot be opened",
		sqlite3.SQLITE_CORRUPT:  "it is torn",
		sqlite3.SQLITE_NOTADB:   "it is no database",
		sqlite3.SQLITE_PROTOCOL: "other gpuci keep its locks for themselves",
		sqlite3.SQLITE_NOMEM:    "there is no memory left",
	}[c]
	switch {
	case c == sqlite3.SQLITE_IOERR:
		words = "its disk gave an error, or it was removed while it was read (SQLite's code " + fmt.Sprint(whole(err)) + ")"
	case words == "" && c != 0:
		words = fmt.Sprintf("SQLite gave it up with code %d", whole(err))
	case words == "":
		return err
	}
	return &fault{words, err}
}

// fault is an error with better words.
type fault struct {
	words string
	err   error
}

func (f *fault) Error() string { return f.words }
func (f *fault) Unwrap() error { return f.err }
