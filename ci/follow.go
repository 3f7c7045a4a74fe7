package ci

import (
	"io"
	"os"
)

// tail copies a file that grows, from where it was the last time. A nil one does nothing.
type tail struct {
	out  io.Writer
	name string
	at   int64
}

// copy copies what is new. Another name is another attempt, from its beginning.
func (t *tail) copy(name string) {
	if t == nil || t.out == nil || name == "" {
		return
	}
	if name != t.name {
		t.name, t.at = name, 0
	}
	f, err := os.Open(name)
	if err != nil {
		return // it is not there yet
	}
	defer f.Close()
	if _, err := f.Seek(t.at, io.SeekStart); err != nil {
		return
	}
	n, _ := io.Copy(t.out, f)
	t.at += n
}

// end copies the rest.
func (t *tail) end(name string) {
	t.copy(name)
	if t == nil {
		return
	}
	if c, ok := t.out.(io.Closer); ok {
		_ = c.Close()
	}
}
