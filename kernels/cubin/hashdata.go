package cubin

import (
	"encoding/binary"
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

// data hashes what all kernels share: variables with their values, banks of constants,
// and functions that no kernel names, which are called by their addresses.
func (h *hasher) data() string {
	kernels := make([]bool, len(h.image.sections))
	for _, s := range h.image.symbols {
		if s.kernel() && s.section > 0 && s.section < len(kernels) {
			kernels[s.section] = true
		}
	}
	var functions []int
	for i := range h.image.sections {
		if s := &h.image.sections[i]; s.code() && !kernels[i] && !h.reached[i] {
			functions = append(functions, i)
			h.part(i)
		}
	}
	h.mix.reset()
	left := overlap * len(h.image.data) // made-up variables may overlap
	for _, i := range h.objects() {
		if left -= h.variable(i); left < 0 {
			return ""
		}
	}
	for _, i := range functions {
		h.mix.text(entry.Canonical(h.image.sections[i].name))
		h.mix.text(h.parts[i].hash)
	}
	for i := range h.image.sections {
		if s := &h.image.sections[i]; s.bank() && s.info == 0 || strings.HasPrefix(s.name, sectionInit) {
			h.mix.text(s.name)
			h.relocated(nil, i)
		}
	}
	return h.mix.short()
}

// objects are the symbols of variables, by name.
func (h *hasher) objects() (list []int) {
	for i, s := range h.image.symbols {
		if s.object(h.image) {
			list = append(list, i)
		}
	}
	names := make(map[int]string, len(list))
	for _, i := range list {
		names[i] = h.name(i)
	}
	slices.SortStableFunc(list, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	return list
}

// object says whether a symbol is a variable that has a place in this file.
func (s symbol) object(im *image) bool {
	return (s.kind == symbolObject || s.kind == symbolCUDA) && s.section > 0 && s.section < len(im.sections)
}

// variable hashes one: its name, its size, and where it has one its value; of a text, its
// name says that. It gives how many bytes it has.
func (h *hasher) variable(i int) int {
	s := h.image.symbols[i]
	value := cut(h.image.sections[s.section].data, s.value, s.size)
	h.mix.text(h.name(i))
	if h.texts[i] == "" {
		h.mix.number(s.size)
		h.mix.bytes(value)
	}
	return len(value)
}

// relocated hashes the relocations of a section, and adds to a list the sections of
// functions that they name.
func (h *hasher) relocated(functions []int, at int) []int {
	le := binary.LittleEndian
	for i := h.relocations.first(at); i > 0; i = h.relocations.next[i] {
		s := &h.image.sections[i]
		size := relSize
		if s.kind == relocSum {
			size = relaSize
		}
		for b := s.data; len(b) >= size; b = b[size:] {
			info := le.Uint64(b[8:])
			h.mix.number(le.Uint64(b))
			h.mix.number(info & 0xffffffff)
			if size == relaSize {
				h.mix.number(le.Uint64(b[16:]))
			}
			if info>>32 < uint64(len(h.image.symbols)) {
				functions = h.named(functions, int(info>>32))
			}
		}
	}
	return functions
}

// named hashes what a relocation is of.
func (h *hasher) named(functions []int, i int) []int {
	h.mix.text(h.name(i))
	if s := h.image.symbols[i]; s.section > 0 && s.section < len(h.image.sections) && h.image.sections[s.section].code() {
		return append(functions, s.section)
	}
	return functions
}
