package host

// last is what a block comes to: what stands after its last statement, or all of it
// where that is nothing.
func (s *source) last(x span) span {
	from := x.from
	for i := x.from; i < x.to; i = s.after(i) {
		if s.toks[i].is(";") {
			from = i + 1
		}
	}
	if from == x.to {
		return x
	}
	return span{from, x.to}
}

// branches gives what an if or a match comes to in each of its branches, and nil for
// what is none.
func (s *source) branches(x span) []span {
	for s.step() {
		first := s.tok(x.from)
		if first.is("&") || first.is("*") || first.word("return") || first.word("unsafe") {
			x.from++
			continue
		}
		if !(first.is("{") || first.is("(")) || !s.wraps(x) {
			break
		}
		x = s.last(s.inside(x.from))
	}
	switch {
	case x.empty():
	case s.toks[x.from].word("match"):
		open := s.until(x.from, x.to, "{")
		return s.arms(s.inside(open))
	case s.toks[x.from].word("if"):
		var list []span
		for i := x.from; i < x.to; i = s.after(i) {
			if body := s.inside(i); s.toks[i].is("{") && !body.empty() {
				list = append(list, s.last(body))
			}
		}
		return list
	}
	return nil
}

// arms cuts the body of a match into what each arm comes to.
func (s *source) arms(x span) []span {
	var list []span
	for i := x.from; i < x.to; {
		if !s.toks[i].is("=>") {
			i = s.after(i)
			continue
		}
		i++
		if body := s.inside(i); s.tok(i).is("{") && !body.empty() {
			list = append(list, s.last(body))
			i = body.to + 1
			continue
		}
		to := i
		for to < x.to && !s.toks[to].is(",") {
			to = s.after(to)
		}
		list = append(list, span{i, min(to, x.to)})
		i = to
	}
	return list
}

// diverges says whether a branch comes to nothing, because it leaves.
func (s *source) diverges(x span) bool {
	for i := x.from; i < min(x.to, x.from+6); i++ {
		switch s.toks[i].text {
		case "return", "bail", "panic", "unreachable", "todo", "unimplemented", "continue", "break", "Err":
			return s.toks[i].kind == name
		}
	}
	return false
}

// element gives the element of a tuple that a binding stands for, in each branch.
func (s *source) element(b binding) []span {
	branches := s.branches(b.value)
	if branches == nil {
		branches = []span{b.value}
	}
	var list []span
	for _, x := range branches {
		if s.diverges(x) {
			continue
		}
		if inner := s.branches(x); inner != nil {
			return nil
		}
		if !s.tok(x.from).is("(") || s.pair[x.from] != x.to-1 {
			return nil
		}
		parts := s.split(s.inside(x.from))
		if b.element >= len(parts) {
			return nil
		}
		list = append(list, parts[b.element])
	}
	return list
}
