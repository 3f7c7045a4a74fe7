package junit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// splitter stands between a file and encoding/xml, which keeps a text, a
// comment and an attribute in memory as a whole. It cuts long texts and CDATA
// sections into several, leaves out comments, cuts the ends off long attributes,
// and refuses what cannot be cut. What it lets through is otherwise the file's,
// byte for byte; whether that is XML, encoding/xml says.
type splitter struct {
	src   io.Reader
	limit limits
	begun bool
	err   error // of src, once out is empty

	out  []byte // what was made and not yet taken
	in   []byte // buffer for src
	at   place
	mark []byte // the last bytes of the place, as far as they matter to its end
	n    int    // bytes of this text, tag, or instruction so far
	ref  int    // length of the entity reference that goes on, 0 for none

	quote byte // that an attribute ends with, 0 outside
	value int  // bytes of this attribute so far
	drop  bool // the rest of the attribute is left out
}

// limits of what is kept at once, in bytes.
type limits struct{ text, value, tag int }

// defaults keep a message of a screen whole. No tag of a real file has more
// than a dozen attributes.
func defaults() limits { return limits{text: 64 << 10, value: 16 << 10, tag: 512 << 10} }

type place int

const (
	inText place = iota
	atMarkup
	inTag
	inInstruction
	inComment
	inCDATA
)

const (
	bom      = "\xef\xbb\xbf"
	cutText  = "<?cut?>"
	cutCDATA = "]]><![CDATA["
	maxRef   = 16 // bytes; the longest that is known, &#x10FFFF;, has 10
	slack    = 64 // bytes that a bound may be passed by, to the end of a character or a reference
)

var (
	errUTF16   = errors.New("it is UTF-16: write it as UTF-8")
	errDoctype = errors.New("it has a DOCTYPE, or another declaration that begins with <!, which gpuci does not follow and no test report needs: write it without")
)

func (s *splitter) Read(p []byte) (int, error) {
	for len(s.out) == 0 && s.err == nil {
		s.fill()
	}
	if len(s.out) == 0 {
		return 0, s.err
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

func (s *splitter) fill() {
	if s.in == nil {
		s.in = make([]byte, 32<<10)
	}
	s.out = s.out[:0]
	var n int
	if s.begun {
		n, s.err = s.src.Read(s.in)
	} else {
		n, s.err = s.first()
	}
	for _, c := range s.in[:n] {
		if err := s.take(c); err != nil {
			s.err = err
			return
		}
	}
}

// first looks for a byte order mark.
func (s *splitter) first() (int, error) {
	s.begun = true
	n, err := io.ReadFull(s.src, s.in[:len(bom)])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	head := s.in[:n]
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("<\x00")), bytes.HasPrefix(head, []byte("\x00<")):
		return 0, errUTF16
	case string(head) == bom:
		return 0, err
	}
	return n, err
}

// take takes the next byte.
func (s *splitter) take(c byte) error {
	switch s.at {
	case inText:
		s.text(c)
	case atMarkup:
		return s.markup(c)
	case inTag:
		return s.tag(c)
	case inInstruction:
		if s.n++; s.n > s.limit.value {
			return fmt.Errorf("it has a processing instruction of more than %d bytes", s.limit.value)
		}
		s.out = append(s.out, c)
		s.ends(c, "?>")
	case inComment:
		if s.ends(c, "-->") {
			s.out = append(s.out, "-->"...)
		}
	case inCDATA:
		s.cdata(c)
	}
	return nil
}

// ends notes a byte and says whether the place ends with it.
func (s *splitter) ends(c byte, with string) bool {
	if len(s.mark) == len(with) {
		s.mark = append(s.mark[:0], s.mark[1:]...)
	}
	s.mark = append(s.mark, c)
	if string(s.mark) != with {
		return false
	}
	s.enter(inText)
	return true
}

func (s *splitter) enter(at place) {
	s.at, s.mark, s.n, s.ref = at, s.mark[:0], 0, 0
}
