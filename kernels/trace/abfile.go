package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// FileAB is a file that each of two runs wrote, byte for byte.
type FileAB struct {
	Path   string `json:"path"`
	Same   bool   `json:"same"`
	BytesA int64  `json:"bytes-a"`
	BytesB int64  `json:"bytes-b"`
	First  int64  `json:"first"`         // the place of the first byte that differs, or where the shorter one ends; -1: none does
	Differ int64  `json:"differ"`        // bytes that do, as far as the shorter one goes
	Why    string `json:"why,omitempty"` // it was not compared
}

// NotCompared is a file that could not be.
func NotCompared(path, why string) FileAB { return FileAB{Path: path, First: -1, Why: why} }

// CompareFiles reads both to their ends, however early they differ. What goes wrong is in
// Why.
func CompareFiles(path, a, b string) FileAB {
	f := FileAB{Path: path, First: -1}
	if err := f.compare(a, b); err != nil {
		return NotCompared(path, err.Error())
	}
	f.Same = f.First < 0
	return f
}

func (f *FileAB) compare(a, b string) error {
	one, err := regular(a)
	if err != nil {
		return err
	}
	defer one.Close()
	other, err := regular(b)
	if err != nil {
		return err
	}
	defer other.Close()
	const piece = 1 << 20
	x, y := make([]byte, piece), make([]byte, piece)
	for {
		n, err := full(one, x)
		if err != nil {
			return err
		}
		m, err := full(other, y)
		if err != nil {
			return err
		}
		f.piece(x[:n], y[:m])
		if n < piece && m < piece {
			return nil
		}
	}
}

// regular opens a file that has an end.
func regular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory: name files", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return os.Open(path)
}

// full reads as much as there is room for, or to the end.
func full(r io.Reader, to []byte) (int, error) {
	n, err := io.ReadFull(r, to)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// piece takes in what stands at one place of both.
func (f *FileAB) piece(x, y []byte) {
	both := min(len(x), len(y))
	if !bytes.Equal(x[:both], y[:both]) {
		for i := range both {
			if x[i] != y[i] {
				f.differs(f.BytesA + int64(i))
				f.Differ++
			}
		}
	}
	if len(x) != len(y) {
		f.differs(f.BytesA + int64(both))
	}
	f.BytesA, f.BytesB = f.BytesA+int64(len(x)), f.BytesB+int64(len(y))
}

func (f *FileAB) differs(at int64) {
	if f.First < 0 {
		f.First = at
	}
}
