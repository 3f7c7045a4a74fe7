package history

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// stage is a state directory and what was noted about it.
type stage struct {
	t     *testing.T
	dir   string
	notes []string
	world world
}

func newStage(t *testing.T) *stage {
	return &stage{t: t, dir: filepath.Join(t.TempDir(), "gpuci"), world: world{migrations(), network, maxRuns}}
}

func (st *stage) options() Options {
	return Options{State: st.dir, Host: "box", Wait: time.Minute, Note: func(text string) { st.notes = append(st.notes, text) }}
}

// open opens the history; the test closes it, or its end does.
func (st *stage) open(change ...func(*Options)) *Store {
	st.t.Helper()
	o := st.options()
	for _, c := range change {
		c(&o)
	}
	s, err := open(st.t.Context(), o, st.world)
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(func() { _ = s.Close() })
	return s
}

func (st *stage) record(s *Store, list ...Result) {
	st.t.Helper()
	for _, r := range list {
		if err := s.Record(st.t.Context(), r); err != nil {
			st.t.Fatal(err)
		}
	}
}

func (st *stage) close(s *Store) {
	st.t.Helper()
	if err := s.Close(); err != nil {
		st.t.Fatal(err)
	}
}

// runs are the ids that a query gives.
func (st *stage) runs(s *Store, q Query) (ids []string) {
	st.t.Helper()
	for r, err := range s.Results(st.t.Context(), q) {
		if err != nil {
			st.t.Fatal(err)
		}
		ids = append(ids, r.Run)
	}
	return ids
}

// noted says whether all these words are in one note.
func (st *stage) noted(words ...string) bool {
	for _, note := range st.notes {
		all := true
		for _, w := range words {
			all = all && strings.Contains(note, w)
		}
		if all {
			return true
		}
	}
	return false
}

func (st *stage) mustNote(words ...string) {
	st.t.Helper()
	if !st.noted(words...) {
		st.t.Errorf("no note with %q among %q", words, st.notes)
	}
}

func (st *stage) path(name string) string { return filepath.Join(st.dir, name) }

// write puts a file into the state directory.
func (st *stage) write(name string, data []byte) {
	st.t.Helper()
	if err := os.MkdirAll(filepath.Dir(st.path(name)), 0o755); err != nil {
		st.t.Fatal(err)
	}
	if err := os.WriteFile(st.path(name), data, 0o644); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) contents(name string) []byte {
	st.t.Helper()
	data, err := os.ReadFile(st.path(name))
	if err != nil {
		st.t.Fatal(err)
	}
	return data
}

// aside is the database that was set aside, of which there must be one.
func (st *stage) aside() string {
	st.t.Helper()
	list, err := filepath.Glob(st.path("history.db.set-aside-*Z-????????"))
	if err != nil || len(list) != 1 {
		st.t.Fatalf("set aside: %q, %v", list, err)
	}
	return filepath.Base(list[0])
}

// sound checks the whole file, and that nobody has the lock.
func (st *stage) sound() {
	st.t.Helper()
	s := st.open()
	var said string
	if err := s.read(st.t.Context(), "check", func(db *sql.DB) error { return db.QueryRow("pragma integrity_check").Scan(&said) }); err != nil || said != "ok" {
		st.t.Errorf("integrity_check: %q, %v", said, err)
	}
	st.close(s)
	lock := flock.New(st.path("history.lock"))
	defer lock.Close()
	if ok, err := lock.TryLock(); err != nil || !ok {
		st.t.Errorf("the lock is still held: %v", err)
	}
}

// settled is the database with all in one file: a person's sqlite3 left it last.
func (st *stage) settled() []byte {
	st.t.Helper()
	db := connect(st.path("history.db"), time.Minute, false)
	if _, err := db.Exec("pragma wal_checkpoint(truncate)"); err != nil {
		st.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		st.t.Fatal(err)
	}
	return bytes.Clone(st.contents("history.db"))
}
