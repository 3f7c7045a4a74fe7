package cubin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The two layouts of e_flags. ABI 7 is that of CUDA up to 12.9 for architectures
// before sm_100, ABI 8 that of those after it and of all from CUDA 13.
const (
	abiV1 = 7
	abiV2 = 8

	acceleratedV1 = 0x800 // the "a" of sm_90a, ABI 7
	compatTarget  = 9     // attribute of .nv.compat that is 1 for it, ABI 8
)

// Notes, by the names of their sections.
const (
	noteTool = ".note.nv.tkinfo"
	noteCUDA = ".note.nv.cuinfo"
)

// provenance fills in what the module says of itself.
func (r *reader) provenance() {
	im, m := r.image, r.module
	suffix := ""
	switch im.abi {
	case abiV1:
		r.number = int(im.flags & 0xff)
		if im.flags&acceleratedV1 != 0 {
			suffix = "a"
		}
	case abiV2:
		r.number = int(im.flags >> 8 & 0xff)
	default:
		r.unread(fmt.Sprintf("ABI version %d is not known, 7 and 8 are: the architecture and what depends on it are missing", im.abi))
	}
	toolkit := 0
	if im.version > 1 {
		toolkit = int(im.version)
	}
	for _, s := range im.sections {
		switch s.name {
		case noteTool:
			r.tools(s.data)
		case noteCUDA:
			for _, n := range notes(s.data) {
				if len(n) >= 8 && toolkit == 0 {
					toolkit = int(binary.LittleEndian.Uint32(n[4:]))
				}
			}
		case ".nv.compat":
			attributes(s.data, func(a attribute) {
				if a.id == compatTarget && len(a.value) == 1 && a.value[0] == 1 {
					suffix = "a"
				}
			})
		}
	}
	r.toolkit(toolkit)
	if r.number > 0 {
		m.Arch = "sm_" + strconv.Itoa(r.number)
		if suffix == "" && slices.Contains(strings.Fields(m.Flags), m.Arch+"f") {
			suffix = "f" // a family target leaves no trace but the command line
		}
		m.Arch += suffix
	}
}

// toolkit writes 130 as 13.0.
func (r *reader) toolkit(number int) {
	if number > 0 {
		r.module.Toolkit = fmt.Sprintf("%d.%d", number/10, number%10)
	}
}

// tools reads the notes of what made the module: a version, then the offsets of
// five strings, which are an object's name, the tool's, its release, its build and
// its options. A linked cubin has one of each object's; the same twice is said once.
func (r *reader) tools(data []byte) {
	le := binary.LittleEndian
	var tools, flags []string
	for _, n := range notes(data) {
		const head = 24
		if len(n) < head || le.Uint32(n) != 2 {
			continue
		}
		words := string(n[head:])
		part := func(i int) string { return strings.TrimSpace(text(words, le.Uint32(n[4*i:]))) }
		tool := strings.TrimSpace(part(2) + " " + lastWord(part(3)))
		if build := strings.TrimPrefix(part(4), "Build "); build != "" {
			tool += " (" + build + ")"
		}
		tools, flags = once(tools, tool), once(flags, part(5))
	}
	r.module.Tool, r.module.Flags = strings.Join(tools, "; "), strings.Join(flags, "; ")
}

// most is the number of different tools or options that are told; a linked module
// has as many as somebody compiled differently.
const most = 8

func once(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) || len(list) == most {
		return list
	}
	return append(list, s)
}

// lastWord is V13.0.88 of "Cuda compilation tools, release 13.0, V13.0.88".
func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// notes gives the descriptions of a section of ELF notes: three u32 (length of
// the name, of the description, type), the name and the description, each filled
// up to four bytes.
func notes(data []byte) [][]byte {
	le := binary.LittleEndian
	var list [][]byte
	for len(data) >= 12 {
		name, size := uint64(le.Uint32(data)), uint64(le.Uint32(data[4:]))
		start := 12 + (name+3)&^3
		desc := cut(data, start, size)
		if desc == nil {
			return list
		}
		if bytes.HasPrefix(data[12:], []byte("NVIDIA Corp\x00")) {
			list = append(list, desc)
		}
		data = data[min(start+(size+3)&^3, uint64(len(data))):]
	}
	return list
}
