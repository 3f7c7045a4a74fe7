package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gpuci/gates"
	"gpuci/gates/history"
	"gpuci/gates/inputs"
)

// What nodes know of the past: a snapshot of the history as it was when the night's first
// task was handed over, and a journal of what came since.
const (
	pastName  = "past.db"
	sinceName = "since.jsonl"
	readsName = "reads" // directory of a task: what falsifications of its gate have read
)

// putPast takes the night's snapshot of the history, unless it is there. A history that is
// empty gives none.
func (s *Spool) putPast(ctx context.Context) (there bool, err error) {
	to := filepath.Join(s.night, pastName)
	if _, err := os.Lstat(to); err == nil {
		return true, nil
	}
	if s.o.Past == nil {
		return false, nil
	}
	store, err := s.o.Past.Store()
	if err != nil {
		return false, err
	}
	defer store.Rest()
	tmp, err := os.MkdirTemp("", "gpuci-past-") // SQLite writes on a disk of this machine
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(tmp)
	from, part := filepath.Join(tmp, pastName), filepath.Join(s.night, partName())
	err = store.Snapshot(ctx, from)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = copyFile(from, part, 0o600)
	}
	if err == nil {
		err = syncTree(part)
	}
	if err == nil {
		err = os.Rename(part, to)
	}
	if err != nil {
		_ = os.Remove(part)
		return false, err
	}
	return true, gates.SyncDir(s.night)
}

// came adds a result to the journal of what came since.
func (s *Spool) came(verdict string) error {
	data, err := os.ReadFile(verdict)
	if err != nil {
		return err
	}
	line, err := history.Line(data)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.night, sinceName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(append([]byte{'\n'}, line...), '\n')) // a torn line before it ends there
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// putReads copies what the last falsifications of a gate have read, by which a node tells
// whether they hold still.
func (s *Spool) putReads(ctx context.Context, gate, dir string) error {
	for _, run := range gates.FalsifiedRuns(ctx, s.o.Past, gate) {
		from := filepath.Join(s.o.State, "runs", run, inputs.FileName)
		if _, err := os.Stat(from); err != nil {
			continue // it was not written down
		}
		to := filepath.Join(dir, readsName, run)
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		if err := copyFile(from, filepath.Join(to, inputs.FileName), 0o600); err != nil {
			return err
		}
	}
	return nil
}
