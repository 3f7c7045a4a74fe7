//go:build cuda && cgo && linux

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"gpuci/kernels/launch"
)

// read copies bytes from the card.
func read(from cu.DevicePtr, size int64, what string) ([]byte, error) {
	bits := make([]byte, size)
	return bits, told(cu.MemcpyDtoH(unsafe.Pointer(&bits[0]), from, size), "copy %s from the card", what)
}

// look reads everything back: the buffers that kernels may write, and what they did
// that is wrong.
func (s *set) look() (list []launch.Finding, results map[string][]byte, err error) {
	results = map[string][]byte{}
	for _, a := range s.list {
		bits, err := read(a.data, a.size(), a.buffer.Name)
		if err != nil {
			return nil, nil, err
		}
		if a.buffer.Role != launch.Input {
			results[a.buffer.Name] = bits
		}
		for _, f := range []*launch.Finding{a.changed(bits), s.unwritten(a, bits)} {
			if f != nil {
				list = append(list, *f)
			}
		}
		f, err := s.beyond(a)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, f...)
	}
	return list, results, nil
}

// changed is an input that is no longer what it was.
func (a allocation) changed(bits []byte) *launch.Finding {
	if a.buffer.Role != launch.Input || bytes.Equal(bits, a.bits) {
		return nil
	}
	n, first := differing(a.bits, func(i int) uint32 { return binary.LittleEndian.Uint32(bits[4*i:]) })
	memory := fmt.Sprintf("%s[%d]", a.buffer.Name, first)
	return &launch.Finding{Kind: launch.Rewritten, Memory: memory, Count: n,
		Text: fmt.Sprintf("%s: %d elements of the input %s were written, the first %s", launch.Rewritten, n, a.buffer.Name, memory)}
}

// unwritten is an output of which elements still have the poison.
func (s *set) unwritten(a allocation, bits []byte) *launch.Finding {
	if s.memory.bare || a.buffer.Role != launch.Output || a.bits != nil {
		return nil
	}
	n, first := 0, -1
	for i := 0; i < len(bits); i += 4 {
		if binary.LittleEndian.Uint32(bits[i:]) == poison {
			if n == 0 {
				first = i / 4
			}
			n++
		}
	}
	if n == 0 {
		return nil
	}
	memory := fmt.Sprintf("%s[%d]", a.buffer.Name, first)
	return &launch.Finding{Kind: launch.Unwritten, Memory: memory, Count: n,
		Text: fmt.Sprintf("%s: %d of %d elements of %s were written by nobody, the first %s", launch.Unwritten, n, a.buffer.Count, a.buffer.Name, memory)}
}

// beyond are guard zones that somebody wrote to.
func (s *set) beyond(a allocation) (list []launch.Finding, err error) {
	if s.memory.bare {
		return nil, nil
	}
	for _, zone := range []struct {
		at   cu.DevicePtr
		from int // the element of the buffer that it begins at
	}{{a.base, -guard / 4}, {a.data + cu.DevicePtr(a.size()), a.buffer.Count}} {
		bits, err := read(zone.at, guard, "a guard zone of "+a.buffer.Name)
		if err != nil {
			return nil, err
		}
		n, first := differing(bits, func(int) uint32 { return fence })
		if n == 0 {
			continue
		}
		memory := fmt.Sprintf("%s[%d]", a.buffer.Name, zone.from+first)
		list = append(list, launch.Finding{Kind: launch.OutOfBounds, Memory: memory, Count: n,
			Text: fmt.Sprintf("%s: %d elements beside %s, which has %d, were written, the first %s", launch.OutOfBounds, n, a.buffer.Name, a.buffer.Count, memory)})
	}
	return list, nil
}

// differing counts the words that are others, and gives the first.
func differing(bits []byte, want func(int) uint32) (n, first int) {
	for i := 0; 4*i < len(bits); i++ {
		if binary.LittleEndian.Uint32(bits[4*i:]) == want(i) {
			continue
		}
		if n == 0 {
			first = i
		}
		n++
	}
	return n, first
}
