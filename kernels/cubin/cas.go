package cubin

import (
	"encoding/binary"
	"slices"
)

// A loop of compare-and-swap that stores what it read plus something adds in memory, in
// the order in which threads come by, like an atomic that adds: so the compiler writes
// an addition of floats in shared memory. Where the value that is stored is, within the
// instructions right before, an addition of floats with the value that is compared, it
// is called that; all else stays unknown.

// reads says where an instruction of one operation has the registers that it reads, and
// what it is called where it adds floats.
type reads struct {
	slots byte
	sum   string
}

// The places of registers, by the byte that they are in: of the second only where the
// kind of operands says so.
const (
	slotA = 1 << iota
	slotB
	slotC
)

// followed are the operations that are followed, by the nine lowest bits: additions of
// floats, and those whose result is made of what their registers hold, moves, selections,
// parts put together, the larger of two, conversions.
var followed = map[uint16]reads{
	0x021: {slotA | slotB, "FADD"}, 0x029: {slotA | slotC, "DADD"}, 0x030: {slotA | slotB, "HADD2"},
	0x023: {slotA | slotB | slotC, "FFMA"}, 0x02b: {slotA | slotB | slotC, "DFMA"}, 0x031: {slotA | slotB | slotC, "HFMA2"}, 0x035: {slotA | slotB | slotC, "HFMA2.MMA"},
	0x002: {slotB, ""}, 0x007: {slotA | slotB, ""}, 0x009: {slotA | slotB, ""}, 0x040: {slotA | slotB, ""}, // MOV SEL FMNMX HMNMX2
	0x012: {slotA | slotB | slotC, ""}, 0x016: {slotA | slotB | slotC, ""}, 0x019: {slotA | slotB | slotC, ""}, 0x024: {slotA | slotB | slotC, ""}, // LOP3 PRMT SHF IMAD
	0x03e: {slotA | slotB, ""}, 0x104: {slotB, ""}, 0x110: {slotB, ""}, // F2FP F2F
}

const (
	wordSize  = 16      // bytes of an instruction
	zeroValue = 0xff    // the register that is always 0
	lookBack  = 48      // instructions before a swap; the loops have ten
	mostSwaps = 1 << 15 // of a file, that are looked into: a bound for made-up ones
)

// The registers of an instruction are in these bytes: what it writes, and its operands.
// The second of the latter is one only where the kind of operands says so.
const (
	byteTo    = 2
	byteA     = 3
	byteB     = 4
	byteC     = 8
	kindThree = 1 // all of them are registers
)

// swapName is a compare-and-swap's name, "" of what is none.
func swapName(low uint16) string {
	switch low {
	case opAtomSwap:
		return "ATOM.CAS"
	case opSharedSwap:
		return "ATOMS.CAS"
	case opAtomGSwap:
		return "ATOMG.CAS"
	}
	return ""
}

// swapped says which addition of floats the compare-and-swap at an offset stores, "" where
// that is not seen.
func (r *reader) swapped(code []byte, at int) string {
	expected, stored := code[at+byteB], code[at+byteC]
	if r.swaps++; r.swaps > mostSwaps || expected == zeroValue || stored == zeroValue {
		return ""
	}
	f := flowBack{code: code, first: max(0, at-lookBack*wordSize), expected: expected}
	return f.sum(stored, at)
}

// flowBack follows registers to the instructions before that wrote them.
type flowBack struct {
	code     []byte
	first    int // offset, no further back
	expected byte
	seen     [lookBack + 1]bool // instructions that were followed for a sum
	held     [lookBack + 1]bool // and for the value that is compared
}

// sum is the addition of floats that a register's value was made by, out of the value
// that is compared.
func (f *flowBack) sum(register byte, before int) string {
	at, what := f.written(register, before)
	if at < 0 || f.seen[(at-f.first)/wordSize] {
		return ""
	}
	f.seen[(at-f.first)/wordSize] = true
	operands := f.operands(at, what.slots)
	if what.sum != "" && slices.ContainsFunc(operands, func(r byte) bool { return f.holds(r, at) }) {
		return what.sum
	}
	for _, r := range operands {
		if name := f.sum(r, at); name != "" {
			return name
		}
	}
	return ""
}

// holds says whether a register has the value that is compared, or a part of it.
func (f *flowBack) holds(register byte, before int) bool {
	if register == f.expected {
		return true
	}
	at, what := f.written(register, before)
	if at < 0 || f.held[(at-f.first)/wordSize] {
		return false
	}
	f.held[(at-f.first)/wordSize] = true
	return slices.ContainsFunc(f.operands(at, what.slots), func(r byte) bool { return f.holds(r, at) })
}

// written is the last instruction before an offset that writes a register, and what it
// reads; -1 where none is near.
func (f *flowBack) written(register byte, before int) (at int, what reads) {
	for at = before - wordSize; at >= f.first; at -= wordSize {
		if f.code[at+byteTo] == register {
			return at, followed[binary.LittleEndian.Uint16(f.code[at:])&0x1ff]
		}
	}
	return -1, reads{}
}

// operands are the registers that an instruction reads.
func (f *flowBack) operands(at int, slots byte) (list []byte) {
	add := func(r byte) {
		if r != zeroValue {
			list = append(list, r)
		}
	}
	if slots&slotA != 0 {
		add(f.code[at+byteA])
	}
	if slots&slotB != 0 && f.code[at+1]>>1&7 == kindThree {
		add(f.code[at+byteB])
	}
	if slots&slotC != 0 {
		add(f.code[at+byteC])
	}
	return list
}
