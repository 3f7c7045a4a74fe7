package cubin

import (
	"encoding/binary"
	"slices"

	"gpuci/kernels/entry"
)

// An instruction has 128 bits from sm_70 on. Its operation is in the nine lowest;
// the three above them say which kinds of operands it has, and do not matter here.
// These are all that change memory in one step, and the calls. Which bits say what
// was found by handing nvdisasm every operation, and these with every value of
// those bits, for each architecture below.
const (
	opCallAbsolute = 0x143 // CALL.ABS; the operand of a call is a number where the three bits say immediate
	opCallRelative = 0x144 // CALL.REL
	opJumpIndirect = 0x14c // JMX
	opJumpUniform  = 0x159 // JMXU
	immediate      = 4

	opReduceUniform = 0x178 // UREDGR
	opAtom          = 0x18a // ATOM
	opAtomSwap      = 0x18b // ATOM.CAS, ATOM.CAST
	opSharedSwap    = 0x18d // ATOMS.CAS, ATOMS.CAST; ATOMS itself, 0x18c, has no floats
	opReduce        = 0x18e // RED, REDG
	opSurfaceFirst  = 0x193 // SUATOM, in four forms
	opSurfaceLast   = 0x196
	opSurfaceRed    = 0x19f // SURED, in two forms
	opSurfaceRed2   = 0x1a0
	opAtomFloat     = 0x1a2 // ATOM, from sm_90, as the next four
	opAtomGFloat    = 0x1a3
	opLoadReduce    = 0x1a5 // LDGMC; that of 0x1a4 has no floats
	opReduceFloat   = 0x1a6
	opTensorReduce  = 0x1b6 // UTMAREDG
	opBulkReduce    = 0x1bb // UBLKRED
	opAtomG         = 0x1a8 // ATOMG
	opAtomGSwap     = 0x1a9
)

// architectures are those whose instructions were all looked at.
var architectures = []int{70, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 107, 110, 120, 121}

// The kinds of numbers of an atomic instruction, by bits 73 and up: before sm_90
// three of them, from then on four, in instructions that have floats alone; and of
// a bulk reduction, by bits 81 to 84.
var (
	kindsBefore90 = [8]string{3: "F32", 4: "F16x2", 6: "F64"}
	kindsFrom90   = [16]string{
		"F16x2", "F16x4", "F16x8", "BF16x2", "BF16x4", "BF16x8",
		9: "F32", 10: "F32x2", 11: "F32x4", 12: "F32", 13: "F32x2", 14: "F32x4", 15: "F64",
	}
	kindsSmall = [16]string{1: "E5M2x4", 2: "E5M2x8", 3: "E5M2x16", 4: "E4M3x4", 5: "E4M3x8", 6: "E4M3x16"} // of LDGMC with bit 87
	kindsBulk  = [16]string{4: "F16", 5: "F32", 6: "F32", 7: "F64", 8: "BF16"}
)

// scan is what a stretch of instructions has of what is looked for.
type scan struct {
	atomics  []entry.Atomic
	unsure   string // the first instruction that may add floats or not, "" where there is none
	unsureAt int    // and where it is
	absolute int    // calls of what a number says, less those whose number a relocation brings
	pointers []int  // where it calls what a register says, but for local
	local    int    // where it first calls one of its own section that a register says; 0: nowhere, for a register is filled before
	outside  string // the first function that it calls and that is neither in the file nor harmless, "" where there is none
}

// verdict is what one instruction is.
type verdict struct {
	op     string // a float addition, or ""
	unsure string // may be one, or ""
}

// scan looks at every instruction.
func (r *reader) scan(code []byte) scan {
	var s scan
	for at := 0; at+16 <= len(code); at += 16 {
		low := binary.LittleEndian.Uint16(code[at:]) & 0x1ff
		if low < opCallAbsolute || low > opBulkReduce {
			continue
		}
		switch low {
		case opCallAbsolute, opCallRelative, opJumpIndirect, opJumpUniform:
			s.call(low, code, at)
			continue
		}
		v := judge(r.number, low, binary.LittleEndian.Uint64(code[at+8:]))
		if swap := swapName(low); swap != "" {
			if sum := r.swapped(code, at); sum != "" {
				v = verdict{op: swap + " of " + sum}
			}
		}
		switch {
		case v.op != "":
			s.add(v.op, at)
		case v.unsure != "" && s.unsure == "":
			s.unsure, s.unsureAt = v.unsure, at
		}
	}
	return s
}

