package gates

import (
	"fmt"
	"os"
	"path/filepath"

	"gpuci/gates/reader"
)

// prepare makes the reader of a command that is about to start. It may change
// how the command is started, so that the harness counts exactly.
func (f *flow) prepare(c reader.Command, out *output) (reader.Command, error) {
	if f.judge.whole && f.judge.taken { // one reader for all of them
		return c, nil
	}
	f.judge.taken = true
	f.prepared++
	if f.gate.Reader == "pytest" { // which it has write down what it did
		c.Scratch = filepath.Join(f.rec.dir, fmt.Sprintf("reader-%d", f.prepared))
		if err := os.Mkdir(c.Scratch, 0o755); err != nil {
			return c, fmt.Errorf("make room for the reader: %w", err)
		}
	}
	r, c, err := reader.Prepare(f.gate.Reader, c)
	if err == nil {
		out.command(r)
	}
	return c, err
}
