package gates

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/config"
)

// npyHead finds what NumPy's head says (numpy.lib.format): type, order, shape.
func npyHead(text []byte) (descr, shape string, fortran, ok bool) {
	find := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			return ""
		}
		return string(m[1])
	}
	descr = find(`'descr': '([^']*)'`)
	order := find(`'fortran_order': (True|False)`)
	shape = find(`'shape': (\([0-9, ]*\))`)
	return descr, shape, order == "True", order != "" && shape != ""
}

// npyLayout reads the head of NumPy's format, versions 1 to 3. Of a type that is not
// read (a text, a record, a date) the elements are bytes.
func npyLayout(data []byte, whole int64) (a array, ok bool) {
	if !bytes.HasPrefix(data, []byte("\x93NUMPY")) || len(data) < 12 {
		return a, false
	}
	head, length := int64(10), int64(binary.LittleEndian.Uint16(data[8:]))
	if data[6] > 1 {
		head, length = 12, int64(binary.LittleEndian.Uint32(data[8:]))
	}
	if head+length > int64(len(data)) {
		return a, false
	}
	descr, shape, fortran, ok := npyHead(data[head : head+length])
	if !ok {
		return a, false
	}
	a = array{from: head + length, to: whole, fortran: fortran}
	a.element, a.size, a.big = npyType(descr)
	for word := range strings.SplitSeq(strings.Trim(shape, "()"), ",") {
		if n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64); err == nil {
			a.shape = append(a.shape, n)
		}
	}
	if rest := whole - a.from; rest%a.size != 0 || product(a.shape) != rest/a.size {
		a.element, a.size, a.shape = "", 1, nil // an array that goes on, or whose elements are not read
	}
	return a, true
}

// product is how many elements a shape has, -1 where they are more than a file's.
func product(shape []int64) int64 {
	n := int64(1)
	for _, length := range shape {
		if length > 0 && n > (1<<62)/length {
			return -1
		}
		n *= length
	}
	return n
}

// npyType reads a type as '<f4' has it: order, kind, bytes. What is not read has no
// name, and size 1 where its elements are no fixed few bytes.
func npyType(descr string) (element string, size int64, big bool) {
	if len(descr) < 3 {
		return "", 1, false
	}
	order, kind := descr[0], descr[1:2]
	n, err := strconv.Atoi(descr[2:])
	if err != nil || n < 1 || n > 16 {
		return "", 1, false
	}
	name := kind + strconv.Itoa(8*n)
	if descr[1:] == "b1" {
		name = "bool"
	}
	_, known := config.ElementTypes()[name]
	switch {
	case !strings.ContainsRune("<>|=", rune(order)) || !strings.Contains("fiucbSVMm", kind):
		return "", 1, false
	case !known && !slices.Contains([]string{"bool", "c64", "c128"}, name):
		return "", int64(n), false
	}
	return name, int64(n), order == '>'
}

// safetensorsLayout reads the head of that format, which says of every tensor its
// type and its place.
func safetensorsLayout(data []byte, whole int64) (l layout, ok bool) {
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
	l.head = 8 + int64(length)
	for name, text := range head {
		var t struct {
			DType   string   `json:"dtype"`
			Shape   []int64  `json:"shape"`
			Offsets [2]int64 `json:"data_offsets"`
		}
		if name == "__metadata__" {
			continue
		}
		if json.Unmarshal(text, &t) != nil {
			return l, false
		}
		a := array{name: name, from: l.head + t.Offsets[0], to: l.head + t.Offsets[1], shape: t.Shape, size: 1}
		if typ := strings.ToLower(t.DType); typ == "bool" || typ == "c64" || config.ElementTypes()[typ] > 0 {
			a.element, a.size = typ, map[string]int64{"bool": 1, "c64": 8}[typ]+int64(config.ElementTypes()[typ])
		}
		if rest := a.to - a.from; product(a.shape) != rest/a.size || rest%a.size != 0 {
			a.element, a.size, a.shape = "", 1, nil
		}
		l.arrays = append(l.arrays, a)
	}
	slices.SortFunc(l.arrays, func(a, b array) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), strings.Compare(a.name, b.name))
	})
	return l, l.fills(whole)
}
