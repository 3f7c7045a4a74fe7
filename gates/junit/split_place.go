package junit

import (
	"fmt"
	"strings"
)

func (s *splitter) text(c byte) {
	if c == '<' {
		s.out = append(s.out, c)
		s.enter(atMarkup)
		return
	}
	if s.mayCut(c) {
		s.out = append(s.out, cutText...)
		s.n = 0
	}
	s.reference(c)
	s.n++
	s.out = append(s.out, c)
}

func (s *splitter) cdata(c byte) {
	inEnd := len(s.mark) > 0 && s.mark[len(s.mark)-1] == ']'
	if !inEnd && s.mayCut(c) || s.n > s.limit.text+slack {
		s.out = append(s.out, cutCDATA...)
		s.n = 0
	}
	s.n++
	s.out = append(s.out, c)
	s.ends(c, "]]>")
}

// mayCut says that a text is long enough to be cut in front of c: not inside of
// a character or of a reference, unless those do not end either.
func (s *splitter) mayCut(c byte) bool {
	whole := s.ref == 0 && c&0xc0 != 0x80
	return s.n > s.limit.text && whole || s.n > s.limit.text+slack
}

// reference follows &name; as far as one that is known can go.
func (s *splitter) reference(c byte) {
	switch {
	case c == '&':
		s.ref = 1
	case c == ';' || s.ref == maxRef:
		s.ref = 0
	case s.ref > 0:
		s.ref++
	}
}

// markup takes what follows a "<".
func (s *splitter) markup(c byte) error {
	s.out = append(s.out, c)
	s.mark = append(s.mark, c)
	switch so := string(s.mark); {
	case so == "?":
		s.enter(inInstruction)
	case so == "!--":
		s.enter(inComment)
	case so == "![CDATA[":
		s.enter(inCDATA)
	case strings.HasPrefix("!--", so), strings.HasPrefix("![CDATA[", so):
	case so[0] == '!':
		return errDoctype
	case c == '>':
		s.enter(inText)
	default:
		s.enter(inTag)
	}
	return nil
}

// tag takes a byte of a start or an end tag.
func (s *splitter) tag(c byte) error {
	if s.n++; s.n > s.limit.tag && !s.drop {
		return fmt.Errorf("it has a tag of more than %d bytes: no test report has", s.limit.tag)
	}
	switch {
	case s.quote == 0 && (c == '"' || c == '\''):
		s.quote, s.value, s.drop = c, 0, false
	case s.quote == 0:
		if c == '>' {
			s.out = append(s.out, c)
			s.enter(inText)
			return nil
		}
	case c == s.quote:
		s.quote, s.drop, s.ref = 0, false, 0
	default:
		s.attribute(c)
	}
	if s.drop {
		s.n--
		return nil
	}
	s.out = append(s.out, c)
	return nil
}

// attribute notes a byte of a value. What is left out begins with a character,
// and not within a reference.
func (s *splitter) attribute(c byte) {
	if s.value > s.limit.value && s.ref == 0 && c&0xc0 != 0x80 || s.value > s.limit.value+slack {
		s.drop = true
	}
	s.reference(c)
	s.value++
}
