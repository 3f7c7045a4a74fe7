package host

import (
	"slices"
	"strings"
)

// maxDepth is how many names are followed from one to the next. Sources go through
// three or four: a parameter, a field, a binding, a constant.
const maxDepth = 8

// leaves is what an expression is followed to: at answers for a token that is one.
type leaves func(i int) []int

func (s *source) toModules(i int) []int {
	if m, ok := s.modules[i]; ok {
		return []int{m}
	}
	return nil
}

func (s *source) toLookups(i int) []int { return s.looked[i] }

// follow gives all that an expression may come to: nil where it is not known, or where
// a branch of it is not.
func (s *source) follow(x span, at leaves, depth int) []int {
	if depth > maxDepth || !s.step() {
		return nil
	}
	if branches := s.branches(x); branches != nil {
		var all []int
		for _, b := range branches {
			if s.diverges(b) {
				continue
			}
			found := s.follow(b, at, depth+1)
			if found == nil {
				return nil
			}
			all = append(all, found...)
		}
		return unique(all)
	}
	var all []int
	for i := x.from; i < x.to && s.step(); i++ {
		all = append(all, at(i)...)
	}
	if all != nil {
		return unique(all)
	}
	for i := x.from; i < x.to && s.step(); i++ {
		if s.toks[i].kind == name {
			all = append(all, s.followName(i, x, at, depth)...)
		}
	}
	return unique(all)
}

func unique(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// followName follows a name in an expression: a variable, a field, a function that is
// called.
func (s *source) followName(i int, x span, at leaves, depth int) []int {
	t, prev, next := s.toks[i], s.tok(i-1), s.tok(i+1)
	called := next.is("(") && i+1 < x.to
	field := prev.is(".") || prev.is("->")
	switch {
	case next.is("!") || next.is("::") || s.isKeyword(t.text) || s.file.isRust() && prev.is("::") && !called && !isConstant(t.text):
		return nil
	case called && field && !s.isSelf(i-2):
		return nil // a method of something else
	case called:
		return s.followCall(t.text, at, depth)
	case (next.is(".") || next.is("->")) && i+2 < x.to && s.tok(i+2).kind == name && !s.tok(i+3).is("(") && len(s.fields[s.tok(i+2).text]) > 0:
		return nil // its field is what counts
	}
	key := t.text
	if field {
		key = "." + key
	}
	if slices.Contains(s.lasting, key) && depth > 2 {
		return nil
	}
	s.lasting = append(s.lasting, key)
	defer func() { s.lasting = s.lasting[:len(s.lasting)-1] }()
	if field {
		return s.followAll(s.fields[t.text], at, depth)
	}
	return s.followVariable(i, at, depth)
}

// isConstant says whether a name is written like a constant.
func isConstant(n string) bool { return n == strings.ToUpper(n) }

func (s *source) isSelf(i int) bool { return s.tok(i).word("self") || s.tok(i).word("this") }

// followAll follows each of several, and all of them must come to something.
func (s *source) followAll(list []span, at leaves, depth int) []int {
	var all []int
	if len(list) > maxCalls {
		return nil
	}
	for _, x := range list {
		found := s.follow(x, at, depth+1)
		if found == nil {
			return nil
		}
		all = append(all, found...)
	}
	return all
}

func (s *source) followVariable(i int, at leaves, depth int) []int {
	var all []int
	bindings := s.find(s.toks[i].text, i)
	if len(bindings) == 0 && !s.file.isRust() { // a member, or a global of another file
		return s.followAll(s.latest(s.assigns[s.toks[i].text], i), at, depth)
	}
	for _, b := range bindings {
		if b.param != nil {
			args, ok := s.argument(b)
			if !ok {
				return nil
			}
			all = append(all, s.followAll(args, at, depth)...)
			continue
		}
		value := b.value
		if b.element >= 0 {
			value = span{}
			if e := s.element(b); len(e) == 1 {
				value = e[0]
			}
		}
		if !value.empty() && !(value.from <= i && i < value.to) {
			all = append(all, s.follow(value, at, depth+1)...)
		}
		if !b.constant {
			all = append(all, s.followAssigned(b, i, at, depth)...)
		}
	}
	return all
}

// followAssigned follows what is put into the variable at i after it was bound.
func (s *source) followAssigned(b binding, i int, at leaves, depth int) []int {
	var list []span
	for _, x := range s.assigns[s.toks[i].text] {
		if x.from >= b.from && x.to <= b.to && s.step() {
			list = append(list, x)
		}
	}
	var all []int
	for _, x := range s.latest(list, i) {
		all = append(all, s.follow(x, at, depth+1)...)
	}
	return all
}

// followCall looks into the body of a function of the file.
func (s *source) followCall(n string, at leaves, depth int) []int {
	if len(s.funcs[n]) != 1 || slices.Contains(s.lasting, n+"()") {
		return nil
	}
	s.lasting = append(s.lasting, n+"()")
	defer func() { s.lasting = s.lasting[:len(s.lasting)-1] }()
	return s.follow(s.last(s.funcs[n][0].body), at, depth+2)
}

func (s *source) isKeyword(w string) bool {
	return strings.Contains(" as mut ref move unsafe if else match let self this const return static_cast reinterpret_cast void char nullptr NULL None ", " "+w+" ")
}
