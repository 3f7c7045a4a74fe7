package inspect

import (
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"gpuci/kernels/entry"
)

// Join gives the parameters of cubins the types and alignments that PTX among the
// modules declares for a kernel of that name. It does so only where the two have as
// many parameters, of the same sizes at the same offsets, and no other PTX says
// otherwise: a cubin made from another source gets nothing.
func Join(modules []entry.Module) {
	declared := map[string][]entry.Param{}
	for _, m := range modules {
		if m.Kind != "ptx" {
			continue
		}
		for _, k := range m.Kernels {
			before, there := declared[k.Name]
			if there && !same(before, k.Params, true) || !k.ParamsKnown {
				declared[k.Name] = nil // it is not known which
				continue
			}
			declared[k.Name] = k.Params
		}
	}
	for _, m := range modules {
		if m.Kind != "cubin" {
			continue
		}
		for _, k := range m.Kernels {
			from := declared[k.Name]
			if !k.ParamsKnown || !same(from, k.Params, false) {
				continue
			}
			for i := range k.Params {
				k.Params[i].Type, k.Params[i].Align = from[i].Type, from[i].Align
			}
		}
	}
}

// same compares the places of parameters and, where asked, what PTX says of them.
func same(a, b []entry.Param, types bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Offset != b[i].Offset || a[i].Size != b[i].Size || types && a[i].Type != b[i].Type {
			return false
		}
	}
	return true
}

// Readable is a kernel's name as its source has it, or the name itself where it is
// none of C++. A static kernel's begins with what nvcc put before it to tell it
// from those of other files: __nv_static_N__ and N characters.
func Readable(name string) string {
	const longest = 32 << 10 // bytes; the templates of CUTLASS come to 20 KiB
	inner := name
	if rest, ok := strings.CutPrefix(name, "__nv_static_"); ok {
		size, rest, _ := strings.Cut(rest, "__")
		if n, err := strconv.Atoi(size); err == nil && n >= 0 && n < len(rest) {
			inner = rest[n:]
		}
	}
	if len(inner) > longest {
		return name
	}
	out, err := demangle.ToString(inner, demangle.MaxLength(17)) // 2^17 bytes
	if err != nil {
		return name
	}
	return out
}
