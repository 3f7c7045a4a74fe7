package host

import "strings"

// scalars are the sizes of types that are passed as they are, in bytes.
var scalars = map[string]int{
	"bool": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "f16": 2, "bf16": 2, "u32": 4, "i32": 4, "f32": 4,
	"u64": 8, "i64": 8, "f64": 8, "usize": 8, "isize": 8, "CUdeviceptr": 8,
}

// buffers are types of which a launch passes the device pointer.
const buffers = " CudaSlice CudaView CudaViewMut DeviceBuffer DeviceBox DevicePointer UnifiedBuffer "

// pointerSize is the size of a device pointer: all hosts and devices here have 64 bits.
const pointerSize = 8

// typed is a type, as far as it is known.
type typed struct {
	name    string
	size    int // bytes; 0: not known
	align   int
	pointer bool
}

// rustArg reads one argument of a launch.
func (s *source) rustArg(x span) Arg {
	t := s.rustTypeOf(x, x.from, 0)
	return Arg{Text: s.show(x), Type: t.name, Size: t.size, Pointer: t.pointer}
}

// rustTypeOf tells the type of an expression where the source says it plainly.
func (s *source) rustTypeOf(x span, at, depth int) typed {
	for s.tok(x.from).is("&") || s.tok(x.from).word("mut") || s.tok(x.from).is("*") && x.to-x.from > 1 {
		if s.tok(x.from).is("*") {
			return typed{} // what it points to
		}
		x.from++
	}
	if depth > maxDepth || x.empty() || !s.step() {
		return typed{}
	}
	first, last := s.toks[x.from], s.toks[x.to-1]
	if first.is("(") && s.wraps(x) && len(s.split(s.inside(x.from))) == 1 {
		return s.rustTypeOf(s.inside(x.from), at, depth+1)
	}
	if t, ok := s.castTo(x, depth); ok {
		return t
	}
	switch {
	case x.to-x.from == 1 && first.kind == number:
		_, suffix := cutSuffix(first.text)
		return typed{name: suffix, size: scalars[suffix], align: scalars[suffix]}
	case x.to-x.from == 1 && (first.word("true") || first.word("false")):
		return typed{name: "bool", size: 1, align: 1}
	case x.to-x.from == 2 && first.is("-") && last.kind == number:
		return s.rustTypeOf(span{x.from + 1, x.to}, at, depth+1)
	case s.plainPath(x):
		return s.namedType(x, at, depth)
	case last.is("}") && first.kind == name && s.pair[x.to-1] > x.from:
		return s.literalType(x, depth)
	case last.is("?") || last.is(")"):
		return s.resultType(x, depth)
	}
	return typed{}
}

// castTo reads the type of x as T.
func (s *source) castTo(x span, depth int) (typed, bool) {
	as := -1
	for i := x.from; i < x.to; i = s.after(i) {
		if s.toks[i].word("as") {
			as = i
		}
	}
	if as < 0 {
		return typed{}, false
	}
	typ := span{as + 1, x.to}
	if s.tok(x.from).is("-") || typ.to-typ.from > 12 {
		typ = span{as + 1, min(x.to, as+2)}
	}
	for i := typ.from; i < typ.to; i++ { // x as u32 * 2, of that type still, but (x as usize).min()
		if t := s.toks[i]; t.kind == punct && i > typ.from && !t.is("::") && !t.is("<") && !t.is(">") && !s.tok(typ.from).is("*") {
			if t.is("+") || t.is("-") || t.is("*") || t.is("/") || t.is("%") {
				typ.to = i
				break
			}
			return typed{}, true
		}
	}
	return s.rustType(typ, depth+1), true
}

// namedType is that of a variable, a field or a constant.
func (s *source) namedType(x span, at, depth int) typed {
	n := s.toks[x.to-1].text
	if s.tok(x.to - 2).is(".") {
		var found typed
		for k, b := range s.find("."+n, at) {
			t := s.rustType(b.typ, depth+1)
			if k > 0 && t != found {
				return typed{}
			}
			found = t
		}
		return found
	}
	list := s.find(n, at)
	if len(list) != 1 {
		return typed{}
	}
	b := list[0]
	switch {
	case !b.typ.empty():
		return s.rustType(b.typ, depth+1)
	case b.element >= 0:
		if e := s.element(b); len(e) == 1 {
			return s.rustTypeOf(e[0], e[0].from, depth+1)
		}
	case !b.value.empty() && !(b.value.from <= at && at < b.value.to):
		return s.rustTypeOf(b.value, b.value.from, depth+1)
	}
	return typed{}
}

// literalType is that of a struct literal.
func (s *source) literalType(x span, depth int) typed {
	open := s.pair[x.to-1]
	if s.plainPath(span{x.from, open}) {
		return s.rustType(span{open - 1, open}, depth+1)
	}
	return typed{}
}

// makers are calls that give a buffer in device memory.
const makers = " alloc_zeros clone_htod htod_copy htod_sync_copy memcpy_stod null clone_dtod "

// resultType is that of a call, where its name leaves no doubt.
func (s *source) resultType(x span, depth int) typed {
	for s.tok(x.to - 1).is("?") {
		x.to--
	}
	open := s.pair[max(x.to-1, 0)]
	if open <= x.from {
		return typed{}
	}
	n := s.tok(open - 1)
	if n.is(">") { // alloc_zeros::<f32>(n)
		for k := open - 1; k > x.from && k > open-16; k-- {
			if s.toks[k].is("::") && s.toks[k+1].is("<") {
				n, open = s.tok(k-1), k
				break
			}
		}
	}
	method := s.tok(open - 2).is(".")
	switch {
	case method && (n.word("unwrap") || n.word("expect") || n.word("w") || n.word("map_err") || n.word("context")):
		if depth < maxDepth {
			return s.resultType(span{x.from, open - 2}, depth+1)
		}
	case method && strings.Contains(makers, " "+n.text+" "), method && n.word("as_device_ptr"):
		return typed{name: "device pointer", size: pointerSize, align: pointerSize, pointer: true}
	case method && n.word("len") && s.inside(open).empty():
		return typed{name: "usize", size: 8, align: 8}
	case s.tok(open-2).is("::") && (n.word("default") || n.word("new")):
		if t := s.rustType(span{open - 3, open - 2}, depth+1); t.size > 0 && !t.pointer {
			return t
		}
	}
	return typed{}
}
