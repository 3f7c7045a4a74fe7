package cubin

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

// Parse reads a cubin. Its error wraps ErrFormat where the bytes are none, and
// says what is cut off or contradicts itself where they are. What a readable cubin
// has that is not understood stands in the module's Unread.
func Parse(data []byte) (entry.Module, error) { return parse(data, true) }

// Brief is Parse without the hashes that kernels are compared by, which take a third of
// the time.
func Brief(data []byte) (entry.Module, error) { return parse(data, false) }

func parse(data []byte, hashes bool) (entry.Module, error) {
	m := entry.Module{Kind: "cubin"}
	im, err := readImage(data)
	if err != nil {
		return m, err
	}
	m.ToLink = im.relative
	r := &reader{image: im, module: &m}
	r.provenance()
	r.sort()
	r.global()
	r.follow()
	r.make()
	for i, s := range im.symbols {
		if s.kernel() {
			r.kernel(i, s)
		}
	}
	if hashes {
		r.hashes()
	}
	if size := Size(data); size > uint64(len(data)) {
		r.unread(fmt.Sprintf("truncated: of its %d bytes %d are here", size, len(data)))
	}
	return m, nil
}

// global reads the numbers that stand in one section for all kernels.
func (r *reader) global() {
	n := len(r.image.symbols)
	r.registers, r.frame, r.stack = nothing(n), nothing(n), nothing(n)
	i := slices.IndexFunc(r.image.sections, func(s section) bool { return s.name == ".nv.info" })
	if i < 0 {
		return
	}
	whole := attributes(r.image.sections[i].data, func(a attribute) {
		of, value, ok := a.pair()
		switch {
		case !ok || uint64(of) >= uint64(len(r.registers)):
		case a.id == attrRegCount:
			r.registers[of] = int(value)
		case a.id == attrFrameSize:
			r.frame[of] = int(value)
		case a.id == attrMinStack:
			r.stack[of] = int(value)
			if value == 1<<32-1 { // it calls itself
				r.stack[of] = endless
			}
		}
	})
	if !whole {
		r.unread("the section .nv.info is not understood to its end: registers and frames may be missing")
	}
}

// endless is the stack of what calls itself, STACK:UNKNOWN to cuobjdump.
const endless = -2

// kernel reads the kernel whose symbol is the i-th. Instructions belong to one
// kernel; where a made-up file gives them to many, all but the first go without.
func (r *reader) kernel(i int, s symbol) {
	k := entry.Kernel{Name: strings.Clone(s.name), Params: []entry.Param{}}
	k.Registers = r.known(r.registers[i])
	if r.stack[i] != endless {
		k.Stack = r.known(max(r.frame[i], r.stack[i]))
	}
	at := s.section
	if at < 0 {
		at = max(0, slices.IndexFunc(r.image.sections, func(o section) bool { return o.name == prefixText+s.name }))
	}
	if at == indexUndefined || at >= len(r.image.sections) || r.taken[at] {
		r.unread(fmt.Sprintf("kernel %s has no instructions of its own: nothing but its name is known", s.name))
		k.AtomicsWhy = "it has no instructions of its own"
		r.module.Kernels = append(r.module.Kernels, k)
		return
	}
	r.taken[at] = true
	code := r.image.sections[at]
	k.Code, k.Shared = r.keep(int(code.size)), r.declared(r.section(r.shared, at, s.name))
	if info := r.section(r.info, at, s.name); info != nil {
		r.attributes(&k, info)
	}
	if r.image.abi == abiV1 && k.Barriers == nil {
		k.Barriers = r.keep(int(code.flags >> shiftBarriers & maskBarriers))
	}
	r.atomics(&k, len(r.module.Kernels)+1, at)
	r.module.Kernels = append(r.module.Kernels, k)
}

// The number of barriers stands in the flags of the section of instructions up to
// ABI 7, and in an attribute that is missing where there are none from ABI 8.
const (
	shiftBarriers = 20
	maskBarriers  = 0x7f
)

// declared is the shared memory that the source has. From sm_90 a block's first 1024 bytes are
// the system's, and every section counts them in, but for what is still to be linked; ptxas -v and
// the driver do not.
func (r *reader) declared(s *section) *int {
	size := 0
	switch {
	case r.number == 0:
		return nil
	case s == nil:
	case r.number >= 90 && s.kind != sectionShared && s.size >= reservedShared:
		size = int(s.size - reservedShared)
	case s.size <= maxShared:
		size = int(s.size)
	default:
		return nil
	}
	return r.keep(size)
}

const (
	reservedShared = 1 << 10
	maxShared      = 1 << 30 // more than any block has by a factor of thousands: not believed
)

// attributes reads a kernel's own section.
func (r *reader) attributes(k *entry.Kernel, info *section) {
	barriers := 0
	le := binary.LittleEndian
	var p parameters
	whole := attributes(info.data, func(a attribute) {
		switch {
		case a.id == attrParam || a.id == attrParamV2:
			p.add(a)
		case a.id == attrParamSize && len(a.value) == 2:
			p.size(int(le.Uint16(a.value)))
		case a.id == attrParamBank && len(a.value) == 8:
			p.size(int(le.Uint16(a.value[6:])))
		case a.id == attrMaxThreads:
			k.MaxThreads = a.triple()
		case a.id == attrReqThreads:
			k.ReqThreads = a.triple()
		case a.id == attrCluster:
			k.Cluster = a.triple()
		case a.id == attrInClusters:
			k.InClusters = true
		case a.id == attrMaxCluster && len(a.value) == 4:
			k.MaxCluster = int(le.Uint32(a.value))
		case a.id == attrToolkit && len(a.value) == 4 && r.module.Toolkit == "": // of ABI 8 without notes
			r.toolkit(int(le.Uint32(a.value)))
		case a.id == attrNumBarriers && len(a.value) == 1:
			barriers = int(a.value[0])
		}
	})
	if !whole {
		r.unread(fmt.Sprintf("the attributes of kernel %s are not understood to their end: its parameters are not known", k.Name))
		return
	}
	p.into(k, r)
	if r.image.abi == abiV2 {
		k.Barriers = r.keep(barriers)
	}
}

func (r *reader) unread(line string) { r.module.Unread = append(r.module.Unread, line) }

// make has room for all kernels at once: a library has tens of thousands.
func (r *reader) make() {
	kernels := 0
	for _, s := range r.image.symbols {
		if s.kernel() {
			kernels++
		}
	}
	r.module.Kernels = make([]entry.Kernel, 0, kernels)
	r.numbers = make([]int, 0, perKernel*kernels)
}

const perKernel = 6 // numbers that are kept of one

// keep is where a number stays.
func (r *reader) keep(n int) *int {
	r.numbers = append(r.numbers, n) // those before stay where they are
	return &r.numbers[len(r.numbers)-1]
}

// known is a number of a list, nil where it has none.
func (r *reader) known(n int) *int {
	if n < 0 {
		return nil
	}
	return r.keep(n)
}
