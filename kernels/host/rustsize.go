package host

import "strings"

// rustType reads a type.
func (s *source) rustType(x span, depth int) typed {
	for !x.empty() && (s.tok(x.from).is("&") || s.tok(x.from).word("mut") || s.tok(x.from).is("&&")) {
		x.from++
	}
	if depth > maxDepth || x.empty() || !s.step() {
		return typed{}
	}
	first := s.toks[x.from]
	switch {
	case first.is("*"):
		return typed{name: s.show(x), size: pointerSize, align: pointerSize, pointer: true}
	case first.is("[") && s.wraps(x):
		in := s.inside(x.from)
		semi := s.until(in.from, in.to, ";")
		n, ok := s.integer(span{min(semi+1, in.to), in.to}, in.from, 0)
		if e := s.rustType(span{in.from, semi}, depth+1); ok && n > 0 && e.size < maxStruct && n < maxStruct {
			return typed{name: s.show(x), size: e.size * n, align: e.align}
		}
		return typed{}
	}
	i := x.from
	for i+2 < x.to && s.tok(i+1).is("::") {
		i += 2
	}
	n := s.toks[i].text
	alias := s.structs["type "+n]
	switch {
	case strings.Contains(buffers, " "+n+" "):
		return typed{name: s.show(x), size: pointerSize, align: pointerSize, pointer: true}
	case i+1 < x.to:
		return typed{}
	case scalars[n] > 0:
		return typed{name: n, size: scalars[n], align: scalars[n]}
	case alias.count > 0:
		return s.rustType(alias.fields[0].typ, depth+1)
	}
	return s.layout(n, depth, s.rustType)
}

// maxStruct is the size in bytes beyond which no type is followed: the parameters of a
// kernel have 32,764 together at most.
const maxStruct = 1 << 20

// layout computes the size of a struct as C lays it out.
func (s *source) layout(n string, depth int, of func(span, int) typed) typed {
	st, ok := s.structs[n]
	if !ok || !st.known || st.count != 1 || len(st.fields) == 0 {
		return typed{name: n}
	}
	whole := typed{name: n, align: max(1, st.align)}
	for _, f := range st.fields {
		t := of(f.typ, depth+1)
		if t.size <= 0 || t.align <= 0 || whole.size > maxStruct {
			return typed{name: n}
		}
		if st.packed {
			t.align = 1
		}
		whole.size = roundUp(whole.size, t.align) + t.size
		whole.align = max(whole.align, t.align)
	}
	whole.size = roundUp(whole.size, whole.align)
	return whole
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
