package inputs

// blanks moves past blanks and continued lines.
func (s *depScanner) blanks() {
	for {
		switch n := s.continued(0); {
		case n > 0:
			s.at += n
		case isBlank(s.peek(0)) && !s.done():
			s.at++
		case s.peek(0) == '\r' && s.peek(1) == '\n':
			s.at++
		default:
			return
		}
	}
}

// continued is how many bytes a backslash with the end of a line takes up, 0
// when there is none at the offset.
func (s *depScanner) continued(offset int) int {
	switch {
	case s.at+offset >= len(s.data) || s.peek(offset) != '\\':
		return 0
	case s.peek(offset+1) == '\n':
		return 2
	case s.peek(offset+1) == '\r' && s.peek(offset+2) == '\n':
		return 3
	}
	return 0
}

// colon says whether the outputs end here: a colon with a blank behind it. One
// within a name has none.
func (s *depScanner) colon() bool { return s.peek(0) == ':' && s.parted(1) }

// parted says whether a name ends at the offset.
func (s *depScanner) parted(offset int) bool {
	c := s.peek(offset)
	return isBlank(c) || c == '\n' || c == '\r' && s.peek(offset+1) == '\n' || s.continued(offset) > 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// name takes one name. Among outputs it ends before their colon.
func (s *depScanner) name(output bool) string {
	var name []byte
	for !s.parted(0) && !(output && s.colon()) {
		switch c := s.peek(0); {
		case c == '\\':
			name = s.backslashes(name)
			continue
		case c == '$' && s.peek(1) == '$':
			s.at++
		}
		name = append(name, s.peek(0))
		s.at++
	}
	return string(name)
}

// backslashes takes a run of them, and what they stand before if that is
// escaped. Before a blank, 2n+1 are n and the blank, and 2n are n at the end of
// the name. Before "#" and ":" the last one goes. Elsewhere they are themselves.
func (s *depScanner) backslashes(name []byte) []byte {
	n := 0
	for s.peek(n) == '\\' && s.continued(n) == 0 {
		n++
	}
	next, kept := s.peek(n), n
	escaped := false
	switch {
	case isBlank(next):
		kept, escaped = n/2, n%2 == 1
	case next == '#' || next == ':':
		kept, escaped = n-1, true
	}
	for range kept {
		name = append(name, '\\')
	}
	s.at += n
	if escaped {
		name = append(name, next)
		s.at++
	}
	return name
}
