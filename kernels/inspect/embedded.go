package inspect

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"gpuci/kernels/cubin"
)

// What device code begins with, wherever it lies: bytes that a program includes have no
// alignment, and text has none either.
var beginnings = [][]byte{
	[]byte(cubin.Magic),
	{0x50, 0xed, 0x55, 0xba, 1, 0, fatbinHead, 0}, // with its version and the header's size
	[]byte(".version"),
}

const (
	window  = 1 << 20 // bytes that are searched at once
	longest = 128     // bytes that are enough to tell what it is
)

// embedded looks for device code among a host's data: what include_bytes!, .incbin or
// bin2c brought there, and text. It can only find what lies there as it is.
func (r *reader) embedded(f *io.SectionReader, part string) error {
	buffer := make([]byte, min(f.Size(), window+longest))
	for at := int64(0); at < f.Size(); {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		n, err := f.ReadAt(buffer, at)
		if err != nil && err != io.EOF {
			return err
		}
		past := int64(0)
		for _, i := range places(buffer[:n]) {
			if int64(i) < past || i >= window {
				continue
			}
			size, err := r.found(f, at+int64(i), buffer[i:min(n, i+longest)], part)
			if err != nil {
				return err
			}
			past = int64(i) + size
		}
		at += max(window, past)
	}
	return nil
}

// places are where in data something may begin, in order.
func places(data []byte) (list []int) {
	for _, b := range beginnings {
		for at := 0; ; at++ {
			next := bytes.Index(data[at:], b)
			if next < 0 {
				break
			}
			at += next
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// found reads what begins at an offset, and gives how many bytes it has: 0 where it is
// nothing.
func (r *reader) found(f *io.SectionReader, at int64, head []byte, part string) (int64, error) {
	rest := io.NewSectionReader(f, at, f.Size()-at)
	part = fmt.Sprintf("%s+0x%x", part, at)
	switch {
	case cubin.Is(head):
		return r.foundCubin(rest, part)
	case isFatbin(head) && plausible(head, rest.Size()):
		size := fatbinHead + int64(binary.LittleEndian.Uint64(head[8:]))
		return size, r.fatbins(io.NewSectionReader(rest, 0, size), part)
	case beginsPTX(head):
		return r.foundPTX(f, at, part)
	}
	return 0, nil
}

// plausible says whether a fat binary and its first element fit into what there is.
func plausible(head []byte, left int64) bool {
	le := binary.LittleEndian
	size := le.Uint64(head[8:])
	if len(head) < fatbinHead+elementHead || size < elementHead || size > uint64(left-fatbinHead) {
		return false
	}
	e := head[fatbinHead:]
	start := uint64(le.Uint32(e[4:]))
	return start >= elementHead && start <= size && le.Uint64(e[8:]) <= size-start
}

// foundCubin reads one up to where its header says that it ends. What cannot be read is
// not believed to reach so far.
func (r *reader) foundCubin(f *io.SectionReader, part string) (int64, error) {
	size := uint64(hostHead)
	var data []byte
	for more := size; ; size = more {
		var err error
		if data, err = beginning(f, int64(size)); err != nil {
			return 0, err
		}
		if more = min(cubin.Size(data), uint64(f.Size()), moduleBytes); more <= size {
			break
		}
	}
	kept, err := r.keep(data, part)
	if err == nil && !kept {
		if r.broken++; r.broken > maxBroken {
			err = fmt.Errorf("more than %d places that begin as cubins do and are none", maxBroken)
		}
		return hostHead, err
	}
	return int64(len(data)), err
}

// maxBroken bounds what is read in vain, each time up to the end of the file.
const maxBroken = 100

// keep reads a module, keeps it where it has kernels, or should have, and says whether
// it could be read.
func (r *reader) keep(data []byte, part string) (bool, error) {
	if err := r.take(int64(len(data))); err != nil {
		return false, err
	}
	m := r.module(data, part)
	if len(m.Kernels)+len(m.Unread) > 0 {
		*r.slot() = m
	}
	return len(m.Kernels) > 0 || len(m.Unread) == 0, nil
}
