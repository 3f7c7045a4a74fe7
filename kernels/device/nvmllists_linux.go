//go:build cgo

package device

import (
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// notTold is NVML_VALUE_NOT_AVAILABLE, and what a list has for a GPU that is not cut.
const (
	notTold     = ^uint64(0)
	notInstance = ^uint32(0)
)

// lists reads the three lists of processes, of the card and of its instances: which
// of the two has those of an instance depends on the driver and on our rights.
func (g *gpu) lists(c *RawCard) {
	g.list(c, g.handle, nil)
	for i, h := range g.parts {
		g.list(c, h, &c.Instances[i])
	}
}

func (g *gpu) list(c *RawCard, h nvml.Device, in *RawInstance) {
	l := g.library
	if l.has("nvmlDeviceGetComputeRunningProcesses") || l.has("nvmlDeviceGetComputeRunningProcesses_v2") || l.has("nvmlDeviceGetComputeRunningProcesses_v3") {
		g.add(c, "compute", in, h.GetComputeRunningProcesses)
	} else {
		g.err["compute"] = unsupported
	}
	if l.has("nvmlDeviceGetGraphicsRunningProcesses") || l.has("nvmlDeviceGetGraphicsRunningProcesses_v2") || l.has("nvmlDeviceGetGraphicsRunningProcesses_v3") {
		g.add(c, "graphics", in, h.GetGraphicsRunningProcesses)
	} else {
		g.err["graphics"] = unsupported
	}
	if l.has("nvmlDeviceGetMPSComputeRunningProcesses") || l.has("nvmlDeviceGetMPSComputeRunningProcesses_v2") || l.has("nvmlDeviceGetMPSComputeRunningProcesses_v3") {
		g.add(c, "mps", in, h.GetMPSComputeRunningProcesses)
	} else {
		g.err["mps"] = unsupported
	}
}

func (g *gpu) add(c *RawCard, kind Kind, in *RawInstance, read func() ([]nvml.ProcessInfo, nvml.Return)) {
	list, ret := read()
	if in != nil && (ret == nvml.ERROR_NOT_SUPPORTED || ret == nvml.ERROR_INVALID_ARGUMENT) {
		return // the card's own list has them, with the instance's numbers
	}
	if !g.ok(string(kind), ret) {
		return
	}
	for _, i := range list {
		p := RawProcess{PID: int(i.Pid), Kind: kind}
		if i.UsedGpuMemory != notTold {
			p.Memory = Told(i.UsedGpuMemory)
		}
		if i.GpuInstanceId != notInstance {
			p.GI = Told(i.GpuInstanceId)
		}
		if i.ComputeInstanceId != notInstance {
			p.CI = Told(i.ComputeInstanceId)
		}
		if in != nil {
			p.GI, p.CI = Told(in.GI), Told(in.CI)
		}
		if !slices.Contains(c.Processes, p) {
			c.Processes = append(c.Processes, p)
		}
	}
}

func (g *gpu) memories(c *RawCard) {
	c.Memory = g.memory(g.handle)
	for i, h := range g.parts {
		c.Instances[i].Memory = g.memory(h)
	}
}

// memory is by the call that tells what the driver keeps for itself, or by the old
// one where the library has no other: that one's drivers did not count it as used.
func (g *gpu) memory(h nvml.Device) (m RawMemory) {
	if g.library.has("nvmlDeviceGetMemoryInfo_v2") {
		if v, ret := h.GetMemoryInfo_v2(); ret == nvml.SUCCESS {
			return RawMemory{Total: Told(v.Total), Reserved: Told(v.Reserved), Used: Told(v.Used), Free: Told(v.Free)}
		} else if ret != nvml.ERROR_NOT_SUPPORTED {
			g.ok("memory", ret)
			return m
		}
	}
	v, ret := h.GetMemoryInfo()
	if g.ok("memory", ret) {
		m = RawMemory{Total: Told(v.Total), Used: Told(v.Used), Free: Told(v.Free)}
	}
	return m
}

// uses reads which processes used the card since a moment. It is not there with MIG.
func (g *gpu) uses(c *RawCard, since int64) {
	if !g.has("uses", "nvmlDeviceGetProcessUtilization") {
		return
	}
	// go-nvml slices by a count that may have grown between its two calls.
	defer func() {
		if v := recover(); v != nil {
			g.err["uses"] = "more samples than there was room for"
		}
	}()
	list, ret := g.handle.GetProcessUtilization(uint64(since))
	if ret == nvml.ERROR_NOT_FOUND || ret == nvml.ERROR_INSUFFICIENT_SIZE || !g.ok("uses", ret) {
		return // the first two: nobody did
	}
	for _, u := range list {
		if u.Pid != 0 && int64(u.TimeStamp) > since {
			c.Samples = append(c.Samples, RawUse{PID: int(u.Pid), At: int64(u.TimeStamp), SM: Told(u.SmUtil), Mem: Told(u.MemUtil)})
		}
	}
}

// sample reads what the card does.
func (g *gpu) sample(s *RawSample) {
	h := g.handle
	if u, ret := h.GetUtilizationRates(); g.ok("utilization", ret) {
		s.Util, s.MemoryUtil = Told(u.Gpu), Told(u.Memory)
	}
	clock := func(what string, read func(nvml.ClockType) (uint32, nvml.Return), of nvml.ClockType) Reading {
		v, ret := read(of)
		return g.reading(what, int64(v), ret)
	}
	s.SM = clock("clock", h.GetClockInfo, nvml.CLOCK_SM)
	s.Mem = clock("clock", h.GetClockInfo, nvml.CLOCK_MEM)
	s.SMMax = clock("max clock", h.GetMaxClockInfo, nvml.CLOCK_SM)
	s.MemMax = clock("max clock", h.GetMaxClockInfo, nvml.CLOCK_MEM)
	temp, ret := h.GetTemperature(nvml.TEMPERATURE_GPU)
	s.Temperature = g.reading("temperature", int64(temp), ret)
	power, ret := h.GetPowerUsage()
	s.Power = g.reading("power", int64(power), ret)
	var bits uint64
	switch {
	case g.library.has("nvmlDeviceGetCurrentClocksEventReasons"):
		bits, ret = h.GetCurrentClocksEventReasons()
	case g.library.has("nvmlDeviceGetCurrentClocksThrottleReasons"):
		bits, ret = h.GetCurrentClocksThrottleReasons()
	default:
		ret = nvml.ERROR_NOT_SUPPORTED
	}
	if g.ok("throttle", ret) {
		s.Throttle = reasons(bits)
	}
}
