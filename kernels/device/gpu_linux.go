//go:build cgo

package device

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// gpu is a handle with what does not change.
type gpu struct {
	library *library
	handle  nvml.Device
	bare    RawCard // without what is asked each time
	parts   []nvml.Device
	err     map[string]string // of this look
}

func (l *library) gpu(index int) *gpu {
	g := &gpu{library: l, bare: RawCard{Index: index}, err: map[string]string{}}
	h, ret := l.lib.DeviceGetHandleByIndex(index)
	if !g.ok("handle", ret) {
		g.bare.Errors = g.err
		return g
	}
	g.handle = h
	g.identify()
	g.instances()
	g.bare.Errors = maps.Clone(g.err)
	return g
}

func (g *gpu) identify() {
	c, h := &g.bare, g.handle
	if uuid, ret := h.GetUUID(); g.ok("uuid", ret) {
		c.UUID = strings.Clone(uuid)
	}
	if name, ret := h.GetName(); g.ok("name", ret) {
		c.Name = strings.Clone(name)
	}
	if pci, ret := h.GetPciInfo(); g.ok("pci", ret) {
		c.Bus = text(pci.BusId[:])
	}
	if g.has("minor", "nvmlDeviceGetMinorNumber") {
		minor, ret := h.GetMinorNumber()
		c.Minor = g.reading("minor", int64(minor), ret)
	}
	major, cc, ret := h.GetCudaComputeCapability()
	c.Major, c.MinorCC = g.reading("capability", int64(major), ret), g.reading("capability", int64(cc), ret)
}

// instances finds the MIG devices of a card that is cut into such.
func (g *gpu) instances() {
	if !g.has("mig", "nvmlDeviceGetMigMode") {
		return
	}
	now, _, ret := g.handle.GetMigMode()
	if !g.ok("mig", ret) || now != nvml.DEVICE_MIG_ENABLE {
		return
	}
	g.bare.MIG = true
	most, ret := g.handle.GetMaxMigDeviceCount()
	if !g.ok("instances", ret) {
		return
	}
	for i := range most {
		h, ret := g.handle.GetMigDeviceHandleByIndex(i)
		if ret == nvml.ERROR_NOT_FOUND {
			continue // a place that is empty
		}
		if g.ok("instances", ret) {
			g.instance(h)
		}
	}
}

func (g *gpu) instance(h nvml.Device) {
	var in RawInstance
	uuid, ret := h.GetUUID()
	g.ok("instances", ret)
	name, _ := h.GetName()
	gi, ret := h.GetGpuInstanceId()
	g.ok("instances", ret)
	ci, ret := h.GetComputeInstanceId()
	g.ok("instances", ret)
	in.UUID, in.Name, in.GI, in.CI = strings.Clone(uuid), strings.Clone(name), gi, ci
	g.bare.Instances = append(g.bare.Instances, in)
	g.parts = append(g.parts, h)
}

// has notes a function that the library lacks.
func (g *gpu) has(what, function string) bool {
	if g.library.has(function) {
		return true
	}
	g.err[what] = unsupported
	return false
}

// ok notes an error by what was asked.
func (g *gpu) ok(what string, ret nvml.Return) bool {
	if ret == nvml.SUCCESS {
		return true
	}
	g.err[what] = words(ret)
	return false
}

func (g *gpu) reading(what string, v int64, ret nvml.Return) Reading {
	if !g.ok(what, ret) {
		return Reading{}
	}
	return Told(v)
}

// words are the driver's for an error.
func words(ret nvml.Return) string {
	if ret == nvml.ERROR_NOT_SUPPORTED || ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		return unsupported
	}
	return strings.ToLower(strings.Clone(ret.Error()))
}

// text is a C string.
func text(chars []int8) string {
	var b []byte
	for _, c := range chars {
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	return string(b)
}

// A driver that makes a context or takes one down keeps who asks waiting for that: on an
// H200 for 20 to 70 ms, in the midst of a look too, where lists and memory take 0.2 ms.
// Memory is then told of a process that the lists do not have yet.
const (
	oneMoment = 5 * time.Millisecond
	moments   = 4 // looks at a card that is at that all the time
)

// together reads the lists and the memory of one moment, if there is one.
func (g *gpu) together(c *RawCard) {
	before, bare := g.err, *c
	for n := 1; ; n++ {
		g.err = maps.Clone(before)
		*c = bare
		c.Instances = slices.Clone(bare.Instances)
		began := time.Now()
		g.lists(c)
		g.memories(c)
		if n == moments || time.Since(began) <= oneMoment {
			return
		}
	}
}

// look asks one card.
func (g *gpu) look(q ask) RawCard {
	g.err = maps.Clone(g.bare.Errors)
	if g.err == nil {
		g.err = map[string]string{}
	}
	c := g.bare
	if c.Errors["handle"] == "" {
		g.together(&c)
		if q.Uses {
			g.uses(&c, q.Since)
		}
		if !q.Lists {
			g.sample(&c.Now)
		}
	}
	if c.Errors = nil; len(g.err) > 0 {
		c.Errors = g.err
	}
	return c
}
