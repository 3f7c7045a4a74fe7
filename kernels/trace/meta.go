package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Meta is what whoever traced a program knows of it: run.json, beside what the library
// wrote.
type Meta struct {
	Type    string    `json:"type"` // always "trace-run"
	Command []string  `json:"command"`
	PID     int       `json:"pid,omitempty"` // the program's; 0: not known
	Cwd     string    `json:"cwd"`
	Lane    string    `json:"lane,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"` // zero: it runs, or who watched it was killed
	Code    int       `json:"code"`           // its exit status, of Ended
	Signal  string    `json:"signal,omitempty"`
	Pattern string    `json:"step-pattern,omitempty"`
	Lines   int       `json:"step-lines,omitempty"` // that fitted it
	Warm    int       `json:"warm,omitempty"`       // as Counting has it
	Range   string    `json:"range,omitempty"`      // as Counting has it
	Host    string    `json:"host,omitempty"`
	Set     []string  `json:"set,omitempty"`     // what the second run of --ab was given
	Version string    `json:"version,omitempty"` // of gpuci

	NoDriver bool `json:"no-driver,omitempty"` // nothing used CUDA, and the loader found no driver of it
}

const metaFile = "run.json"

// metaMost is more than a command line and all else in it can have.
const metaMost = 16 << 20

// Write puts it into the directory of a recording: whole, or not at all.
func (m Meta) Write(dir string) error {
	m.Type = "trace-run"
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, metaFile+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", metaFile, err)
	}
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, metaFile))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", filepath.Join(dir, metaFile), err)
	}
	return nil
}

// ReadMeta reads it; nil where a recording has none, as one that was made by the library
// alone.
func ReadMeta(dir string) (*Meta, error) {
	path := filepath.Join(dir, metaFile)
	b, err := readRegular(path, metaMost)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	var m Meta
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("read %s: %w: without that file the rest of the recording can be read", path, err)
	}
	return &m, nil
}

// counting fills in what it knows and the caller left open.
func (m *Meta) counting(dir string, how Counting) (Counting, error) {
	if m == nil {
		return how, nil
	}
	if how.Warm == 0 {
		how.Warm = m.Warm
	}
	if how.Range == "" {
		how.Range = m.Range
	}
	if how.Lines != nil || m.Pattern == "" || how.Range != "" {
		return how, nil
	}
	lines, err := ReadSteps(dir)
	if err == nil && len(lines) > 0 {
		how.Lines = lines
	}
	return how, err
}
