package host

// pointed reads an array of addresses of arguments; a null at its end is none.
func (s *source) pointed(i int, x span, l *Launch) {
	for s.tok(x.from).is("(") && s.pair[x.from] > 0 && s.pair[x.from] < x.to-1 { // (void**)args, (void*[]){…}
		x.from = s.pair[x.from] + 1
	}
	list, ok := s.braced(x, i)
	if l.ArgsKnown = ok; !ok {
		s.unread(i, "the arguments of the launch: %s is no array that could be followed", s.show(x))
		return
	}
	if len(list) > 0 && s.forked(span{list[0].from, list[len(list)-1].to}) {
		l.ArgsKnown = false
		s.unread(i, "the arguments of the launch: an #if stands among them")
	}
	for _, a := range list {
		if t := s.tok(a.to - 1); a.to-a.from == 1 && (t.word("nullptr") || t.word("NULL") || t.text == "0") {
			break
		}
		l.Args = append(l.Args, s.pointee(a, i))
	}
}

// braced gives the elements of {…}, or of the array that is bound to a name.
func (s *source) braced(x span, at int) ([]span, bool) {
	for depth := 0; depth < maxDepth && !x.empty(); depth++ {
		if s.tok(x.to - 1).is(")") { // args.data()
			open := s.pair[x.to-1]
			if open > x.from+1 && s.tok(open-1).word("data") {
				x.to = open - 2
			}
		}
		first := s.toks[x.from]
		switch {
		case first.is("&") && s.tok(x.from+2).is("[") && s.tok(x.from+3).text == "0":
			x = span{x.from + 1, x.from + 2} // &args[0]
			continue
		case first.is("{") && s.wraps(x):
			return s.split(s.inside(x.from)), true
		case x.to-x.from != 1 || first.kind != name:
			return nil, false
		}
		found := s.find(first.text, at)
		if len(found) != 1 || found[0].value.empty() || s.grows(first.text, found[0]) || s.indexed(first.text, found[0]) {
			return nil, false
		}
		x = found[0].value
		if s.tok(x.from-1).is("{") && s.tok(x.from-2).kind == name { // args{…}
			return s.split(x), true
		}
	}
	return nil, false
}

// indexed says whether elements of an array are written to after it was bound.
func (s *source) indexed(n string, b binding) bool {
	for i := b.value.to; i < b.to && s.step(); i++ {
		if s.toks[i].word(n) && s.tok(i+1).is("[") && s.pair[i+1] > i && s.tok(s.pair[i+1]+1).is("=") {
			return true
		}
	}
	return false
}
