package cubin

import (
	"encoding/binary"
	"slices"

	"gpuci/kernels/entry"
)

// parameters gathers what a kernel's attributes say of its parameters.
type parameters struct {
	list    []entry.Param
	bytes   int
	sized   bool
	invalid bool
}

// add takes a record: u32 index, u16 ordinal, u16 offset, then u32 of which the
// upper 14 bits are the size, or, in blocks over 4 KiB, u16 size and u16 attributes.
func (p *parameters) add(a attribute) {
	if len(a.value) < 12 {
		p.invalid = true
		return
	}
	le := binary.LittleEndian
	one := entry.Param{Ordinal: int(le.Uint16(a.value[4:])), Offset: int(le.Uint16(a.value[6:]))}
	if a.id == attrParamV2 {
		one.Size = int(le.Uint16(a.value[8:]))
	} else {
		one.Size = int(le.Uint32(a.value[8:]) >> 18)
	}
	if p.list == nil { // the first has the highest ordinal
		p.list = make([]entry.Param, 0, min(one.Ordinal+1, usualParams))
	}
	p.list = append(p.list, one)
}

const usualParams = 32 // that room is made for at once, whatever a file says

func (p *parameters) size(bytes int) { p.bytes, p.sized = bytes, true }

// into gives the kernel its parameters, by ordinal. They are known only where the
// records leave no ordinal out, and none reaches behind the block's end; a block
// with bytes and without records is one whose records were taken away.
func (p *parameters) into(k *entry.Kernel, r *reader) {
	if p.sized {
		k.ParamBytes = r.keep(p.bytes)
	}
	slices.SortStableFunc(p.list, func(a, b entry.Param) int { return a.Ordinal - b.Ordinal })
	end := 0
	for i, one := range p.list {
		if one.Ordinal != i || one.Offset < end {
			p.invalid = true
		}
		end = one.Offset + one.Size
	}
	if p.invalid || end > p.bytes && p.sized || len(p.list) == 0 && p.bytes > 0 {
		return
	}
	k.ParamsKnown = true
	if len(p.list) > 0 {
		k.Params = p.list
	}
	if !p.sized && len(p.list) == 0 {
		k.ParamBytes = r.keep(0)
	}
}
