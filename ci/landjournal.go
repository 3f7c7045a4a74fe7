package ci

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// landings is the file of what was landed, in the workspace's state.
const landings = "landings.jsonl"

// write appends the landing to the record of all. It has happened by then, or it
// has not: a record that cannot be written is said and changes nothing.
func (l *landing) write() {
	dir := filepath.Join(l.o.State, "ci")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		l.o.note("the landing is not recorded: %v", err)
		return
	}
	line, err := json.Marshal(l.Landing)
	if err == nil {
		err = appendLine(filepath.Join(dir, landings), line)
	}
	if err != nil {
		l.o.note("the landing is not recorded: %v", err)
	}
}

// appendLine appends one line to a file of ours, after the end of one that was torn
// by a power cut, and waits until the disk has it.
func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	line = append(line, '\n')
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(line)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	return nil
}
