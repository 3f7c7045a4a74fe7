package cubin

import (
	"slices"
	"strings"
)

// Sections that are hashed, by name.
const (
	prefixConstant = ".nv.constant" // a bank's number, and in most the kernel, follow
	sectionInit    = ".nv.global.init"
	paramBank      = ".nv.constant0." // holds the parameters, and zeros
)

const (
	relocSum   = 4 // sh_type: relocations with an addend
	relocPlain = 9 // without one
	relaSize   = 24
	relSize    = 16

	symbolSection = 3 // low four bits of st_info
	symbolObject  = 1
	symbolCUDA    = 13 // an object too, of code that is still to be linked
)

// maxReached bounds the functions that are looked up for all kernels of a file, which
// a made-up one could let each call all.
const maxReached = 1 << 20

// hashes fills in what kernels and module are compared by: everything that is run or
// read, and nothing that debuggers read. Symbols count by name, for their numbers
// change with what stands beside them.
func (r *reader) hashes() {
	h := newHasher(r.image)
	next := 0
	for _, s := range r.image.symbols {
		if !s.kernel() || next == len(r.module.Kernels) {
			continue
		}
		k := &r.module.Kernels[next] // they stand in the order of their symbols
		next++
		at := s.section
		if at < 0 {
			at = slices.IndexFunc(r.image.sections, func(o section) bool { return o.name == prefixText+s.name })
		}
		if at > 0 && at < len(r.image.sections) && len(r.image.sections[at].data) > 0 {
			k.CodeHash = h.kernel(at)
		}
	}
	r.module.DataHash = h.data()
}

// hasher finds what belongs together. Its lists are by section.
type hasher struct {
	image       *image
	mix         mix
	relocations chain  // of a section
	banks       chain  // of constants, of a section of instructions
	parts       []part // sections of instructions that are hashed
	reached     []bool // sections of instructions that a kernel names
	left        int    // of maxReached
	texts       texts
}

// part is one section of instructions.
type part struct {
	hash  string
	names []int // sections of instructions that it refers to
}

func newHasher(im *image) *hasher {
	n := len(im.sections)
	h := &hasher{image: im, mix: newMix(), relocations: newChain(n), banks: newChain(n), parts: make([]part, n), reached: make([]bool, n), left: maxReached, texts: newTexts(im)}
	for i := n - 1; i >= 0; i-- { // the last becomes the first of its chain
		switch s := &im.sections[i]; {
		case s.kind == relocSum || s.kind == relocPlain:
			h.relocations.add(int(s.info), i)
		case s.bank() && s.info > 0 && !strings.HasPrefix(s.name, paramBank):
			h.banks.add(int(s.info), i)
		}
	}
	return h
}

func (s *section) bank() bool { return strings.HasPrefix(s.name, prefixConstant) }

func (s *section) code() bool { return strings.HasPrefix(s.name, prefixText) }

// kernel hashes the instructions and constants of one, and of all that it refers to.
func (h *hasher) kernel(at int) string {
	own := h.part(at)
	if len(own.names) == 0 {
		return own.hash
	}
	seen := map[int]bool{at: true}
	var hashes []string
	for open := []int{at}; len(open) > 0; open = open[1:] {
		p := h.part(open[0])
		hashes = append(hashes, p.hash)
		for _, n := range p.names {
			if h.left--; h.left < 0 {
				return ""
			}
			if !seen[n] {
				seen[n], h.reached[n] = true, true
				open = append(open, n)
			}
		}
	}
	h.mix.reset()
	for _, one := range hashes {
		h.mix.text(one)
	}
	return h.mix.short()
}

// part hashes a section of instructions by itself.
func (h *hasher) part(at int) part {
	if h.parts[at].hash != "" {
		return h.parts[at]
	}
	h.mix.reset()
	h.mix.bytes(h.image.sections[at].data)
	names := h.relocated(nil, at)
	for _, b := range h.sortedBanks(at) {
		s := &h.image.sections[b]
		bank, _, _ := strings.Cut(s.name[len(prefixConstant):], ".")
		h.mix.text(bank)
		h.mix.bytes(s.data)
		names = h.relocated(names, b)
	}
	names = slices.DeleteFunc(names, func(n int) bool { return n == at })
	slices.Sort(names)
	h.parts[at] = part{h.mix.short(), slices.Compact(names)}
	return h.parts[at]
}

// sortedBanks are the constants of a section of instructions, by their names.
func (h *hasher) sortedBanks(at int) (list []int) {
	for b := h.banks.first(at); b > 0; b = h.banks.next[b] {
		list = append(list, b)
	}
	slices.SortStableFunc(list, func(a, b int) int { return strings.Compare(h.image.sections[a].name, h.image.sections[b].name) })
	return list
}
