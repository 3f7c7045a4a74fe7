//go:build cuda && cgo && linux

package main

import (
	"math"
	"slices"
	"unsafe"

	"gorgonia.org/cu"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

const (
	// poison is a NaN that no arithmetic of a card makes (that gives 0x7fffffff): a word
	// that still has it was written by nobody.
	poison = 0x7fc5a5a5
	// fence fills the guard zones. It is a NaN too, so that what was read there shows.
	fence = 0x7fc6c6c6
	// guard is the bytes of a guard zone: a block of rows of any shape here writes less
	// beyond its end by a mistake in one index than this, and addresses stay aligned.
	guard = 64 << 10
)

// memory allocates for a job, and counts.
type memory struct {
	bare        bool
	allocations int
	now, high   int64 // bytes of buffers
}

// allocation is one buffer, behind and before a guard zone.
type allocation struct {
	buffer launch.Buffer
	base   cu.DevicePtr // with the guard zone
	data   cu.DevicePtr
	bits   []byte // as they were put there; nil: poison
}

func (a allocation) size() int64 { return 4 * int64(a.buffer.Count) }

// set is the buffers of a job.
type set struct {
	memory *memory
	list   []allocation
	index  map[string]int
}

// set allocates and fills one. What was allocated before an error goes with the context.
func (m *memory) set(job launch.Job) (*set, error) {
	s := &set{memory: m, index: map[string]int{}}
	for _, b := range job.Buffers {
		a, err := m.allocate(b)
		if err != nil {
			return nil, err
		}
		s.index[b.Name] = len(s.list)
		s.list = append(s.list, a)
		if err := s.fill(a); err != nil {
			return nil, err
		}
	}
	return s, told(cu.Synchronize(), "fill buffers")
}

func (m *memory) allocate(b launch.Buffer) (allocation, error) {
	a := allocation{buffer: b, bits: cuda.Bits(b.Data)}
	size, before := a.size(), int64(guard)
	if m.bare {
		before = 0
	}
	base, err := cu.MemAlloc(size + 2*before)
	if err != nil {
		free, total, _ := cu.MemInfo()
		return a, told(err, "allocate %d bytes for %s; %d of the card's %d are free", size, b.Name, free, total)
	}
	a.base, a.data = base, base+cu.DevicePtr(before)
	m.allocations++
	m.now += size
	m.high = max(m.high, m.now)
	return a, nil
}

// fill puts in a buffer what stands there before the first launch.
func (s *set) fill(a allocation) error {
	if !s.memory.bare {
		for _, zone := range []cu.DevicePtr{a.base, a.data + cu.DevicePtr(a.size())} {
			if err := cu.MemsetD32(zone, fence, guard/4); err != nil {
				return told(err, "guard %s", a.buffer.Name)
			}
		}
	}
	if a.bits != nil {
		return told(cu.MemcpyHtoD(a.data, unsafe.Pointer(&a.bits[0]), a.size()), "copy %s to the card", a.buffer.Name)
	}
	return s.poison(a)
}

// poison is nothing in bare memory: there a tool knows what nobody has written.
func (s *set) poison(a allocation) error {
	if s.memory.bare {
		return nil
	}
	return told(cu.MemsetD32(a.data, poison, int64(a.buffer.Count)), "poison %s", a.buffer.Name)
}

// arguments are cells of eight bytes, which is what cu copies of each.
func (s *set) arguments(l launch.Launch) []unsafe.Pointer {
	cells := make([]uint64, len(l.Args))
	list := make([]unsafe.Pointer, len(l.Args))
	for i, a := range l.Args {
		switch {
		case a.Int != nil:
			cells[i] = uint64(uint32(*a.Int))
		case a.Float != nil:
			cells[i] = uint64(math.Float32bits(*a.Float))
		default:
			cells[i] = uint64(s.list[s.index[a.Buffer]].data)
		}
		list[i] = unsafe.Pointer(&cells[i])
	}
	return list
}

// free gives all of it back.
func (s *set) free() error {
	for _, a := range slices.Backward(s.list) {
		if err := cu.MemFree(a.base); err != nil {
			return told(err, "free %s", a.buffer.Name)
		}
		s.memory.now -= a.size()
	}
	s.list = nil
	return nil
}
