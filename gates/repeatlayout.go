package gates

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/config"
)

// layout says where the elements of a file are. Its zero value is bytes.
type layout struct {
	data    int64  // where they begin
	element string // one of config.ElementTypes, "" for bytes
	shape   []int64
	tensors []tensor // of a safetensors file, by their places; then element is that of the smallest unit
}

// tensor is one of a safetensors file.
type tensor struct {
	name     string
	from, to int64 // in the file
}

// layoutOf reads the head of an .npy or a safetensors file by what is in it; of any
// other the elements are as declared.
func layoutOf(data []byte, declared string) layout {
	if l, ok := npyLayout(data); ok {
		return l
	}
	if l, ok := safetensorsLayout(data); ok {
		return l
	}
	return layout{element: declared}
}

// name is that of the element at a byte of the file.
func (l layout) name(at, size int64) string {
	for _, t := range l.tensors {
		if t.from <= at && at < t.to {
			return fmt.Sprintf("%s[%d]", t.name, (at-t.from)/size)
		}
	}
	n := (at - l.data) / size
	if len(l.shape) < 2 {
		return fmt.Sprintf("element %d", n)
	}
	index := make([]string, len(l.shape))
	for i := len(l.shape) - 1; i >= 0; i-- {
		if l.shape[i] <= 0 {
			return fmt.Sprintf("element %d", n)
		}
		index[i] = strconv.FormatInt(n%l.shape[i], 10)
		n /= l.shape[i]
	}
	return "element [" + strings.Join(index, ",") + "]"
}

var (
	npyDescr = regexp.MustCompile(`'descr': '[<|]([fiu])([1248])'`)
	npyShape = regexp.MustCompile(`'fortran_order': False, 'shape': \(([0-9, ]*)\)`)
)

// npyLayout reads the head of NumPy's format, versions 1 to 3 (numpy.lib.format).
func npyLayout(data []byte) (l layout, ok bool) {
	if !bytes.HasPrefix(data, []byte("\x93NUMPY")) || len(data) < 12 {
		return l, false
	}
	head, length := int64(10), int64(binary.LittleEndian.Uint16(data[8:]))
	if data[6] > 1 {
		head, length = 12, int64(binary.LittleEndian.Uint32(data[8:]))
	}
	if head+length > int64(len(data)) {
		return l, false
	}
	text := data[head : head+length]
	m := npyDescr.FindSubmatch(text)
	if m == nil || string(m[1]) == "f" && m[2][0] == '1' {
		return l, false
	}
	l.data, l.element = head+length, string(m[1])+strconv.Itoa(8*int(m[2][0]-'0'))
	if m := npyShape.FindSubmatch(text); m != nil {
		for word := range strings.SplitSeq(string(m[1]), ",") {
			if n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64); err == nil {
				l.shape = append(l.shape, n)
			}
		}
	}
	return l, true
}

// safetensorsLayout reads the head of that format. Where its tensors are not all of
// one type, the elements are bytes.
func safetensorsLayout(data []byte) (l layout, ok bool) {
	if len(data) < 10 || data[8] != '{' {
		return l, false
	}
	length := binary.LittleEndian.Uint64(data)
	if length > uint64(len(data)-8) {
		return l, false
	}
	var head map[string]json.RawMessage
	if json.Unmarshal(data[8:8+length], &head) != nil {
		return l, false
	}
	l.data = 8 + int64(length)
	types := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(head)) {
		var t struct {
			DType   string   `json:"dtype"`
			Offsets [2]int64 `json:"data_offsets"`
		}
		if name == "__metadata__" || json.Unmarshal(head[name], &t) != nil {
			continue
		}
		types[strings.ToLower(t.DType)] = true
		l.tensors = append(l.tensors, tensor{name, l.data + t.Offsets[0], l.data + t.Offsets[1]})
	}
	if len(types) == 1 {
		for name := range types {
			if config.ElementTypes()[name] > 0 {
				l.element = name
			}
		}
	}
	return l, len(l.tensors) > 0
}
