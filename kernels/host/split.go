package host

import "slices"

// split cuts a span at its commas, not at those in brackets or in lists of generics. A
// comma at the end begins nothing.
func (s *source) split(x span) []span { return s.cut(x, s.template) }

// splitTypes does so in a list of parameters, where < is never less-than.
func (s *source) splitTypes(x span) []span { return s.cut(x, s.generics) }

func (s *source) cut(x span, angles func(i, to int) int) []span {
	var list []span
	from := x.from
	for i := x.from; i < x.to; {
		switch {
		case s.toks[i].is(","):
			list = append(list, span{from, i})
			from = i + 1
		case s.toks[i].is("::") && s.tok(i+1).is("<") && s.file.isRust():
			i = s.generics(i+1, x.to)
			continue
		case s.toks[i].is("<") && !s.file.isRust() && i > x.from && s.toks[i-1].kind == name:
			i = angles(i, x.to)
			continue
		case s.toks[i].is("|") && (i == from || s.toks[i-1].word("move")) && s.file.isRust():
			i = s.closing(i, x.to)
			continue
		}
		i = s.after(i)
	}
	if from < x.to {
		list = append(list, span{from, x.to})
	}
	return list
}

// closing gives the token after the bar that ends the parameters of a closure.
func (s *source) closing(i, to int) int {
	for j := i + 1; j < to; j = s.after(j) {
		if s.toks[j].is("|") {
			return j + 1
		}
	}
	return i + 1
}

// forked says whether a conditional of the preprocessor begins inside a span: both of
// its branches have been taken for code.
func (s *source) forked(x span) bool {
	n, _ := slices.BinarySearch(s.forks, x.from)
	return n < len(s.forks) && s.forks[n] < x.to
}

// generics gives the token after the list of generics that begins at i.
func (s *source) generics(i, to int) int {
	depth := 0
	for j := i; j < to; j = s.after(j) {
		switch {
		case s.toks[j].is("<"):
			depth++
		case s.toks[j].is(">"):
			if depth--; depth == 0 {
				return j + 1
			}
		case s.toks[j].is(";"):
			return i + 1
		}
	}
	return i + 1
}

// template does the same in C++, where < can be less-than: only what can be types and
// numbers is believed to be a list, and only before a call or a name.
func (s *source) template(i, to int) int {
	depth := 0
	for j := i; j < min(to, i+200) && s.step(); j++ {
		t := s.toks[j]
		switch {
		case t.is("<"):
			depth++
		case t.is(">"):
			if depth--; depth == 0 {
				if n := s.tok(j + 1); n.is("(") || n.is("::") || n.is("{") || n.is("<") {
					return j + 1
				}
				return i + 1
			}
		case t.kind == name, t.kind == number, t.is("::"), t.is(","), t.is("*"), t.is("&"):
		default:
			return i + 1
		}
	}
	return i + 1
}
