package cubin

import "encoding/binary"

// Is reports whether data begins as a cubin does: a 64-bit little-endian ELF file
// of the machine that CUDA is. The first MagicSize bytes say so.
func Is(data []byte) bool {
	return len(data) >= MagicSize && string(data[:len(Magic)]) == Magic &&
		binary.LittleEndian.Uint16(data[18:]) == machineCUDA
}

// What a cubin begins with, as every ELF file of 64 bits does, and in how many bytes the
// machine is said.
const (
	Magic     = "\x7fELF\x02\x01"
	MagicSize = 20
)

// Size is how many bytes the cubin has that data begins with, whatever follows it: up to
// the end of its last section or table. It may be more than there are.
func Size(data []byte) uint64 {
	if !Is(data) || len(data) < headSize {
		return headSize
	}
	le := binary.LittleEndian
	sections, programs := le.Uint64(data[40:]), le.Uint64(data[32:])
	n := uint64(le.Uint16(data[60:]))
	if first := cut(data, sections, sectionSize); n == 0 && first != nil {
		n = le.Uint64(first[32:])
	}
	end := max(headSize, past(sections, n, uint64(le.Uint16(data[58:]))), past(programs, uint64(le.Uint16(data[56:])), uint64(le.Uint16(data[54:]))))
	for i := range min(n, uint64(len(data))/sectionSize) {
		h := cut(data, sections+i*sectionSize, sectionSize)
		if h == nil {
			break
		}
		if s := (section{kind: le.Uint32(h[4:])}); !s.empty() {
			end = max(end, past(le.Uint64(h[24:]), 1, le.Uint64(h[32:])))
		}
	}
	return end
}

// past is where so many things of a size end that begin somewhere; made-up numbers do
// not run over.
func past(at, count, size uint64) uint64 {
	const far = 1 << 40
	if at > far || size > far || count > far/max(size, 1) {
		return far
	}
	return at + count*size
}
