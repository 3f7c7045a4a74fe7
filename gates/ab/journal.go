package ab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"gpuci/gates"
)

// Journal is the file of one comparison: a JSON line for all that was settled and for
// each sample, synced before the next one begins. Who holds its lock works on it.
//
// A line that a killed gpuci left unfinished is no line: the next writer ends it.
type Journal struct {
	ID   string
	Log  Log
	file *os.File
	lock *flock.Flock
}

// maxJournal bounds what is read of a journal, in bytes: some 100,000 samples.
const maxJournal = 64 << 20

// idForm is that of a comparison's id: as that of a run.
var idForm = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$`)

// ErrHeld says that another gpuci works on a comparison.
var ErrHeld = errors.New("another gpuci works on it")

// ErrNoJournal says that there is no such comparison.
var ErrNoJournal = errors.New("there is no such comparison")

// journals is the directory of the journals below that of the runs.
func journals(state string) string { return filepath.Join(state, "ab") }

func journalPath(state, id string) string { return filepath.Join(journals(state), id+".jsonl") }

// newJournal makes the journal of a comparison that begins.
func newJournal(state string, s Session) (*Journal, error) {
	if err := os.MkdirAll(journals(state), 0o755); err != nil {
		return nil, fmt.Errorf("make directory of comparisons: %w", err)
	}
	f, err := os.OpenFile(journalPath(state, s.ID), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make journal: %w", err)
	}
	j := &Journal{ID: s.ID, file: f}
	if err = j.hold(); err == nil {
		err = j.add(line{Session: &s})
	}
	if err == nil { // its name is to last as long as what is in it
		err = gates.SyncDir(journals(state))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // nothing could be gone on with
		j.Close()
		return nil, err
	}
	return j, nil
}

// openJournal opens one to go on with it. The error wraps ErrHeld where somebody else
// does, and ErrNoJournal where there is none.
func openJournal(state, id string) (*Journal, error) {
	if !idForm.MatchString(id) {
		return nil, fmt.Errorf("%w: %q", ErrNoJournal, id)
	}
	f, err := os.OpenFile(journalPath(state, id), os.O_RDWR|os.O_APPEND|unix.O_NOFOLLOW, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoJournal, id)
	}
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	j := &Journal{ID: id, file: f}
	if err = j.hold(); err == nil {
		err = j.mend()
	}
	if err == nil {
		j.Log, err = readLog(f)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// hold takes the lock. The file stays open with it, and our children do not get it.
func (j *Journal) hold() error {
	j.lock = flock.New(j.file.Name(), flock.SetFlag(os.O_RDWR|unix.O_NOFOLLOW))
	ok, err := j.lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock journal: %w", err)
	}
	if !ok {
		return fmt.Errorf("comparison %s: %w", j.ID, ErrHeld)
	}
	return nil
}

// mend cuts off a last line without an end.
func (j *Journal) mend() error {
	info, err := j.file.Stat()
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	data := make([]byte, min(info.Size(), maxJournal))
	if _, err := j.file.ReadAt(data, info.Size()-int64(len(data))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read journal: %w", err)
	}
	if whole := bytes.LastIndexByte(data, '\n') + 1; whole < len(data) {
		if err := j.file.Truncate(info.Size() - int64(len(data)-whole)); err != nil {
			return fmt.Errorf("mend journal: %w", err)
		}
	}
	return nil
}

// add writes a line and has it on the disk when it returns. Of a disk that is full it
// leaves no part of a line, behind which the next one would be lost.
func (j *Journal) add(l line) error {
	data, err := json.Marshal(l)
	info, statErr := j.file.Stat()
	switch {
	case err != nil || statErr != nil:
		err = errors.Join(err, statErr)
	case info.Size()+int64(len(data)) >= maxJournal:
		err = fmt.Errorf("%s would be over %d MiB", j.file.Name(), maxJournal>>20)
	default:
		err = j.write(append(data, '\n'), info.Size())
	}
	if err != nil {
		return fmt.Errorf("write down what came of it: %w", err)
	}
	j.Log.take(l)
	return nil
}

// write appends to a file that has so many bytes.
func (j *Journal) write(data []byte, size int64) error {
	_, err := j.file.Write(data)
	if err != nil {
		return errors.Join(err, j.file.Truncate(size))
	}
	return j.file.Sync()
}

// Close lets go of it.
func (j *Journal) Close() {
	if j == nil {
		return
	}
	_ = j.file.Close()
	if j.lock != nil {
		_ = j.lock.Close()
	}
}

// Held says whether another gpuci works on a comparison.
func Held(state, id string) bool {
	lock := flock.New(journalPath(state, id), flock.SetFlag(os.O_RDONLY|unix.O_NOFOLLOW))
	defer lock.Close()
	ok, err := lock.TryRLock()
	return err == nil && !ok
}

// ReadLog reads what came of a comparison so far, whoever works on it: also of one that a
// gate's run made, which is kept with that run.
func ReadLog(state, id string) (Log, error) {
	if !idForm.MatchString(id) {
		return Log{}, fmt.Errorf("%w: %q", ErrNoJournal, id)
	}
	f, err := os.OpenFile(journalPath(state, id), os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if held, _ := filepath.Glob(journalPath(filepath.Join(state, "runs", "*"), id)); errors.Is(err, os.ErrNotExist) && len(held) > 0 { // of a gate's bar
		f, err = os.OpenFile(held[0], os.O_RDONLY|unix.O_NOFOLLOW, 0)
	}
	if errors.Is(err, os.ErrNotExist) {
		return Log{}, fmt.Errorf("%w: %s", ErrNoJournal, id)
	}
	if err != nil {
		return Log{}, fmt.Errorf("open journal: %w", err)
	}
	defer f.Close()
	return readLog(f)
}

// Logs are all comparisons, the newest first. One that cannot be read is left out.
func Logs(state string) (list []Log, err error) {
	entries, err := os.ReadDir(journals(state))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list comparisons: %w", err)
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if log, err := ReadLog(state, id); err == nil {
			list = append(list, log)
		}
	}
	slices.SortStableFunc(list, func(a, b Log) int { return b.Started.Compare(a.Started) }) // ids tell seconds apart, and no less
	return list, nil
}
