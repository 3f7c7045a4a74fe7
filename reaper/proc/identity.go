package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Identity names one process for good: a pid is used again, a pid together
// with its start ticks and the boot they count from is not.
type Identity struct {
	PID    int    `json:"pid"`
	Start  uint64 `json:"start"` // ticks since boot, field 22 of /proc/PID/stat
	BootID string `json:"boot"`
}

// BootID reads the id the kernel drew at boot.
func (r Root) BootID() (string, error) {
	data, err := os.ReadFile(filepath.Join(string(r), "sys/kernel/random/boot_id"))
	if err != nil {
		return "", fmt.Errorf("read boot id: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// Identity reads the identity of a living process.
func (r Root) Identity(pid int) (Identity, error) {
	boot, err := r.BootID()
	if err != nil {
		return Identity{}, err
	}
	s, err := r.Stat(pid)
	if err != nil {
		return Identity{}, err
	}
	return Identity{PID: pid, Start: s.Start, BootID: boot}, nil
}
