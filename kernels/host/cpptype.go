package host

// ctypes are the sizes and alignments of types of C++ and CUDA, in bytes, on the hosts
// that CUDA runs on: 64 bits, and long is 8 bytes on Linux.
var ctypes = map[string][2]int{
	"bool": {1, 1}, "char": {1, 1}, "int8_t": {1, 1}, "uint8_t": {1, 1}, "short": {2, 2}, "int16_t": {2, 2}, "uint16_t": {2, 2},
	"int": {4, 4}, "unsigned": {4, 4}, "signed": {4, 4}, "uint": {4, 4}, "int32_t": {4, 4}, "uint32_t": {4, 4}, "float": {4, 4},
	"long": {8, 8}, "int64_t": {8, 8}, "uint64_t": {8, 8}, "size_t": {8, 8}, "double": {8, 8}, "ptrdiff_t": {8, 8}, "uintptr_t": {8, 8},
	"half": {2, 2}, "__half": {2, 2}, "nv_bfloat16": {2, 2}, "__nv_bfloat16": {2, 2}, "half2": {4, 4}, "__half2": {4, 4},
	"float2": {8, 8}, "int2": {8, 8}, "uint2": {8, 8}, "float3": {12, 4}, "int3": {12, 4}, "uint3": {12, 4}, "dim3": {12, 4},
	"float4": {16, 16}, "int4": {16, 16}, "uint4": {16, 16}, "double2": {16, 16}, "CUtensorMap": {128, 64},
}

// cppType reads a type.
func (s *source) cppType(x span, depth int) typed {
	if depth > maxDepth || !s.step() {
		return typed{}
	}
	t := typed{}
	for i := x.from; i < x.to; i++ {
		n := s.toks[i]
		switch {
		case n.is("*"), n.word("CUdeviceptr"):
			return typed{name: s.show(x), size: pointerSize, align: pointerSize, pointer: true}
		case n.is("&"), n.is("::"), n.word("const"), n.word("constexpr"), n.word("static"), n.word("volatile"), n.word("std"), n.word("struct"):
		case n.kind != name || n.word("auto") || n.is("<"):
			return typed{}
		case n.word("int") && t.size > 0, n.word("long") && t.size == 8: // unsigned int, long long
		case n.word("char") && t.size > 0, n.word("short") && t.size > 0, n.word("long") && t.size > 0:
			c := ctypes[n.text]
			t.size, t.align = c[0], c[1]
		case t.name != "":
			return typed{}
		default:
			c, ok := ctypes[n.text]
			t = typed{name: n.text, size: c[0], align: c[1]}
			if !ok {
				t = s.layout(n.text, depth, s.cppType)
			}
		}
	}
	if t.size > 0 {
		t.name = s.show(x)
	}
	return t
}

// pointee tells what an element of an argument array points to: &n, (void*)&n.
func (s *source) pointee(x span, at int) Arg {
	a := Arg{Text: s.show(x)}
	for !x.empty() && s.step() {
		first := s.toks[x.from]
		switch {
		case first.is("(") && s.pair[x.from] > 0 && s.pair[x.from] < x.to-1 && s.tok(s.pair[x.from]-1).is("*"):
			x.from = s.pair[x.from] + 1 // a cast
			continue
		case first.is("(") && s.wraps(x):
			x = s.inside(x.from)
			continue
		case (first.word("static_cast") || first.word("reinterpret_cast") || first.word("const_cast")) && s.tok(x.to-1).is(")") && s.pair[x.to-1] > x.from:
			x = s.inside(s.pair[x.to-1])
			continue
		}
		break
	}
	if !s.tok(x.from).is("&") {
		return a
	}
	x.from++
	for s.tok(x.from).is("(") && s.wraps(x) {
		x = s.inside(x.from)
	}
	if x.empty() || !s.plainPath(x) {
		return a
	}
	t := s.cppNamed(x, at)
	a.Type, a.Size, a.Pointer = t.name, t.size, t.pointer
	return a
}

// cppNamed is the type of a variable or a member.
func (s *source) cppNamed(x span, at int) typed {
	n := s.tok(x.to - 1).text
	if p := s.tok(x.to - 2); x.to-x.from > 1 && (p.is(".") || p.is("->")) {
		n = "." + n
	}
	bindings := s.find(n, at)
	if len(bindings) == 0 { // a member, declared below
		bindings = s.find("."+n, at)
	}
	var found typed
	for k, b := range bindings {
		t := s.cppType(b.typ, 0)
		if b.typ.empty() || k > 0 && t != found {
			return typed{}
		}
		found = t
	}
	return found
}
