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
		if left -= h.variable(h.image.symbols[i]); left < 0 {
			return ""
		}
	}
	for _, i := range functions {
		h.mix.text(entry.Canonical(h.image.sections[i].name))
		h.mix.text(h.parts[i].hash)
	}
	for i := range h.image.sections {
		if s := &h.image.sections[i]; s.bank() && s.info == 0 || s.name == sectionInit {
			h.mix.text(s.name)
			h.relocated(nil, i)
		}
	}
	return h.mix.short()
}

// objects are the symbols of variables, by name.
func (h *hasher) objects() (list []int) {
	for i, s := range h.image.symbols {
		if s.kind == symbolObject && s.section > 0 && s.section < len(h.image.sections) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return strings.Compare(h.image.symbols[a].name, h.image.symbols[b].name) })
	return list
}

// variable hashes one: its name, its size, and where it has one its value. Paths of
// sources, which assert has as a text, are none of it. It gives how many bytes it has.
func (h *hasher) variable(s symbol) int {
	value := cut(h.image.sections[s.section].data, s.value, s.size)
	name := s.name
	if strings.HasPrefix(name, "$str") {
		if entry.SourcePath(string(value[:min(len(value), longestPath)])) {
			return 0
		}
		name = "$str"
	}
	h.mix.text(entry.Canonical(name))
	h.mix.number(s.size)
	h.mix.bytes(value)
	return len(value)
}

const longestPath = 4 << 10 // PATH_MAX

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
				functions = h.named(functions, h.image.symbols[info>>32])
			}
		}
	}
	return functions
}

// named hashes what a relocation is of.
func (h *hasher) named(functions []int, s symbol) []int {
	name := s.name
	known := s.section > 0 && s.section < len(h.image.sections)
	if known && s.kind == symbolSection {
		name = h.image.sections[s.section].name
	}
	if strings.HasPrefix(name, "$str") {
		name = "$str"
	}
	h.mix.text(entry.Canonical(name))
	if known && h.image.sections[s.section].code() {
		return append(functions, s.section)
	}
	return functions
}
