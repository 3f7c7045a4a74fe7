package simt

import (
	"fmt"
	"os"

	"gpuci/kernels/launch"
)

// fits returns an error when the buffers of a job are more than the memory of this
// machine. The runner would be given the addresses, and then be ended by the kernel, or
// somebody else would.
func fits(job launch.Job, memory int) error {
	bytes := 0
	for _, b := range job.Buffers {
		bytes += 4 * b.Count
	}
	if bytes > memory {
		return fmt.Errorf("make room for buffers: they have %d MiB and this machine %d MiB of memory", bytes>>20, memory>>20)
	}
	return nil
}

// memoryOf reads the memory of this machine in bytes, MemTotal of proc(5)'s meminfo.
func memoryOf(meminfo string) (int, error) {
	text, err := os.ReadFile(meminfo)
	if err != nil {
		return 0, err
	}
	var kib int
	if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); err != nil {
		return 0, fmt.Errorf("read %s: %w", meminfo, err)
	}
	return kib << 10, nil
}
