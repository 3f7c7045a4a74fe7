package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

const (
	// maxRuns bounds how many runs a new database is filled with, the newest.
	maxRuns = 10_000
	// maxVerdict bounds a verdict.json, in bytes.
	maxVerdict = 4 << 20
)

// fill takes the runs into a new database that wrote a verdict.json before there
// was one, or whose results stood in a database that was set aside. It is done
// once: later results are recorded. What swept them is read as a journal.
func (s *Store) fill(ctx context.Context, tx *sql.Tx) error {
	entries, err := os.ReadDir(filepath.Join(s.o.State, "runs")) // what was read before an error counts
	ids := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids) // an id begins with the time of its run
	if n := len(ids) - s.world.runs; n > 0 {
		ids = ids[n:]
		s.note("%s: of %d runs, the newest %d were taken into the history", s.o.State, len(ids)+n, len(ids))
	}
	taken, broken := 0, 0
	for _, id := range ids {
		e, uid, err := readRun(filepath.Join(s.o.State, "runs", id, "verdict.json"), id)
		if os.IsNotExist(err) || errors.Is(err, errTrial) { // it goes on, was killed, or is to stand in no list
			continue
		}
		if err != nil {
			broken++
			continue
		}
		fresh, err := s.insert(ctx, tx, e, uid)
		if err != nil {
			return fmt.Errorf("take in run %s: %w", id, err)
		}
		if fresh {
			taken++
		}
	}
	s.noteFilled(taken, broken, err)
	return nil
}

func (s *Store) noteFilled(taken, broken int, err error) {
	switch {
	case err != nil && !os.IsNotExist(err):
		s.note("%s: the runs before this one could not all be taken into the history: %v", s.o.State, err)
	case broken > 0:
		s.note("%s: the results of %s were taken into the history, %d cannot be read", s.o.State, countOf(taken, "earlier run", "earlier runs"), broken)
	case taken > 0:
		s.note("%s: the results of %s were taken into the history", s.o.State, countOf(taken, "earlier run", "earlier runs"))
	}
}

// readRun reads the verdict of a run, and whose file it is.
func readRun(path, id string) (e entry, uid int, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return e, 0, err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return e, 0, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > maxVerdict {
		return e, 0, fmt.Errorf("%s is no regular file of at most %d bytes", path, maxVerdict)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxVerdict+1))
	if err != nil {
		return e, 0, err
	}
	r, err := readVerdict(data)
	if err == nil && r.Run != id {
		err = fmt.Errorf("%s is of another run, %s", path, r.Run)
	}
	if err != nil {
		return e, 0, err
	}
	r.UID = int(st.Uid)
	e, err = newEntry(r)
	return e, int(st.Uid), err
}
