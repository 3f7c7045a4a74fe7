package cubin

import (
	"crypto/sha256"
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

// texts are what texts of the source are called by, which the compiler numbers as they
// come: by what they say. The list is by symbol, "" for what is none; nil where there are
// more than the file has bytes for.
type texts map[int]string

const (
	numberedText   = "$str"         // of a text
	asserts        = "__assertfail" // the function that tells of an assertion
	numberedShared = "$___"         // of a shared variable in code that is still to be linked
)

// newTexts names all texts of a file. Where something asserts, what is the path of a
// source counts by its last name alone: assert has that path as a text.
func newTexts(im *image) texts {
	all := make(texts)
	paths := slices.ContainsFunc(im.symbols, func(s symbol) bool { return s.name == asserts })
	left := overlap * len(im.data) // made-up ones may overlap
	for i, s := range im.symbols {
		if !s.object(im) || !strings.HasPrefix(s.name, numberedText) {
			continue
		}
		value := cut(im.sections[s.section].data, s.value, s.size)
		if left -= len(value); left < 0 {
			return nil
		}
		if paths && len(value) <= longestPath {
			value = []byte(entry.Text(string(value)))
		}
		sum := sha256.Sum256(value)
		all[i] = numberedText + " " + string(sum[:])
	}
	return all
}

const longestPath = 4 << 10 // PATH_MAX

// name is what a symbol is compared by: the name of its section, where it is one's; what
// a text says; and without the number that the name of a shared variable ends in.
func (h *hasher) name(i int) string {
	s := h.image.symbols[i]
	switch {
	case h.texts[i] != "":
		return h.texts[i]
	case s.kind == symbolSection && s.section > 0 && s.section < len(h.image.sections):
		return entry.Canonical(h.image.sections[s.section].name)
	case s.kind == symbolCUDA && strings.HasPrefix(s.name, numberedShared):
		return entry.Canonical(strings.TrimRight(s.name, "0123456789"))
	}
	return entry.Canonical(s.name)
}
