package junit

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// charset makes UTF-8 of what a document declares to be.
func charset(name string, src io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return src, nil
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1":
		return &latin1{src: src}, nil
	}
	return nil, fmt.Errorf("it is in the encoding %q, which gpuci does not read: write it as UTF-8", name)
}

// latin1 reads ISO 8859-1, whose bytes are the code points.
type latin1 struct {
	src io.Reader
	in  [1 << 10]byte
	out []byte
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(l.out) == 0 {
		n, err := l.src.Read(l.in[:])
		for _, c := range l.in[:n] {
			l.out = utf8.AppendRune(l.out, rune(c))
		}
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, l.out)
	l.out = append(l.out[:0], l.out[n:]...)
	return n, nil
}