func (s *scan) add(op string, at int) {
	i := slices.IndexFunc(s.atomics, func(a entry.Atomic) bool { return a.Op == op })
	if i < 0 {
		s.atomics = append(s.atomics, entry.Atomic{Op: op, Count: 1, At: at})
		return
	}
	s.atomics[i].Count++
}

// judge tells a float addition by an instruction's operation and its upper half.
func judge(arch int, low uint16, high uint64) verdict {
	operation := high >> 23 & 0xf
	switch low {
	case opAtom, opAtomG, opReduce:
		return judgeOld(arch, low, high, operation)
	case opAtomSwap, opSharedSwap, opAtomGSwap:
		return verdict{unsure: "a compare-and-swap"}
	case opSurfaceFirst, opSurfaceFirst + 1, opSurfaceFirst + 2, opSurfaceLast, opSurfaceRed, opSurfaceRed2:
		return verdict{unsure: "an atomic on a surface"}
	}
	if arch < 90 {
		return verdict{}
	}
	adds := operation&7 == 0
	switch low {
	case opAtomFloat, opAtomGFloat, opReduceFloat, opLoadReduce:
		return judgeFloat(arch, low, high, operation)
	case opBulkReduce:
		return named("UBLKRED.ADD", kindsBulk[high>>17&0xf], high>>17&0xf > 8, adds)
	case opTensorReduce:
		if adds { // of numbers whose kind stands in the tensor map
			return verdict{unsure: "a tensor reduction, UTMAREDG.ADD"}
		}
	case opReduceUniform:
		return verdict{unsure: "a uniform reduction, UREDGR"}
	}
	return verdict{}
}

// judgeOld is of the instructions whose floats are before sm_90 alone.
func judgeOld(arch int, low uint16, high, operation uint64) verdict {
	if arch >= 90 {
		return verdict{}
	}
	kind := kindsBefore90[high>>9&7]
	switch low {
	case opReduce:
		return named("RED.ADD", kind, false, operation&7 == 0)
	case opAtom:
		return named("ATOM.ADD", kind, false, operation == 0)
	}
	return named("ATOMG.ADD", kind, false, operation == 0 || operation == 9) // 9 is SAFEADD
}

// judgeFloat is of those that have floats alone.
func judgeFloat(arch int, low uint16, high, operation uint64) verdict {
	kind, name := kindsFrom90[high>>9&0xf], "ATOM.ADD"
	switch low {
	case opLoadReduce:
		return judgeLoad(arch, high, operation)
	case opAtomGFloat:
		name = "ATOMG.ADD"
	case opReduceFloat:
		name = "REDG.ADD"
	}
	return named(name, kind, kind == "", operation>>1&3 == 0)
}

// judgeLoad is of LDGMC, the load that adds up over the cards of a multicast address. It
// has a second addition, which keeps more bits of the sum than the numbers have.
func judgeLoad(arch int, high, operation uint64) verdict {
	kind := kindsFrom90[high>>9&0xf]
	if operation&1 != 0 {
		kind = kindsSmall[high>>9&0xf]
	}
	switch {
	case operation>>1&3 == 0:
		return named("LDGMC.ADD", kind, kind == "", true)
	case operation>>1&3 != 3:
		return verdict{}
	case arch < 100:
		return named("LDGMC.F32ADD", kind, kind == "", true)
	}
	return named("LDGMC.HPADD", kind, kind == "", true)
}

// named is a float addition of a kind that has a name, one that may be where the
// kind is strange, and nothing where it does not add.
func named(op, kind string, strange, adds bool) verdict {
	switch {
	case !adds:
	case kind != "":
		return verdict{op: op + "." + kind}
	case strange:
		return verdict{unsure: op + " of an unknown kind of numbers"}
	}
	return verdict{}
}
