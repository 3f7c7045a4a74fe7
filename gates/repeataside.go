package gates

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// asideName is the file of a run's record in which stands what it moved away: a later
// gpuci finds it there if this one is killed.
const asideName = "aside.json"

// asideJournal is what was moved away, written down before it is.
type asideJournal struct {
	path  string
	Dir   string      `json:"dir"`   // from which it was moved
	Moved [][2]string `json:"moved"` // from, to; the oldest first
}

func (j *asideJournal) add(moves [][2]string) error {
	if len(moves) == 0 {
		return nil
	}
	j.Moved = append(j.Moved, moves...)
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return WriteWhole(j.path, data, 0o644)
}

// back gives back what is not there any more, the latest of each, and says what. The
// error is of the first one that could not be.
func (j *asideJournal) back() (given []string, err error) {
	for n := len(j.Moved) - 1; n >= 0; n-- {
		from, to := j.Moved[n][0], j.Moved[n][1]
		if _, e := os.Lstat(from); e == nil {
			continue
		}
		switch e := move(to, from); {
		case e == nil:
			given = append(given, from)
		case !errors.Is(e, fs.ErrNotExist) && err == nil: // else it had not been moved yet
			err = e
		}
	}
	return given, err
}

// moved says whether a file of this name was moved away.
func (j *asideJournal) moved(path string) bool {
	for _, m := range j.Moved {
		if m[0] == path {
			return true
		}
	}
	return false
}

func (j *asideJournal) close() { _ = os.Remove(j.path) }

// giveBack puts back what a killed run had moved away, and says so. It says false where
// something of it could not be: the next gpuci tries again.
func (f *flow) giveBack(s startedRecord) bool {
	j := asideJournal{path: filepath.Join(f.opt.State, "runs", s.Run, asideName)}
	data, err := os.ReadFile(j.path)
	if err != nil {
		return true // as a rule there is none
	}
	if err := json.Unmarshal(data, &j); err != nil {
		f.opt.note("%s does not say what run %s of gate %s had moved away: %v", j.path, s.Run, s.Gate, err)
		return true
	}
	if !exists(j.Dir) { // the lane is gone
		j.close()
		return true
	}
	given, err := j.back()
	if len(given) > 0 {
		f.opt.note("put back what run %s of gate %s had moved aside when gpuci was killed: %s", s.Run, s.Gate, strings.Join(given, ", "))
	}
	if err != nil {
		f.opt.note("put back what run %s of gate %s had moved aside when gpuci was killed: %v", s.Run, s.Gate, err)
		return false
	}
	j.close()
	return true
}

// reportsLeft is the file in which stands which reports the repeats of a gate left in
// a lane, by their marks; without a path it is empty.
type reportsLeft struct{ path string }

func (r reportsLeft) read() map[string]string {
	left := make(map[string]string)
	data, err := os.ReadFile(r.path)
	if err != nil || json.Unmarshal(data, &left) != nil {
		return nil // then none is taken for the gate's
	}
	return left
}

// write is of no consequence where it fails: then none is taken for the gate's.
func (r reportsLeft) write(left map[string]string) {
	if r.path == "" {
		return
	}
	data, err := json.Marshal(left)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.path), 0o755)
	}
	if err == nil {
		err = WriteWhole(r.path, data, 0o644)
	}
	if err != nil {
		_ = os.Remove(r.path)
	}
}

// laneKey names a gate in a directory.
func laneKey(dir, gate string) string {
	sum := sha256.Sum256([]byte(dir + "\x00" + gate))
	return hex.EncodeToString(sum[:12])
}
