package device

import "slices"

// idle is the reason for low clocks of a card that has nothing to do. It is in a
// Raw, and no throttling.
const idle = "idle"

// throttles are the bits of nvmlDeviceGetCurrentClocksEventReasons (nvml.h), and
// how nvidia-smi's XML calls them.
var throttles = [...]struct {
	bit  uint64
	word string
	xml  string // after clocks_event_reason_
}{
	{1, idle, "gpu_idle"},
	{2, "application clocks", "applications_clocks_setting"},
	{4, "power cap", "sw_power_cap"},
	{8, "hardware slowdown", "hw_slowdown"},
	{16, "sync boost", "sync_boost"},
	{32, "hot", "sw_thermal_slowdown"},
	{64, "too hot for the hardware", "hw_thermal_slowdown"},
	{128, "power brake", "hw_power_brake_slowdown"},
	{256, "display clocks", "display_clock_setting"},
	{512, "board limit", "board_limit"},
	{1024, "reliability", "reliability"},
}

// reasons are the bits in words.
func reasons(bits uint64) (words []string) {
	for _, t := range throttles {
		if bits&t.bit != 0 {
			words = append(words, t.word)
		}
	}
	return words
}

// slowed leaves idleness out.
func slowed(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == idle })
}
