package device

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// named gives the child a name in lists of processes, where the kernel would call it
// "exe" by the path that it was started by.
func named() { _ = os.WriteFile("/proc/self/comm", []byte(Child), 0) }

// growth is how much memory the child may take beyond what it begins with. NVML
// takes some tens of MiB; a library that goes mad ends its child and not the machine.
const growth = 1 << 30

// bound sets it, as far as the kernel tells what there is (VmData, which is what
// RLIMIT_DATA counts since Linux 4.7).
func bound() {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "VmData:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
		if err != nil {
			return
		}
		var old unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_DATA, &old) != nil {
			return
		}
		limit := min(kib<<10+growth, old.Max)
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: old.Max})
		return
	}
}
