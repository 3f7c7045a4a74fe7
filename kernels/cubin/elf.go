package cubin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// ErrFormat is what an error of Parse wraps when the bytes are no cubin at all.
var ErrFormat = errors.New("not a cubin")

const (
	machineCUDA = 190
	typeRel     = 1 // e_type of a file that is still to be linked

	headSize    = 64
	sectionSize = 64
	symbolSize  = 24

	sectionSymbols = 2 // sh_type
	sectionNone    = 8 // has a size and no bytes in the file

	// Nor have these, of code that is still to be linked on the device, as in NCCL's
	// library: what they are for is memory of the card.
	sectionGlobal = 0x70000007 // .nv.global
	sectionShared = 0x7000000a // .nv.shared, .nv_debug.shared

	indexUndefined = 0
	indexExtended  = 0xffff // the index did not fit into its 16 bits

	symbolFunc = 2    // low four bits of st_info
	otherEntry = 0x10 // of st_other: the driver can launch it
)

// image is a cubin as ELF has it. debug/elf of the standard library is not
// used, for it rejects the e_version of CUDA 12, which is the toolkit's.
type image struct {
	data     []byte
	names    int    // bytes of names that may still be read
	version  uint32 // e_version: 1, or the toolkit, 124
	flags    uint32
	abi      byte
	relative bool
	sections []section
	symbols  []symbol
}

type section struct {
	name  string
	kind  uint32
	flags uint64
	info  uint32
	size  uint64
	data  []byte // nil where the file has no bytes for it
}

// empty says whether a section has no bytes in the file, whatever its size.
func (s *section) empty() bool {
	return s.kind == sectionNone || s.kind == sectionGlobal || s.kind == sectionShared
}

type symbol struct {
	name    string
	kind    byte // low four bits of st_info
	other   byte
	section int // -1: not told here
	value   uint64
	size    uint64
}

// readImage reads the header, the sections and the symbols. Names and contents
// are slices of data, so that a file of one size costs at most so many headers as
// fit into it.
func readImage(data []byte) (*image, error) {
	if !Is(data) {
		return nil, ErrFormat
	}
	if len(data) < headSize {
		return nil, fmt.Errorf("read cubin: truncated: it has %d bytes, and its header alone has %d", len(data), headSize)
	}
	le := binary.LittleEndian
	im := &image{
		data: data, names: namesFactor*len(data) + 1<<16, abi: data[8], relative: le.Uint16(data[16:]) == typeRel,
		version: le.Uint32(data[20:]), flags: le.Uint32(data[48:]),
	}
	if err := im.readSections(le.Uint64(data[40:]), le.Uint16(data[60:]), le.Uint16(data[62:]), le.Uint16(data[58:])); err != nil {
		return nil, err
	}
	return im, im.readSymbols()
}

func (im *image) readSections(at uint64, count, names, entry uint16) error {
	if at == 0 {
		return nil
	}
	if entry != sectionSize {
		return fmt.Errorf("read cubin: section headers of %d bytes, not %d", entry, sectionSize)
	}
	le := binary.LittleEndian
	n, named := uint64(count), uint64(names)
	if first := cut(im.data, at, sectionSize); first != nil { // of more than 65279 sections the count is here
		if n == 0 {
			n = le.Uint64(first[32:])
		}
		if names == indexExtended {
			named = uint64(le.Uint32(first[40:]))
		}
	}
	if n > uint64(len(im.data))/sectionSize {
		return fmt.Errorf("read cubin: truncated: its %d sections do not fit into %d bytes", n, len(im.data))
	}
	table := cut(im.data, at, n*sectionSize)
	if table == nil {
		return fmt.Errorf("read cubin: truncated: its section table at %d lies behind its end at %d", at, len(im.data))
	}
	im.sections = make([]section, n)
	total := uint64(0)
	for i := range im.sections {
		h := table[i*sectionSize:]
		s := &im.sections[i]
		s.kind, s.flags = le.Uint32(h[4:]), le.Uint64(h[8:])
		s.size, s.info = le.Uint64(h[32:]), le.Uint32(h[44:])
		if s.empty() {
			continue
		}
		if s.data = cut(im.data, le.Uint64(h[24:]), s.size); s.data == nil && s.size != 0 {
			return fmt.Errorf("read cubin: truncated: section %d of %d bytes lies behind its end at %d", i, s.size, len(im.data))
		}
		if total += s.size; total > overlap*uint64(len(im.data)) { // each is gone through once
			return fmt.Errorf("read cubin: its sections come to more than %d times its %d bytes", overlap, len(im.data))
		}
	}
	if named < n {
		names := string(im.sections[named].data) // once, and each name is a part of it
		for i := range im.sections {
			im.sections[i].name = im.name(names, le.Uint32(table[i*sectionSize:]))
		}
	}
	return im.spent()
}

// readSymbols reads the first symbol table; a cubin has one.
func (im *image) readSymbols() error {
	le := binary.LittleEndian
	var table []byte
	var names string
	for _, s := range im.sections {
		switch {
		case s.kind == sectionSymbols && table == nil:
			table = s.data
		case s.name == ".strtab" && names == "":
			names = string(s.data)
		}
	}
	im.symbols = make([]symbol, len(table)/symbolSize)
	for i := range im.symbols {
		b := table[i*symbolSize:]
		s := &im.symbols[i]
		s.name, s.kind, s.other = im.name(names, le.Uint32(b)), b[4]&0xf, b[5]
		s.section, s.value, s.size = int(le.Uint16(b[6:])), le.Uint64(b[8:]), le.Uint64(b[16:])
		if s.section == indexExtended {
			s.section = -1
		} else if s.section != indexUndefined && s.section < 0xff00 && s.section >= len(im.sections) {
			return fmt.Errorf("read cubin: symbol %d is of section %d of %d", i, s.section, len(im.sections))
		}
	}
	return im.spent()
}

// overlap bounds the sections of a file by its size. In a cubin they stand one after
// the other.
const overlap = 2

// namesFactor bounds the names of a file by its size. They stand there one after
// the other, so that they come to less than the file; a made-up one lets thousands
// overlap, each nearly as long as the file.
const namesFactor = 2

// name is text, as long as names are left to be read.
func (im *image) name(table string, at uint32) string {
	if im.names < 0 {
		return ""
	}
	s := text(table, at)
	im.names -= len(s)
	return s
}

func (im *image) spent() error {
	if im.names < 0 {
		return fmt.Errorf("read cubin: its names come to more than %d times its %d bytes", namesFactor, len(im.data))
	}
	return nil
}

// kernel reports whether the driver can launch s. Static kernels are local
// symbols, so the binding does not matter.
func (s symbol) kernel() bool { return s.kind == symbolFunc && s.other&otherEntry != 0 }

// cut is size bytes of data from at, nil where those are not there.
func cut(data []byte, at, size uint64) []byte {
	if at > uint64(len(data)) || size > uint64(len(data))-at {
		return nil
	}
	return data[at : at+size : at+size]
}

// text is the string at the offset of a string table: at most up to its end.
func text(table string, at uint32) string {
	if uint64(at) >= uint64(len(table)) {
		return ""
	}
	rest := table[at:]
	if end := strings.IndexByte(rest, 0); end >= 0 {
		rest = rest[:end]
	}
	return rest
}
