package inspect

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"gpuci/kernels/entry"
)

// A fat binary is a header of 16 bytes (u32 magic, u16 version, u16 size of the
// header, u64 bytes that follow) and then elements, each with a header of at least
// 64 bytes:
//
//	 0  u16 kind, u16 version, u32 size of the header
//	 8  u64 size of the payload, filled up
//	16  u32 size of the payload where it is compressed, u32 offset of options
//	24  u16 minor, u16 major version of the payload, u32 architecture
//	32  u32 offset and u32 size of a name
//	40  u64 flags, u64 reserved, u64 size unpacked
//
// A section holds several, each aligned to 8 bytes. Held against cuobjdump -xelf
// and -xptx on files of CUDA 12 and 13.
const (
	magicFatbin = 0xba55ed50
	fatbinHead  = 16
	elementHead = 64

	kindPTX   = 1
	kindCubin = 2
	kindLTO   = 8

	flagLZ4  = 0x2000
	flagZstd = 0x8000

	maxRatio = 512 // unpacked bytes of one; NCCL's come to 30, and text of one line many times over to 200
)

func isFatbin(head []byte) bool {
	return len(head) >= fatbinHead && binary.LittleEndian.Uint32(head) == magicFatbin
}

// fatbins reads the fat binaries that stand one after the other in f.
func (r *reader) fatbins(f *io.SectionReader, part string) error {
	le := binary.LittleEndian
	head := make([]byte, fatbinHead)
	for at := int64(0); at+fatbinHead <= f.Size(); {
		if _, err := f.ReadAt(head, at); err != nil {
			return err
		}
		if !isFatbin(head) {
			if at += 8; le.Uint64(head) != 0 { // between two there is nothing but zeros
				return fmt.Errorf("read fat binary: no header at %d", at-8)
			}
			continue
		}
		start, size := int64(le.Uint16(head[6:])), le.Uint64(head[8:])
		if start < fatbinHead || uint64(f.Size()-at) < uint64(start) || size > uint64(f.Size()-at-start) {
			return fmt.Errorf("read fat binary: %d bytes at %d do not fit into %d: it is truncated", size, at, f.Size())
		}
		if err := r.elements(io.NewSectionReader(f, at+start, int64(size)), part); err != nil {
			return err
		}
		at += (start + int64(size) + 7) &^ 7
	}
	return nil
}

// elements reads those of one fat binary.
func (r *reader) elements(f *io.SectionReader, part string) error {
	le := binary.LittleEndian
	head := make([]byte, elementHead)
	for at := int64(0); at+elementHead <= f.Size(); {
		if _, err := f.ReadAt(head, at); err != nil {
			return err
		}
		start, size := int64(le.Uint32(head[4:])), le.Uint64(head[8:])
		if start < elementHead || start > f.Size()-at || size > uint64(f.Size()-at-start) {
			return fmt.Errorf("read fat binary: its element at %d does not fit: it is truncated", at)
		}
		if err := r.element(head, io.NewSectionReader(f, at+start, int64(size)), part); err != nil {
			return err
		}
		at += start + int64(size)
	}
	return nil
}

// element reads one. What cannot be unpacked is a module that says so; an error is
// what must end the work.
func (r *reader) element(head []byte, f *io.SectionReader, part string) error {
	le := binary.LittleEndian
	kind, arch := le.Uint16(head), fmt.Sprintf("sm_%d", le.Uint32(head[28:]))
	name := map[uint16]string{kindPTX: "ptx", kindCubin: "cubin", kindLTO: "ltoir"}[kind]
	if name == "" {
		name = fmt.Sprintf("kind-%d", kind)
	}
	part = within(part, fmt.Sprintf("%d.%s.%s", len(r.modules)+1, arch, name))
	slot := r.slot()
	unread := func(why string) { *slot = r.named(entry.Module{Kind: name, Arch: arch, Unread: []string{why}}, part) }
	switch kind {
	case kindPTX, kindCubin:
	case kindLTO:
		unread("code for link-time optimisation: its kernels are known once nvlink has made a cubin of it")
		return nil
	default:
		unread("a kind of device code that is not known here")
		return nil
	}
	p := packing{flags: le.Uint64(head[40:]), size: le.Uint64(head[56:])}
	if p.flags&(flagLZ4|flagZstd) != 0 {
		packed := int64(le.Uint32(head[16:]))
		if packed > f.Size() || p.size > uint64(packed)*maxRatio {
			unread(fmt.Sprintf("%d bytes are to come out of %d, which is not believed", p.size, packed))
			return nil
		}
		f = io.NewSectionReader(f, 0, packed)
		if err := r.take(int64(p.size)); err != nil {
			return err
		}
	}
	data, err := r.all(f)
	if err != nil {
		return err
	}
	r.later(slot, func() entry.Module {
		data, err := p.unpack(data)
		if err != nil {
			return r.named(entry.Module{Kind: name, Arch: arch, Unread: []string{err.Error()}}, part)
		}
		return r.module(data, part)
	})
	return nil
}

// packing is how an element's bytes are packed.
type packing struct {
	flags uint64
	size  uint64 // unpacked
}

// unpack gives an element's bytes.
func (p packing) unpack(src []byte) ([]byte, error) {
	var dst []byte
	var err error
	switch {
	case p.flags&flagLZ4 != 0:
		dst = make([]byte, p.size)
		n := 0
		n, err = lz4.UncompressBlock(src, dst)
		dst = dst[:max(n, 0)]
	case p.flags&flagZstd != 0:
		dst, err = unzstd(src, make([]byte, 0, p.size))
	default:
		return src, nil
	}
	if err == nil && uint64(len(dst)) != p.size {
		err = fmt.Errorf("%d bytes instead of %d", len(dst), p.size)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return dst, nil
}

// unzstd unpacks into dst, whose capacity is the size that is to come out.
func unzstd(src, dst []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(src, dst)
}
