//go:build cuda && cgo && linux

package main

// #include <cuda.h>
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// card is the first card that this process may see, with a context on it.
type card struct {
	device  cuda.Device
	context cu.CUContext
	shared  int // bytes of dynamic and static shared memory that a block may ask for
}

// open makes a context on the first card: CUDA_VISIBLE_DEVICES says which that is.
func open() (*card, error) {
	n, err := cu.NumDevices()
	if err != nil || n == 0 {
		return nil, &cuda.Error{Code: cuda.NoDriver, Text: fmt.Sprintf("count cards: %d are visible (%v); CUDA_VISIBLE_DEVICES may name none that is here", n, err)}
	}
	d, err := cu.GetDevice(0)
	if err != nil {
		return nil, told(err, "get the card")
	}
	c := &card{}
	if err := c.describe(d); err != nil {
		return nil, err
	}
	if c.context, err = d.MakeContext(cu.SchedAuto); err != nil {
		return nil, told(err, "make a context on %s", c.device.Name)
	}
	return c, told(c.context.Lock(), "take the context")
}

func (c *card) describe(d cu.Device) error {
	name, err := d.Name()
	if err != nil {
		return told(err, "get the card's name")
	}
	id, err := d.UUID()
	if err != nil {
		return told(err, "get the card's UUID")
	}
	major, minor, err := d.ComputeCapability()
	if err != nil {
		return told(err, "get the card's compute capability")
	}
	total, err := d.TotalMem()
	if err != nil {
		return told(err, "get the card's memory")
	}
	if c.shared, err = d.Attribute(cu.DeviceAttribute(C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)); err != nil {
		return told(err, "get the card's shared memory")
	}
	v := cu.Version()
	c.device = cuda.Device{Name: name, UUID: "GPU-" + id.String(), Arch: fmt.Sprintf("sm_%d%d", major, minor),
		Driver: fmt.Sprintf("%d.%d", v/1000, v%1000/10), Memory: total}
	return nil
}

// close gives the context back. What fails here was ruined before, and is told already.
func (c *card) close() { _ = c.context.Destroy() }

// modules are loaded cubins.
type modules struct {
	list  []cu.Module
	paths []string
}

func (c *card) load(paths []string) (modules, error) {
	var m modules
	if len(paths) == 0 {
		return m, &cuda.Error{Code: cuda.BadJob, Text: "load cubins: the request names none"}
	}
	for _, path := range paths {
		one, err := cu.Load(path)
		if err != nil {
			return m, told(err, "load %s on %s (%s)", path, c.device.Name, c.device.Arch)
		}
		m.list, m.paths = append(m.list, one), append(m.paths, path)
	}
	return m, nil
}

// entry is a kernel that can be launched.
type entry struct{ function cu.Function }

// entries finds the kernel of each launch, and asks for the shared memory that it
// needs. What the card refuses at a launch, with no word of why, is refused here.
func (m modules) entries(c *card, launches []launch.Launch) (list []entry, err error) {
	for _, l := range launches {
		f, err := m.find(l.Kernel)
		if err != nil {
			return nil, err
		}
		if err := fits(c, f, l); err != nil {
			return nil, err
		}
		if err := m.given(f, l); err != nil {
			return nil, err
		}
		list = append(list, entry{f})
	}
	return list, nil
}

func (m modules) find(name string) (cu.Function, error) {
	for _, one := range m.list {
		f, err := one.Function(name)
		if err == nil {
			return f, nil
		}
		if err != cu.NotFound {
			return f, told(err, "look up %s", name)
		}
	}
	return cu.Function{}, &cuda.Error{Code: cuda.NoEntry, Text: fmt.Sprintf("look up %s: no kernel of that name in %v", name, m.paths)}
}

func fits(c *card, f cu.Function, l launch.Launch) error {
	threads, err := f.Attribute(cu.FunctionAttribute(C.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK))
	if err != nil {
		return told(err, "get the threads of %s", l.Kernel)
	}
	static, err := f.Attribute(cu.FunctionAttribute(C.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES))
	if err != nil {
		return told(err, "get the shared memory of %s", l.Kernel)
	}
	switch {
	case l.Threads() > threads:
		return &cuda.Error{Code: cuda.TooMuch, Text: fmt.Sprintf("launch %s: a block of %d threads; its registers leave room for %d", l.Kernel, l.Threads(), threads)}
	case l.Shared+static > c.shared:
		return &cuda.Error{Code: cuda.TooMuch, Text: fmt.Sprintf("launch %s: %d bytes of shared memory and %d of its own; a block on %s has %d", l.Kernel, l.Shared, static, c.device.Name, c.shared)}
	}
	// gorgonia.org/cu has no call for this: its Function is the driver's handle alone.
	handle := *(*C.CUfunction)(unsafe.Pointer(&f))
	if r := C.cuFuncSetAttribute(handle, C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(l.Shared)); r != C.CUDA_SUCCESS {
		return &cuda.Error{Code: cuda.TooMuch, Text: fmt.Sprintf("ask for %d bytes of shared memory for %s: the driver gave %d", l.Shared, l.Kernel, int(r))}
	}
	return nil
}
