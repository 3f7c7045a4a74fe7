package gates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/config"
)

// layout says what a file holds: its head, and then arrays without gaps.
type layout struct {
	head   int64 // bytes
	arrays []array
}

// array is one of a file.
type array struct {
	name     string // "" of the only one
	from, to int64  // in the file
	size     int64  // of an element, in bytes
	element  string // "" for bytes, else one of config.ElementTypes, or c64, c128, bool
	big      bool   // big-endian
	shape    []int64
	fortran  bool // the first index runs fastest
}

// layoutOf reads the head of an .npy or a safetensors file of some bytes, of which
// data is the beginning, by what is in it; what any other holds is as declared. What
// does not fit is bytes.
func layoutOf(data []byte, whole int64, declared string) layout {
	if a, ok := npyLayout(data, whole); ok {
		return layout{a.from, []array{a}}
	}
	if l, ok := safetensorsLayout(data, whole); ok {
		return l
	}
	size := int64(config.ElementTypes()[declared])
	if size == 0 || whole%size != 0 {
		return bytesLayout(whole)
	}
	return layout{arrays: []array{{to: whole, size: size, element: declared}}}
}

func bytesLayout(whole int64) layout { return layout{arrays: []array{{to: whole, size: 1}}} }

// count is how many elements a file has, and what they are.
func (l layout) count() (n int64, what string) {
	what = l.arrays[0].what()
	for _, a := range l.arrays {
		n += (a.to - a.from) / a.size
		if a.what() != what {
			what = ""
		}
	}
	return n, strings.TrimSpace(what + " values")
}

// what names the elements; "" where they are of a type that is not read.
func (a array) what() string {
	switch {
	case a.element != "":
		return a.element
	case a.size == 1:
		return "byte"
	}
	return ""
}

// at names the element at a byte of the file.
func (a array) at(place int64) string {
	n := (place - a.from) / a.size
	name := a.name
	if name == "" {
		name = "element "
	}
	if len(a.shape) < 2 || slices.ContainsFunc(a.shape, func(n int64) bool { return n <= 0 }) {
		if a.name == "" {
			return name + strconv.FormatInt(n, 10)
		}
		return fmt.Sprintf("%s[%d]", name, n)
	}
	index := make([]string, len(a.shape))
	for i := range a.shape {
		axis := len(a.shape) - 1 - i
		if a.fortran {
			axis = i
		}
		index[axis] = strconv.FormatInt(n%a.shape[axis], 10)
		n /= a.shape[axis]
	}
	return name + "[" + strings.Join(index, ",") + "]"
}

// fills says whether arrays are all that a file has behind its head, so that no byte
// of it is passed over.
func (l layout) fills(whole int64) bool {
	at := l.head
	for _, a := range l.arrays {
		if a.from != at || a.to < a.from || a.size <= 0 || (a.to-a.from)%a.size != 0 {
			return false
		}
		at = a.to
	}
	return at == whole && len(l.arrays) > 0
}
