package gates

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"gpuci/gates/history"
	"gpuci/gates/metric"
	"gpuci/reaper/proc"
)

// record is the directory of one run: started.json from the beginning on,
// run.log (and build.log) with all output, metrics.jsonl with every number,
// verdict.json at the end. A directory without verdict.json is a run that was
// killed, or one that goes on: then its file in live/ is locked.
type record struct {
	dir     string
	live    string       // the file that says the run goes on
	lock    *flock.Flock // on it
	metrics *os.File
	err     error // the first failure to write
	samples int
}

// maxSamples bounds metrics.jsonl; the verdict has the extremes of all.
const maxSamples = 100_000

// NewID names a run, or a build: the time it began, then enough chance that two gpuci
// in the same second differ.
func NewID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read does not fail
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

// newRecord makes the run's directory under state and says who runs it. That it
// goes on is written down first: a directory that nobody knows to be of a dead
// run would stay without a verdict for ever.
func newRecord(state string, started startedRecord) (*record, error) {
	r := &record{dir: filepath.Join(state, "runs", started.Run)}
	if r.goLive(state, started); r.err != nil {
		return r, r.err
	}
	if err := os.MkdirAll(filepath.Dir(r.dir), 0o755); err != nil {
		return r, fmt.Errorf("make run directory: %w", err)
	}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		return r, fmt.Errorf("make run directory: %w", err)
	}
	r.json("started.json", started)
	return r, r.err // the directory is there even then
}

// startedRecord is what a later gpuci needs to know whether this one lives, and
// to find what it left if it does not.
type startedRecord struct {
	Run     string        `json:"run"`
	Gate    string        `json:"gate"`
	Lane    string        `json:"lane"`
	As      string        `json:"as,omitempty"` // the lane that it is a scratch lane for
	Trial   string        `json:"trial,omitempty"`
	Root    string        `json:"root"` // directory of gpuci.toml
	Gpuci   proc.Identity `json:"gpuci"`
	UID     *int          `json:"uid,omitempty"` // whose gpuci that is
	Begun   time.Time     `json:"begun"`
	Host    string        `json:"host"`
	PIDs    string        `json:"pid-namespace"`     // in which its pids mean something
	Cgroups string        `json:"cgroups,omitempty"` // where its leaves are
	Leave   []string      `json:"leave,omitempty"`   // daemons that may stay
}

// create opens a file of the record for writing.
func (r *record) create(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(r.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
}

// sample appends one number to metrics.jsonl.
func (r *record) sample(s metric.Sample) {
	if r.samples++; r.samples > maxSamples || r.err != nil {
		return
	}
	if r.metrics == nil {
		if r.metrics, r.err = r.create("metrics.jsonl"); r.err != nil {
			return
		}
	}
	line, err := json.Marshal(s)
	if err == nil {
		_, err = r.metrics.Write(append(line, '\n'))
	}
	r.err = err
}

func (r *record) json(name string, v any) {
	data, err := history.Marshal(v)
	var text bytes.Buffer
	if err == nil {
		err = json.Indent(&text, data, "", "  ")
	}
	if err != nil {
		r.err = errors.Join(r.err, err)
		return
	}
	r.write(name, append(text.Bytes(), '\n'))
}

func (r *record) write(name string, data []byte) {
	if err := WriteWhole(filepath.Join(r.dir, name), data, 0o644); err != nil {
		r.err = errors.Join(r.err, fmt.Errorf("write record: %w", err))
	}
}

// WriteWhole makes a file appear whole or not at all. It is not synced: under the
// IO stall that gpuci is made for, an fsync takes seconds, and what a power
// cut could lose is one run that is run again. Nobody else may write it at the
// same time.
func WriteWhole(path string, data []byte, perm os.FileMode) error {
	err := os.WriteFile(path+".part", data, perm)
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		_ = os.Remove(path + ".part")
	}
	return err
}

// SyncDir makes the names in a directory last. Some network file systems cannot, and need
// not.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

func (r *record) close() {
	if r.metrics != nil {
		r.err = errors.Join(r.err, r.metrics.Close())
	}
}

// goDead takes back what goLive did.
func (r *record) goDead() {
	if r.live != "" {
		_ = os.Remove(r.live)
	}
	if r.lock != nil {
		_ = r.lock.Close()
	}
}

// discard takes away the directory of a run that never began.
func (r *record) discard() {
	if r != nil {
		r.goDead()
		_ = os.Remove(filepath.Join(r.dir, "started.json"))
		_ = os.Remove(r.dir)
	}
}
