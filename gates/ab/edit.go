package ab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxEdited bounds a file that an arm edits, in bytes.
const maxEdited = 16 << 20

// edit puts what is otherwise in an arm into its scratch lane.
func (d *side) edit() error {
	for _, e := range d.Edits {
		bad := func(format string, args ...any) error {
			return &ArmError{fmt.Sprintf("arm %s: %s %s", d.Name, e.File, fmt.Sprintf(format, args...)), "name a text that stands there once, with enough around it"}
		}
		path := filepath.Join(d.root, e.File)
		rel, err := filepath.Rel(d.scratch.Root, path)
		if err != nil {
			return fmt.Errorf("make arm %s: %w", d.Name, err)
		}
		if why := d.scratch.Reaches(filepath.ToSlash(rel)); why != "" { // what is behind a link is no part of the arm
			return bad("%s", why)
		}
		info, err := os.Lstat(path)
		switch {
		case err != nil || !info.Mode().IsRegular():
			return bad("is no file there")
		case info.Size() > maxEdited:
			return bad("is over %d MiB", maxEdited>>20)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("make arm %s: %w", d.Name, err)
		}
		if n := strings.Count(string(data), e.From); n != 1 {
			return bad("has %q %d times, not once", e.From, n)
		}
		if err := d.scratch.WriteFile(filepath.ToSlash(rel), []byte(strings.Replace(string(data), e.From, e.To, 1))); err != nil {
			return fmt.Errorf("make arm %s: %w", d.Name, err)
		}
	}
	return nil
}
