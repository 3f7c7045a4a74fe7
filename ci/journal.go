package ci

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"gpuci/gates"
)

// kind is what a line of the journal says.
type kind string

const (
	planned  kind = "plan"     // the first line: what the night is to do
	resumed  kind = "resumed"  // another process goes on
	started  kind = "started"  // a gate, under a cookie, before it is handed over
	handed   kind = "handed"   // it is known there, by an id
	stopping kind = "stopping" // what is handed over is about to be cancelled
	cut      kind = "cut"      // and was
	done     kind = "done"     // what came of gates
	failed   kind = "lane"     // nothing of a lane can be run, and why
	stopped  kind = "stopped"  // by a signal; it can be resumed
	ended    kind = "ended"    // nothing is left to do, or the time is up
)

// line is one of the journal. Which fields it has depends on its kind.
type line struct {
	Type    kind      `json:"type"`
	At      time.Time `json:"at"`
	PID     int       `json:"pid,omitempty"`
	Plan    *Plan     `json:"plan,omitempty"`
	Lane    string    `json:"lane,omitempty"` // the first of those that share the run
	Tree    string    `json:"tree,omitempty"` // and the content, which is what tells them apart
	Gate    string    `json:"gate,omitempty"`
	Cookie  string    `json:"cookie,omitempty"`
	Cookies []string  `json:"cookies,omitempty"`
	ID      string    `json:"id,omitempty"`
	Cells   []Cell    `json:"cells,omitempty"`
	Why     string    `json:"why,omitempty"`
	Exit    int       `json:"exit,omitempty"`
}

// journal is the file of one night. A line is on the disk before the night goes
// on: unlike the record of one run, what it says cannot be had again by running
// one gate again.
type journal struct {
	f    *os.File
	lost bool         // the last line is not there
	torn bool         // the last line may have no end
	step func(string) // where a kill may come; tests count them, and are killed there
	err  error        // the first that could not be written
}

const journalName = "journal.jsonl"

// newJournal begins one in a new directory.
func newJournal(dir string) (*journal, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, journalName), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{f: f}
	return j, errors.Join(j.hold(), gates.SyncDir(dir))
}

// openJournal goes on with one, and gives what it says. The error is errLive where
// another process does.
func openJournal(dir string) (*journal, []line, error) {
	f, err := os.OpenFile(filepath.Join(dir, journalName), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{f: f}
	var lines []line
	if err = j.hold(); err == nil {
		lines, j.torn, err = readJournal(dir)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return j, lines, nil
}

// readJournal gives the lines that are whole. A line that a kill or a full disk has
// torn, at the end or where a later one goes on, says nothing.
func readJournal(dir string) (lines []line, torn bool, err error) {
	f, err := os.Open(filepath.Join(dir, journalName))
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxJournal))
	if err != nil {
		return nil, false, err
	}
	return parseJournal(data), len(data) > 0 && data[len(data)-1] != '\n', nil
}

// maxJournal is far more than a night of a thousand lanes writes, in bytes.
const maxJournal = 256 << 20

func parseJournal(data []byte) (lines []line) {
	for text := range bytes.Lines(data) {
		var l line
		if json.Unmarshal(text, &l) == nil && l.Type != "" { // no part of an object is one
			lines = append(lines, l)
		}
	}
	return lines
}

// add appends a line. That it could not is no reason to end the night: what is run
// is in the history all the same.
func (j *journal) add(l line) error {
	j.at("before " + string(l.Type))
	defer j.at("after " + string(l.Type))
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if j.torn {
		data = append([]byte{'\n'}, data...)
	}
	n, err := j.f.Write(data)
	if err == nil {
		err = j.f.Sync()
	}
	j.lost = err != nil
	j.torn = err != nil && (n > 0 || j.torn)
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("write the night's journal: %w", err)
		return j.err
	}
	return nil
}

func (j *journal) at(step string) {
	if j.step != nil {
		j.step(step)
	}
}

func (j *journal) close() error { return errors.Join(j.err, j.f.Close()) }
