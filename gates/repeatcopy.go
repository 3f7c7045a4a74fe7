package gates

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// read takes a file down. The first run's is copied, as long as there is room; a
// later one only where it is otherwise.
func (c *comparedFiles) read(ctx context.Context, path string, run int) (fileSeen, error) {
	seen := fileSeen{run: run}
	f, err := os.Open(filepath.Join(c.root, path))
	if err != nil {
		return seen, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return seen, err
	}
	var first *fileSeen
	if list := c.seen[path]; len(list) > 0 {
		first = &list[0]
	}
	var to *os.File
	if first == nil && info.Size() <= c.room {
		if to, err = c.create(path, run); err != nil {
			return seen, err
		}
		defer to.Close()
		seen.copy = to.Name()
		c.room -= info.Size()
	}
	whole := sha256.New()
	buf := make([]byte, compareBlock)
	for n := 0; ; n++ {
		got, err := io.ReadFull(f, buf)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || ctx.Err() != nil {
			return seen, errors.Join(err, ctx.Err())
		}
		seen.size += int64(got)
		whole.Write(buf[:got])
		sum := sha256.Sum256(buf[:got])
		block := [8]byte(sum[:8])
		switch {
		case first == nil:
			seen.blocks = append(seen.blocks, block)
		case n >= len(first.blocks) || first.blocks[n] != block:
			seen.odd = append(seen.odd, n)
		}
		if to != nil {
			if _, err := to.Write(buf[:got]); err != nil {
				return seen, err
			}
		}
	}
	whole.Sum(seen.sum[:0])
	if first != nil && seen.sum != first.sum && first.copy != "" && info.Size() <= c.room {
		return c.keep(f, path, seen)
	}
	return seen, nil
}

// keep copies a file that is otherwise than in the first run.
func (c *comparedFiles) keep(f *os.File, path string, seen fileSeen) (fileSeen, error) {
	to, err := c.create(path, seen.run)
	if err != nil {
		return seen, err
	}
	defer to.Close()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return seen, err
	}
	if _, err := io.Copy(to, f); err != nil {
		return seen, err
	}
	c.room -= seen.size
	seen.copy = to.Name()
	return seen, nil
}

// create makes the file that a copy goes to.
func (c *comparedFiles) create(path string, run int) (*os.File, error) {
	at := filepath.Join(c.dir, fmt.Sprintf("files-%d", run), path)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
}

// close drops the copies, unless somebody will want to look at them.
func (c *comparedFiles) close(unstable bool) {
	if c == nil || unstable {
		return
	}
	for i := range c.Times {
		_ = os.RemoveAll(filepath.Join(c.dir, fmt.Sprintf("files-%d", i+1)))
	}
}
