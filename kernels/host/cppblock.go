package host

// dim3 reads a block: a number, dim3(…), or the variable that is one.
func (s *source) dim3(x span, at int) []int {
	for depth := 0; depth < maxDepth && !x.empty(); depth++ {
		first := s.toks[x.from]
		switch {
		case first.word("dim3") && (s.tok(x.from+1).is("(") || s.tok(x.from+1).is("{")):
			return s.threeOf(s.split(s.inside(x.from+1)), at)
		case first.is("{"):
			return s.threeOf(s.split(s.inside(x.from)), at)
		case x.to-x.from == 1 && first.kind == name:
			found := s.find(first.text, at)
			if len(found) == 1 && found[0].param == nil && !found[0].value.empty() && s.typeIs(found[0].typ, "dim3") {
				if len(s.assigns[first.text]) > 0 || s.sets(first.text, found[0]) {
					return nil
				}
				x = found[0].value
				if p := s.tok(x.from - 1); p.is("(") || p.is("{") {
					return s.threeOf(s.split(x), x.from)
				}
				continue
			}
		}
		return s.threeOf([]span{x}, at)
	}
	return nil
}

func (s *source) typeIs(x span, n string) bool {
	for i := x.from; i < x.to; i++ {
		if s.toks[i].word(n) {
			return true
		}
	}
	return false
}

// sets says whether a member of a variable is written to: block.x = 32.
func (s *source) sets(n string, b binding) bool {
	for i := b.from; i < b.to && s.step(); i++ {
		if s.toks[i].word(n) && s.tok(i+1).is(".") && s.tok(i+3).kind == punct && len(s.tok(i+3).text) > 0 && s.tok(i + 3).text[len(s.tok(i+3).text)-1] == '=' {
			return true
		}
	}
	return false
}
