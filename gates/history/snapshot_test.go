package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// placed is a history that was made of a snapshot, in a directory of its own.
func (st *stage) placed(s *Store) *Store {
	st.t.Helper()
	dir := filepath.Join(st.t.TempDir(), "it's a \"node\"?#%41")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		st.t.Fatal(err)
	}
	file := filepath.Join(dir, "snapshot")
	if err := s.Snapshot(st.t.Context(), file); err != nil {
		st.t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	if err := PlaceSnapshot(file, state); err != nil {
		st.t.Fatal(err)
	}
	there := st.open(func(o *Options) { o.State = state })
	st.t.Cleanup(func() { st.close(there) })
	return there
}

// A snapshot answers as the history it was taken of, and can be written to.
func TestSnapshot(t *testing.T) {
	st := newStage(t)
	s := st.open()
	st.record(s, result("r1"), result("r2"))
	there := st.placed(s)
	for _, run := range []string{"r1", "r2"} {
		want, err := s.Find(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := there.Find(t.Context(), run); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	st.record(there, result("r3"))
	if _, err := s.Find(t.Context(), "r3"); !errors.Is(err, ErrUnknown) {
		t.Errorf("what was recorded there is here: %v", err)
	}
	st.close(s)
	if len(st.notes) > 0 {
		t.Errorf("%q", st.notes)
	}
}

// What waits in our journal, since the database cannot be written to, comes along.
func TestSnapshotOfWhatWaits(t *testing.T) {
	st := newStage(t)
	s := st.open()
	defer st.close(s)
	st.record(s, result("r1"))
	s.unwritten = errors.New("it is somebody else's")
	st.record(s, result("waits"))
	there := st.placed(s)
	if got := st.runs(there, Query{}); !cmp.Equal(got, []string{"waits", "r1"}) && !cmp.Equal(got, []string{"r1", "waits"}) {
		t.Errorf("it has %q", got)
	}
	courses, err := there.Course(t.Context(), Query{Gate: "adjoint"}, "", 0)
	if err != nil || len(courses) == 0 || len(courses[0].Points) != 2 {
		t.Errorf("its courses are %+v, %v", courses, err)
	}
}

// What the owner of the directory recorded is believed there as it is here.
func TestSnapshotOfAnothersHistory(t *testing.T) {
	st := newStage(t)
	s := st.open()
	defer st.close(s)
	st.record(s, result("r1"))
	s.uid++ // another user now
	file := filepath.Join(t.TempDir(), "snapshot")
	if err := s.Snapshot(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	db := connect(file, s.o.Wait, true)
	defer db.Close()
	var uid int
	if err := db.QueryRow("select uid from results where run = 'r1'").Scan(&uid); err != nil || uid != s.uid {
		t.Errorf("r1 is of uid %d, %v; want %d", uid, err, s.uid)
	}
}

func TestSnapshotOfNone(t *testing.T) {
	st := newStage(t)
	s := st.open(func(o *Options) { o.ReadOnly = true })
	defer st.close(s)
	file := filepath.Join(t.TempDir(), "snapshot")
	if err := s.Snapshot(t.Context(), file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a snapshot of nothing: %v", err)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it left a file: %v", err)
	}
}
