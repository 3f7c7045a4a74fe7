package history

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// filled is a stage with a database of some results, all in one file.
func filled(t *testing.T) (*stage, []byte) {
	st := newStage(t)
	s := st.open()
	for i := range 200 {
		r := result(fmt.Sprintf("old%03d", i))
		r.Findings = []Finding{{"green", strings.Repeat("x", 300)}}
		st.record(s, r)
	}
	st.close(s)
	return st, st.settled()
}

// A file that is torn, or somebody else's, is set aside as it was, and results
// are kept from then on.
func TestSetAside(t *testing.T) {
	foreign := func(id int) func(*stage, []byte) []byte {
		return func(st *stage, _ []byte) []byte {
			_ = os.Remove(st.path("history.db"))
			db := connect(st.path("history.db"), time.Second, false)
			if _, err := db.Exec(fmt.Sprintf("pragma application_id = %d; create table cookies(a); insert into cookies values(1)", id)); err != nil {
				st.t.Fatal(err)
			}
			_ = db.Close()
			return st.contents("history.db")
		}
	}
	_, whole := filled(t)
	for name, tear := range map[string]func(*stage, []byte) []byte{
		"cut":          func(_ *stage, b []byte) []byte { return b[:len(b)*2/3] },
		"cut in page":  func(_ *stage, b []byte) []byte { return b[:len(b)*2/3+1234] },
		"header only":  func(_ *stage, b []byte) []byte { return b[:100] },
		"text":         func(*stage, []byte) []byte { return []byte("not a database\n") },
		"long text":    func(*stage, []byte) []byte { return bytes.Repeat([]byte("not a database\n"), 5000) },
		"zeros":        func(_ *stage, b []byte) []byte { return make([]byte, len(b)) },
		"header lost":  func(_ *stage, b []byte) []byte { copy(b, make([]byte, 4096)); return b },
		"schema lost":  func(_ *stage, b []byte) []byte { copy(b[100:], bytes.Repeat([]byte{0xa5}, 3996)); return b },
		"foreign":      foreign(0),
		"foreign id":   foreign(4711),
		"schema of 0":  foreign(applicationID),
		"pages lost":   func(_ *stage, b []byte) []byte { copy(b[4096:], bytes.Repeat([]byte{0xa5}, len(b)-4096)); return b },
		"leaves lost":  func(_ *stage, b []byte) []byte { copy(b[len(b)/4:], bytes.Repeat([]byte{0xa5}, len(b)/2)); return b },
		"end lost":     func(_ *stage, b []byte) []byte { copy(b[len(b)*2/3:], bytes.Repeat([]byte{0xa5}, len(b))); return b },
		"pages zeroed": func(_ *stage, b []byte) []byte { copy(b[4096:], make([]byte, len(b)-4096)); return b },
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			st.write("history.db", whole)
			data := tear(st, bytes.Clone(whole))
			st.write("history.db", data)
			s := st.open()
			// Some are seen when they are opened, some when they are used.
			if err := s.Record(t.Context(), result("new")); err != nil {
				t.Fatal(err)
			}
			for _, err := range s.Results(t.Context(), Query{}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Find(t.Context(), "new"); err != nil {
				t.Error(err)
			}
			if aside := st.aside(); !bytes.Equal(st.contents(aside), data) {
				t.Error("it was changed")
			}
			st.mustNote("set aside as", "nothing of it was deleted")
			saved := len(st.runs(s, Query{})) - 1
			some := strings.HasPrefix(name, "cut") || name == "end lost" // there are rows and the way to them
			if some && saved == 0 || saved < 0 || (saved > 0) != st.noted("can be read", "taken over") {
				t.Errorf("%d of 200 results were saved", saved)
			}
			st.close(s)
			st.sound()
			if _, err := os.Lstat(st.path("journal/box-0.jsonl")); err == nil && !st.noted("not written to") {
				t.Error("a result went to a journal and nothing was said")
			}
		})
	}
}

