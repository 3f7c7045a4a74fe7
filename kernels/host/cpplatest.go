package host

import (
	"slices"
	"strings"
)

// latest leaves, of what is put into a variable at several places, what can be in it at
// the token i: where one place before it is passed on every way there, what was put in
// earlier is gone, and so is what is put in later. Places in the branches of an #if are
// all kept, for all of them were taken for code.
func (s *source) latest(list []span, i int) []span {
	if len(list) < 2 || s.file.isRust() {
		return list
	}
	before, _ := slices.BinarySearchFunc(list, i, func(x span, at int) int { return x.from - at })
	for k := before - 1; k >= 0 && s.step(); k-- {
		if !s.always(list[k].from, i) {
			continue
		}
		if s.forked(span{list[0].from, i}) {
			return list
		}
		if s.loops(list[k].from, i) {
			return list[k:]
		}
		return list[k:before]
	}
	return list
}

// brace is the one that a token stands in, -1 in none.
func (s *source) brace(i int) int {
	if s.braces == nil {
		s.braces = make([]int, len(s.toks))
		open := []int{-1}
		for k, t := range s.toks {
			if t.is("}") && len(open) > 1 {
				open = open[:len(open)-1]
			}
			s.braces[k] = open[len(open)-1]
			if t.is("{") && s.pair[k] > k {
				open = append(open, k)
			}
		}
	}
	if i < 0 || i >= len(s.braces) {
		return -1
	}
	return s.braces[i]
}

// always says whether what stands at k is done whenever what stands at i is: its block
// is one that i is in, and it hangs on no condition of its own.
func (s *source) always(k, i int) bool {
	own, at := s.brace(k), s.brace(i)
	for at != own {
		if at < 0 || !s.step() {
			return false
		}
		at = s.brace(at)
	}
	return own >= 0 && !s.hangs(k, own)
}

// hangs says whether a statement in a block is done under a condition alone: it
// stands behind if (…), else, or a ?, && or ||.
func (s *source) hangs(k, block int) bool {
	for j := k - 1; j > block && s.step(); j-- {
		t := s.toks[j]
		switch {
		case t.is(";"), t.is("{"), t.is("}"):
			return false
		case t.is("?"), t.is("&&"), t.is("||"), t.word("else"), t.word("case"), t.word("default"):
			return true
		case t.is(")") && s.pair[j] > block:
			if w := s.tok(s.pair[j] - 1); strings.Contains(" if for while switch constexpr ", " "+w.text+" ") && w.kind == name {
				return true
			}
			j = s.pair[j]
		}
	}
	return false
}

// loops says whether a loop goes around two places: what is done later in it may come
// before.
func (s *source) loops(k, i int) bool {
	for at := s.brace(i); at >= 0 && s.step(); at = s.brace(at) {
		before := s.tok(at - 1)
		if p := s.pair[max(at-1, 0)]; before.is(")") && p >= 0 {
			before = s.tok(p - 1)
		}
		if before.word("for") || before.word("while") || before.word("do") {
			return true
		}
	}
	return false
}
