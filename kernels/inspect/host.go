package inspect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	magicELF = "\x7fELF"

	hostHead    = 64 // of an ELF file of 64 bits, and of one of its sections
	sectionHead = 64

	sectionBits = 1 // sh_type: has its bytes in the file
	flagAlloc   = 2 // sh_flags: is there when the program runs
	flagCode    = 4

	maxSections = 1 << 20
	maxTitles   = 16 << 20 // bytes of the names of sections
)

// overlap bounds the sections of a host by its size: they stand one after the other, and
// a made-up file lets thousands be the same bytes.
const overlap = 2

// hostSection is a section of a host's file.
type hostSection struct {
	title               uint32 // where its name begins
	kind                uint32
	flags, offset, size uint64
}

// host reads a host's ELF file. Fat binaries stand in the sections .nv_fatbin, and
// __nv_relfatbin of code that is, or was, to be linked on the device; what a program
// includes as bytes or text stands among its other data. CUDA has no hosts but of 64 bits,
// with the least byte first.
func (r *reader) host(f *io.SectionReader, part string) error {
	sections, titles, err := hostSections(f)
	if err != nil {
		return fmt.Errorf("read ELF: %w", err)
	}
	left := overlap * f.Size()
	for _, s := range sections {
		name := title(titles, s.title)
		device := name == ".nv_fatbin" || name == "__nv_relfatbin"
		if s.kind != sectionBits || !device && (s.flags&flagAlloc == 0 || s.flags&flagCode != 0) {
			continue
		}
		if s.offset > uint64(f.Size()) || s.size > uint64(f.Size())-s.offset {
			return fmt.Errorf("read ELF: section %s lies behind the file's end: it is truncated", name)
		}
		if left -= int64(s.size); left < 0 {
			return fmt.Errorf("read ELF: its sections come to more than %d times its %d bytes", overlap, f.Size())
		}
		content := io.NewSectionReader(f, int64(s.offset), int64(s.size))
		if device {
			err = r.fatbins(content, part)
		} else {
			err = r.embedded(content, within(part, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hostSections reads the table of sections, and their names.
func hostSections(f *io.SectionReader) (list []hostSection, titles []byte, err error) {
	le := binary.LittleEndian
	head := make([]byte, hostHead)
	if n, err := f.ReadAt(head, 0); n < hostHead && (err == nil || errors.Is(err, io.EOF)) {
		return nil, nil, fmt.Errorf("truncated: it has %d bytes, and its header alone has %d", n, hostHead)
	} else if n < hostHead {
		return nil, nil, err
	}
	if head[4] != 2 || head[5] != 1 {
		return nil, nil, fmt.Errorf("%w: it is of another kind than 64 bits with the least byte first", ErrNone)
	}
	at, n, names := le.Uint64(head[40:]), uint64(le.Uint16(head[60:])), uint64(le.Uint16(head[62:]))
	first := make([]byte, sectionHead)
	if at == 0 {
		return nil, nil, nil // stripped of them
	}
	if _, err := f.ReadAt(first, int64(min(at, 1<<62))); err == nil { // of more than 65279 the numbers are here
		if n == 0 {
			n = le.Uint64(first[32:])
		}
		if names == 0xffff {
			names = uint64(le.Uint32(first[40:]))
		}
	}
	size := uint64(f.Size())
	if at > size || n > maxSections || n*sectionHead > size-at {
		return nil, nil, fmt.Errorf("truncated: its %d sections are told at %d, and it ends at %d", n, at, size)
	}
	table := make([]byte, n*sectionHead)
	if _, err := f.ReadAt(table, int64(at)); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	list = make([]hostSection, n)
	for i := range list {
		h := table[i*sectionHead:]
		list[i] = hostSection{title: le.Uint32(h), kind: le.Uint32(h[4:]), flags: le.Uint64(h[8:]), offset: le.Uint64(h[24:]), size: le.Uint64(h[32:])}
	}
	if names < n && list[names].offset <= size {
		titles = make([]byte, min(list[names].size, size-list[names].offset, maxTitles))
		if _, err := f.ReadAt(titles, int64(list[names].offset)); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
	}
	return list, titles, nil
}

// title is the name of a section, or as much of it as is shown.
func title(titles []byte, at uint32) string {
	const longest = 64
	if uint64(at) >= uint64(len(titles)) {
		return "?"
	}
	rest := titles[at:min(len(titles), int(at)+longest)]
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}