// While somebody has a torn file open, it is not renamed under him: results wait
// in the journal.
func TestSetAsideLater(t *testing.T) {
	st, _ := filled(t)
	c := start(t, command(t, "hold", st.dir))
	c.line(t)
	f, err := os.OpenFile(st.path("history.db"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	s := st.open(func(o *Options) { o.Wait = 50 * time.Millisecond })
	st.record(s, result("waits"))
	for _, err := range s.Results(t.Context(), Query{}) {
		if err == nil || !strings.Contains(err.Error(), "another gpuci") {
			t.Error(err)
		}
	}
	st.close(s)
	st.mustNote("results go to", "journal/box-")
	_ = c.stdin.Close()
	if _, err := c.rest(); err != nil {
		t.Fatal(err)
	}
	s = st.open()
	if _, err := s.Find(t.Context(), "waits"); err != nil {
		t.Error(err)
	}
	st.mustNote("set aside as")
}

// What a newer gpuci made is neither read, written nor moved.
func TestNewer(t *testing.T) {
	st, _ := filled(t)
	db := connect(st.path("history.db"), time.Second, false)
	if _, err := db.Exec("pragma user_version = 99"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	before := st.contents("history.db")
	s := st.open()
	st.record(s, result("new"))
	if _, err := s.Latest(t.Context()); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "schema 99") {
		t.Error(err)
	}
	if err := s.Amend(t.Context(), "new", func(*Result) {}); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
	st.close(s)
	st.mustNote("newer gpuci", "upgrade gpuci", "box-")
	if !bytes.Equal(before, st.contents("history.db")) {
		t.Error("it was changed")
	}
	if data := st.contents(fmt.Sprintf("journal/box-%d.jsonl", os.Geteuid())); !bytes.Contains(data, []byte(`"run":"new"`)) {
		t.Errorf("%s", data)
	}
}

// What is no file is not opened, which could hang, nor moved.
func TestNoFile(t *testing.T) {
	for name, make := range map[string]func(string) error{
		"directory": func(p string) error { return os.Mkdir(p, 0o755) },
		"fifo":      func(p string) error { return unix.Mkfifo(p, 0o644) },
		"link":      func(p string) error { return os.Symlink("elsewhere", p) },
	} {
		for _, file := range []string{"history.db", "history.lock", "history.db-wal"} {
			t.Run(name+" "+file, func(t *testing.T) {
				st := newStage(t)
				if err := os.MkdirAll(st.dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := make(st.path(file)); err != nil {
					t.Fatal(err)
				}
				s := st.open()
				st.record(s, result("r"))
				st.close(s)
				if _, err := os.Lstat(st.path("elsewhere")); err == nil {
					t.Error("the link was followed")
				}
				if ids := st.runsOrJournal("r"); !ids {
					t.Errorf("it is lost; notes %q", st.notes)
				}
			})
		}
	}
}

// runsOrJournal says that a result is in the database, or in the journal with a
// note.
func (st *stage) runsOrJournal(id string) bool {
	data, err := os.ReadFile(st.path(fmt.Sprintf("journal/box-%d.jsonl", os.Geteuid())))
	if err == nil && bytes.Contains(data, []byte(`"run":"`+id+`"`)) {
		return st.noted("journal/box-")
	}
	s := st.open()
	defer st.close(s)
	_, err = s.Find(st.t.Context(), id)
	return err == nil
}

// A person removes the database, or everything, while it is open.
func TestRemoved(t *testing.T) {
	for name, remove := range map[string]func(*stage) error{
		"database": func(st *stage) error { return os.Remove(st.path("history.db")) },
		"state":    func(st *stage) error { return os.RemoveAll(st.dir) },
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			s := st.open()
			st.record(s, result("before"))
			for i := range 3 {
				if err := remove(st); err != nil {
					t.Fatal(err)
				}
				st.record(s, result(fmt.Sprint("after", i)))
				if ids := st.runs(s, Query{}); len(ids) != 1 {
					t.Errorf("%q", ids)
				}
			}
			if err := remove(st); err != nil {
				t.Fatal(err)
			}
			if ids := st.runs(s, Query{}); len(ids) != 0 {
				t.Errorf("%q", ids)
			}
			st.close(s)
			st.sound()
		})
	}
}

// Whatever stands in a path means nothing to SQLite.
func TestPaths(t *testing.T) {
	for _, name := range []string{"a b", "a?mode=ro", "a#b", "50%", "%41", "a\nb", "ü→", "a&b=c", "\xff\xfe", "file:x", "'\"", `\`} {
		st := newStage(t)
		st.dir = filepath.Join(t.TempDir(), name, "gpuci")
		s := st.open()
		st.record(s, result("r"))
		st.close(s)
		if info, err := os.Stat(st.path("history.db")); err != nil || info.Size() == 0 {
			t.Errorf("%q: %v", name, err)
		}
		s = st.open(func(o *Options) { o.ReadOnly = true })
		if ids := st.runs(s, Query{}); len(ids) != 1 || len(st.notes) > 0 {
			t.Errorf("%q: %q, %q", name, ids, st.notes)
		}
		st.close(s)
	}
}

// Who only reads makes nothing, and finds nothing where nothing is.
func TestReadOnly(t *testing.T) {
	st := newStage(t)
	s := st.open(func(o *Options) { o.ReadOnly = true })
	if ids := st.runs(s, Query{}); ids != nil {
		t.Errorf("%q", ids)
	}
	if err := s.Record(t.Context(), result("r")); !errors.Is(err, ErrReadOnly) {
		t.Error(err)
	}
	if err := s.Amend(t.Context(), "r", func(*Result) {}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if _, err := os.Lstat(st.dir); err == nil || len(st.notes) > 0 {
		t.Errorf("%v, %q", err, st.notes)
	}
}

// The context ends a wait.
func TestEnded(t *testing.T) {
	st := newStage(t)
	s := st.open()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Record(ctx, result("r")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Open(ctx, st.options()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	st.record(s, result("r"))
	st.close(s)
	if err := s.Record(t.Context(), result("r2")); err == nil {
		if !st.noted("it is closed") {
			t.Error("a closed store kept a result and said nothing")
		}
	}
}

// A database that others keep busy for too long is not waited for: the result is
// in the journal, and comes in when it is opened next.
func TestBusy(t *testing.T) {
	st := newStage(t)
	s := st.open(func(o *Options) { o.Wait = 30 * time.Millisecond })
	other := connect(st.path("history.db"), time.Second, false)
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), &sql.TxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	st.record(s, result("r"))
	if err := s.RecordKill(t.Context(), Kill{PID: 5, Time: time.Now()}); err != nil {
		t.Error(err)
	}
	if ids := st.runs(s, Query{}); len(ids) != 0 {
		t.Errorf("%q", ids)
	}
	st.mustNote("were writing to it", "journal/box-")
	st.close(s)
	s = st.open(func(o *Options) { o.Wait = 30 * time.Millisecond })
	st.mustNote("journals were not imported")
	st.close(s)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // once, however often it is read
		s = st.open()
		kills, err := s.Kills(t.Context(), Query{})
		if ids := st.runs(s, Query{}); len(ids) != 1 || len(kills) != 1 || err != nil {
			t.Errorf("%q, %v, %v", ids, kills, err)
		}
		st.close(s)
	}
}
