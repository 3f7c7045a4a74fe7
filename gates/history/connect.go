package history

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// connect is one connection to a database, made when it is first used. Two
// connections of a process do each other no harm: SQLite knows both.
func connect(path string, wait time.Duration, readOnly bool) *sql.DB {
	q := url.Values{"_txlock": {"immediate"}, "_busy_timeout": {fmt.Sprint(wait.Milliseconds())}}
	if readOnly {
		q.Set("mode", "ro")
	} else {
		q["_pragma"] = []string{"synchronous(normal)", "foreign_keys(on)", "wal_autocheckpoint(0)"} // see fold
	}
	db, _ := sql.Open("sqlite", uri(path)+"?"+q.Encode()) // fails only for an unknown driver
	db.SetMaxOpenConns(1)
	return db
}

// uri writes an absolute path as SQLite reads it: any byte but these may mean
// something in a URI, '?', '#' and '%' for certain.
func uri(path string) string {
	var b strings.Builder
	b.WriteString("file://")
	for _, c := range []byte(path) {
		if c == '/' || c == '-' || c == '.' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// file is which file a name leads to; the zero one is none.
type file struct {
	device, inode uint64
}

// still says that a name leads to this file. It is not opened for that: see the
// package's doc.
func (f file) still(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil && f == file{uint64(st.Dev), st.Ino}
}

// regular says which file a path leads to, and its size; an error where that is
// no database's. The zero file is not there.
func regular(path string) (file, int64, error) {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	switch {
	case err == unix.ENOENT:
		return file{}, 0, nil
	case err != nil:
		return file{}, 0, err
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return file{}, 0, fmt.Errorf("it is no regular file, and is not touched: move it away")
	}
	return file{uint64(st.Dev), st.Ino}, st.Size, nil
}

// mayWrite makes the directory of the database, and says what keeps us from
// writing there. SQLite needs to write beside the file as well.
func (s *Store) mayWrite() error {
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("make its directory: %w", err)
	}
	err := unix.Access(s.dir, unix.R_OK|unix.W_OK|unix.X_OK)
	if err == nil {
		err = unix.Access(s.path(""), unix.R_OK|unix.W_OK)
	}
	if err != nil && err != unix.ENOENT {
		return fmt.Errorf("uid %d may not write to it: %w", s.uid, err)
	}
	return nil
}
