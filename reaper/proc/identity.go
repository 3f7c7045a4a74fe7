package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Identity names one process for good: a pid is used again, a pid together
// with its start ticks and the boot they count from is not. (A pid would have
// to come round within the same hundredth of a second.)
//
// Pids count in the reader's pid namespace and ticks in its time namespace; a
// record that crosses either names nobody.
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

// Alive says whether the process that id names still runs: it is not a zombie,
// and its pid means no other process. On an error that is not known.
func (r Root) Alive(id Identity) (bool, error) {
	boot, err := r.BootID()
	if err != nil {
		return false, err
	}
	s, err := r.Stat(id.PID)
	switch {
	case errors.Is(err, ErrGone):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for pid %d: %w", id.PID, err)
	}
	return s.Start == id.Start && boot == id.BootID && !s.Zombie(), nil
}
