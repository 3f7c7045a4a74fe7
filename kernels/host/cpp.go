package host

import "strings"

// readCPP reads a source in C++ or CUDA C++.
func (s *source) readCPP() {
	if testPath(s.file.Path) {
		s.flag(span{0, len(s.toks)}, inTest)
	}
	s.cppMacros()
	s.cppItems()
	s.rustCalls() // a call is written alike
	s.cppModules()
	s.cppLookups()
	s.cppLaunches()
}

// cppItems finds what names stand for.
func (s *source) cppItems() {
	var ends []int
	for i := 0; i < len(s.toks) && s.step(); i++ {
		for len(ends) > 0 && i >= ends[len(ends)-1] {
			ends = ends[:len(ends)-1]
		}
		end := len(s.toks)
		if len(ends) > 0 {
			end = ends[len(ends)-1]
		}
		t := s.toks[i]
		switch {
		case t.is("{"):
			if s.pair[i] > i {
				ends = append(ends, s.pair[i])
			}
			s.cppFunction(i)
		case (t.word("struct") || t.word("class")) && s.tok(i+1).kind == name:
			s.cppStruct(i)
		case t.is("="):
			s.assign(i, end)
		}
		if p := s.tok(i - 1); t.kind == name && (i == 0 || p.is(";") || p.is("{") || p.is("}") || p.is("(") && s.tok(i-2).word("for")) {
			s.declaration(i, end)
		}
	}
}

// notFunctions stand before a parenthesis and a block, and are no functions.
const notFunctions = " if for while switch catch sizeof alignas return decltype "

// cppFunction keeps the function whose body opens at i, and binds its parameters.
func (s *source) cppFunction(i int) {
	j := i - 1
	for j > i-12 && (s.tok(j).kind == name || s.tok(j).is("->") || s.tok(j).is("::")) { // const noexcept override -> T
		j--
	}
	open := -1
	if s.tok(j).is(")") {
		open = s.pair[j]
	}
	n := s.tok(open - 1)
	if open < 1 || n.kind != name && !n.is("]") || strings.Contains(notFunctions, " "+n.text+" ") || s.pair[i] < i {
		return
	}
	f := function{name: n.text, open: open, body: s.inside(i)}
	for _, p := range s.splitTypes(s.inside(open)) {
		to := s.until(p.from, p.to, "=", "[")
		x := param{typ: span{p.from, max(to-1, p.from)}}
		if s.tok(to-1).kind == name && to-p.from > 1 {
			x.name = s.tok(to - 1).text
		}
		if s.tok(to).is("[") && to < p.to {
			x.typ = span{}
		}
		f.params = append(f.params, x)
	}
	if n.kind == name {
		s.funcs[f.name] = append(s.funcs[f.name], f)
	}
	for k, p := range f.params {
		s.bind(p.name, binding{from: f.body.from, to: f.body.to, typ: p.typ, element: -1, param: &f, index: k})
	}
}

// notTypes begin statements that are no declarations.
const notTypes = " return delete new throw goto case else using typedef namespace template public private protected break continue if for while do switch struct class enum union friend operator default extern "

// declaration binds the names of the declaration that may begin at i.
func (s *source) declaration(i, end int) {
	if strings.Contains(notTypes, " "+s.toks[i].text+" ") {
		return
	}
	n := s.typeLength(i, end)
	if n == i {
		return
	}
	typ := span{i, n}
	for k := n; k < end && s.step(); {
		own := typ
		for s.tok(k).is("*") || s.tok(k).is("&") || s.tok(k).word("const") {
			k++
		}
		t, next := s.tok(k), s.tok(k+1)
		if t.kind != name {
			return
		}
		own.to = max(n, k)
		if k > n && n > typ.from { // int a, *b: the stars are b's own
			own = span{typ.from, n}
			if s.tok(k - 1).is("*") {
				own = span{k - 1, k}
			}
		}
		b := binding{from: k, to: end, typ: own, element: -1}
		stop := s.until(k+1, end, ",", ";")
		switch {
		case next.is("="):
			b.value = span{k + 2, stop}
		case next.is("(") || next.is("{"):
			b.value = s.inside(k + 1)
		case next.is("["):
			b.typ = span{}
			if eq := s.until(k+1, stop, "="); s.tok(eq).is("=") && eq < stop {
				b.value = span{eq + 1, stop}
			}
		case next.is(";") || next.is(",") || next.is(":"):
		default:
			return
		}
		s.bind(t.text, b)
		if !s.tok(stop).is(",") {
			return
		}
		k, n = stop+1, min(n, stop)
	}
}

// typeLength gives the token after the type that begins at i, without the stars that
// belong to a name, and i where none is.
func (s *source) typeLength(i, end int) int {
	j, named := i, false
	for j < end && s.step() {
		t := s.toks[j]
		switch {
		case t.kind != name:
			return i
		case strings.Contains(" const constexpr static volatile inline extern register struct thread_local __shared__ __device__ __constant__ unsigned signed long short ", " "+t.text+" "):
			named = named || strings.Contains(" unsigned signed long short ", " "+t.text+" ")
			j++
		case named && !strings.Contains(" int char double ", " "+t.text+" "):
			return j
		default:
			named = true
			j++
			for s.tok(j).is("::") && s.tok(j+1).kind == name {
				j += 2
			}
			if s.tok(j).is("<") {
				j = s.generics(j, min(end, j+64))
			}
			return j
		}
		if named && (s.tok(j).is("*") || s.tok(j).is("&")) {
			return j
		}
	}
	return i
}
