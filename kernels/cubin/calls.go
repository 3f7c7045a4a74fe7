package cubin

import (
	"encoding/binary"
	"slices"
	"strings"

	"gpuci/kernels/entry"
)

// flow is what is known of all instructions: what each section of them does, and which
// others it comes to. A function that was compiled with its kernel stands in the kernel's
// own section; one that was compiled apart has a section, and relocations name it.
type flow struct {
	units []unit
	of    []int32 // by section: its unit, from 1; 0: it has no instructions
	taken []int32 // units of functions whose addresses are kept: a call through a pointer may mean each
	steps int     // of maxSteps that are left
	cut   bool    // the kernel that is being followed was not, to its end
	room  int     // of what kernels can still be given that other functions do, so that memory is bounded by the file's size
}

// unit is one section of instructions.
type unit struct {
	scan
	section  int32
	visited  int32   // the kernel for which it was last looked at, from 1
	embedded bool    // it holds a function beside its kernel
	to       []int32 // units whose functions it names
}

// maxSteps bounds the functions that are looked at for all kernels of a file: a made-up
// one could let each kernel come to each function.
const maxSteps = 1 << 20

const usualRoom = 1 << 12 // float atomics of other functions, whatever the size of a file

// ofCompiler is what the names of ptxas's own subroutines begin with, for divisions,
// square roots and votes: they hold no atomics and spill nothing.
const ofCompiler = "__cuda_sm"

// follow looks at all instructions and relocations, once each.
func (r *reader) follow() {
	f := &r.flow
	f.steps, f.room, f.of = maxSteps, len(r.image.data)/16+usualRoom, make([]int32, len(r.image.sections))
	decoded := slices.Contains(architectures, r.number)
	count := 0
	for i := range r.image.sections {
		if r.image.sections[i].code() {
			count++
		}
	}
	f.units = make([]unit, 0, count)
	for i := range r.image.sections {
		s := &r.image.sections[i]
		if !s.code() {
			continue
		}
		u := unit{section: int32(i)}
		if decoded {
			u.scan = r.scan(s.data)
			r.pointers(&u)
		}
		f.units = append(f.units, u)
		f.of[i] = int32(len(f.units))
	}
	for i := range r.image.symbols {
		s := &r.image.symbols[i]
		if u := f.unit(s.section); u > 0 && s.kind == symbolFunc && !s.kernel() && !strings.Contains(s.name, ofCompiler) {
			f.units[u-1].embedded = true
		}
	}
	for i := range r.image.sections {
		if s := &r.image.sections[i]; (s.kind == relocSum || s.kind == relocPlain) && uint64(s.info) < uint64(len(f.of)) {
			r.relocations(s, int(s.info))
		}
	}
	slices.Sort(f.taken)
	f.taken = slices.Compact(f.taken)
}

// unit is a section's, from 1, 0 where it has none.
func (f *flow) unit(section int) int32 {
	if section < 0 || section >= len(f.of) {
		return 0
	}
	return f.of[section]
}

// relocations notes whom a section calls, and whose addresses it keeps.
func (r *reader) relocations(rel *section, of int) {
	size := relSize
	if rel.kind == relocSum {
		size = relaSize
	}
	target, from := &r.image.sections[of], r.flow.of[of]
	if target.flags&flagAlloc == 0 && from == 0 { // what debuggers read
		return
	}
	le := binary.LittleEndian
	for b := rel.data; len(b) >= size; b = b[size:] {
		at, index := le.Uint64(b), le.Uint64(b[8:])>>32
		switch {
		case index >= uint64(len(r.image.symbols)):
		case from == 0:
			if s := &r.image.symbols[index]; !s.kernel() && s.kind == symbolFunc && r.flow.unit(s.section) > 0 {
				r.flow.taken = append(r.flow.taken, r.flow.unit(s.section)-1)
			}
		default:
			r.names(&r.flow.units[from-1], callsAt(target.data, at), &r.image.symbols[index])
		}
	}
}

const flagAlloc = 2 // sh_flags: it is there when the kernel runs

// names notes that an instruction names a symbol: it calls it, or takes its address.
func (r *reader) names(u *unit, called bool, s *symbol) {
	if called {
		u.absolute--
	}
	to := r.flow.unit(s.section) - 1
	switch {
	case s.kernel() || s.kind != symbolFunc && s.kind != symbolSection && !called:
	case s.section == indexUndefined:
		if u.outside == "" && !entry.OfDriver(s.name) && s.kind != symbolSection {
			u.outside = s.name
		}
	case to < 0 || r.flow.units[to].section == u.section:
	default:
		if len(u.to) == 0 || u.to[len(u.to)-1] != to {
			u.to = append(u.to, to)
		}
		if !called {
			r.flow.taken = append(r.flow.taken, to)
		}
	}
}

// pointers finds out which calls through a register are none of a pointer: the system's
// functions are called so, and the attributes say where, and which they are.
func (r *reader) pointers(u *unit) {
	if len(u.pointers) == 0 {
		return
	}
	info := r.section(r.info, int(u.section), strings.TrimPrefix(r.image.sections[u.section].name, prefixText))
	if info == nil {
		return
	}
	var system []int
	var names []string
	attributes(info.data, func(a attribute) {
		switch a.id {
		case attrSystemCalls:
			system = append(system, a.numbers()...)
		case attrExterns:
			for _, i := range a.numbers() {
				if i < len(r.image.symbols) && r.image.symbols[i].section == indexUndefined {
					names = append(names, r.image.symbols[i].name)
				}
			}
		}
	})
	slices.Sort(system)
	before := len(u.pointers)
	u.pointers = slices.DeleteFunc(u.pointers, func(at int) bool {
		_, found := slices.BinarySearch(system, at)
		return found
	})
	if i := slices.IndexFunc(names, func(s string) bool { return !entry.OfDriver(s) }); i >= 0 && len(u.pointers) < before {
		u.outside = names[i]
	}
}

// call notes a call whose target is in a register. Those of immediate targets have a
// relocation, or stay in their section. Without -rdc a pointer is an offset, from a
// table of the section.
func (s *scan) call(low uint16, code []byte, at int) {
	switch kind := code[at+1] >> 1 & 7; {
	case kind == immediate && low == opCallAbsolute:
		s.absolute++
	case kind == immediate && low == opCallRelative:
	case low != opCallRelative:
		s.pointers = append(s.pointers, at)
	case s.local == 0:
		s.local = at
	}
}

// callsAt says whether the relocation at an offset is of a call with an immediate target.
func callsAt(code []byte, at uint64) bool {
	word := cut(code, at&^0xf, 16)
	if word == nil {
		return false
	}
	low := binary.LittleEndian.Uint16(word) & 0x1ff
	return (low == opCallAbsolute || low == opCallRelative) && word[1]>>1&7 == immediate
}
