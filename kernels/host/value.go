package host

import (
	"strings"
)

// maxNames is how many names one expression may come to.
const maxNames = 64

// strings gives what a string expression may come to. Where that is not known, why says
// what stands in the way.
func (s *source) strings(x span, depth int) (list []string, why string) {
	if depth > maxDepth || !s.step() {
		return nil, "it is put together from too much"
	}
	if branches := s.branches(x); branches != nil {
		return s.allStrings(branches, depth)
	}
	x = s.bare(x)
	if x.empty() {
		return nil, "it is empty"
	}
	first := s.toks[x.from]
	switch {
	case first.kind == str && x.to-x.from == 1:
		return []string{first.text}, ""
	case first.kind == str && s.adjacent(x):
		return []string{s.joined(x)}, ""
	case first.kind == fstring, first.word("format"), first.word("format_args"):
		return nil, "it is put together at run time: " + s.show(x)
	case first.word("stringify") && s.tok(x.from+1).is("!"):
		return []string{s.show(s.inside(x.from + 2))}, ""
	case first.word("concat") && s.tok(x.from+1).is("!"):
		return s.concat(s.inside(x.from+2), depth)
	case first.kind == name && s.tok(x.to-1).kind == name && s.plainPath(x):
		return s.namedStrings(x, depth)
	}
	if inner, ok := s.wrapped(x); ok {
		return s.strings(inner, depth+1)
	}
	return nil, "it comes out of " + s.show(x)
}

func (s *source) allStrings(list []span, depth int) (all []string, why string) {
	for _, b := range list {
		if s.diverges(b) {
			continue
		}
		found, why := s.strings(b, depth+1)
		if why != "" {
			return nil, why
		}
		all = append(all, found...)
	}
	if len(all) == 0 || len(all) > maxNames {
		return nil, "it has too many branches"
	}
	return all, ""
}

// conversions are calls after a string that leave its text as it is.
const conversions = " into to_string to_owned as_str as_ref clone unwrap expect as_ptr c_str as_bytes data encode as_c_str "

// bare takes off what leaves a value as it is: references, parentheses, conversions
// after it, and the error of it.
func (s *source) bare(x span) span {
	for !x.empty() && s.step() {
		first, last := s.toks[x.from], s.toks[x.to-1]
		switch {
		case first.is("&"), first.is("*"), first.is("&&"), first.word("mut"):
			x.from++
		case last.is("?"):
			x.to--
		case first.is("(") && s.wraps(x):
			x = s.inside(x.from)
			if parts := s.split(x); len(parts) != 1 {
				return span{x.from - 1, x.to + 1} // a tuple
			}
		case last.is(")") && s.pair[x.to-1] > x.from+1 && s.tok(s.pair[x.to-1]-2).is(".") && s.pair[x.to-1]-2 > x.from &&
			strings.Contains(conversions, " "+s.tok(s.pair[x.to-1]-1).text+" "):
			x.to = s.pair[x.to-1] - 2
		default:
			return x
		}
	}
	return x
}

// adjacent says whether a span is strings alone, which C++ and Python put together.
func (s *source) adjacent(x span) bool {
	for i := x.from; i < x.to; i++ {
		if s.toks[i].kind != str {
			return false
		}
	}
	return true
}

func (s *source) joined(x span) string {
	var b strings.Builder
	for i := x.from; i < x.to && s.step(); i++ {
		b.WriteString(s.toks[i].text)
	}
	return b.String()
}

// concat puts the literals of a concat! together.
func (s *source) concat(x span, depth int) ([]string, string) {
	var b strings.Builder
	for _, p := range s.split(x) {
		found, why := s.strings(p, depth+1)
		if why != "" || len(found) != 1 {
			return nil, "it is put together when it is compiled: " + s.show(x)
		}
		b.WriteString(found[0])
	}
	return []string{b.String()}, ""
}

// plainPath says whether a span is names with :: or . between them.
func (s *source) plainPath(x span) bool {
	for i := x.from; i < x.to; i++ {
		if (i-x.from)%2 == 1 && !s.toks[i].is("::") && !s.toks[i].is(".") && !s.toks[i].is("->") || (i-x.from)%2 == 0 && s.toks[i].kind != name {
			return false
		}
	}
	return (x.to-x.from)%2 == 1
}

// namedStrings follows a variable, a field or a constant.
func (s *source) namedStrings(x span, depth int) ([]string, string) {
	i := x.to - 1
	n := s.toks[i].text
	unknown := "what " + s.show(x) + " is could not be followed"
	if s.tok(i-1).is(".") || s.tok(i-1).is("->") {
		if list := s.fields[n]; len(list) > 0 && len(list) <= maxCalls {
			return s.allStrings(list, depth)
		}
		return nil, unknown
	}
	var all []string
	for _, b := range s.find(n, i) {
		list := []span{b.value}
		switch {
		case b.param != nil:
			args, ok := s.argument(b)
			if !ok {
				return nil, n + " is a parameter, and its calls could not be followed"
			}
			list = args
		case b.element >= 0:
			list = s.element(b)
		}
		for _, a := range s.assigns[n] {
			if !b.constant && a.from >= b.from && a.to <= b.to && s.step() {
				list = append(list, a)
			}
		}
		for len(list) > 1 && list[0].empty() { // let x; and what is put into it
			list = list[1:]
		}
		for _, v := range list {
			if v.empty() || v.from <= i && i < v.to {
				return nil, unknown
			}
		}
		found, why := s.allStrings(list, depth)
		if why != "" {
			return nil, why
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, unknown
	}
	return all, ""
}

// wrapped gives the only argument of a call that makes a string of a string.
func (s *source) wrapped(x span) (span, bool) {
	open := x.from
	for open < x.to && !s.toks[open].is("(") {
		if t := s.toks[open]; t.kind != name && !t.is("::") && !t.is(".") {
			return span{}, false
		}
		open++
	}
	if open == x.to || s.pair[open] != x.to-1 {
		return span{}, false
	}
	switch s.tok(open - 1).text {
	case "new", "from", "Some", "string", "Path", "bytes", "str", "CString", "string_view", "join", "Cow", "Borrowed", "from_bytes_with_nul", "encode":
		parts := s.split(s.inside(open))
		if len(parts) >= 1 {
			return parts[0], true
		}
	}
	return span{}, false
}
