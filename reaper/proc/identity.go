package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
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
	return s.Identity(boot), nil
}

// Alive says whether the process that id names still runs: it is not a zombie,
// and its pid means no other process. On an error that is not known: where
// /proc does not list what is not ours (hidepid=invisible), a pid that somebody
// else has may well be the one that is asked for.
func (r Root) Alive(id Identity) (bool, error) {
	boot, err := r.BootID()
	if err != nil {
		return false, err
	}
	s, err := r.Stat(id.PID)
	switch {
	case errors.Is(err, ErrGone):
		return false, r.hidden(id.PID)
	case err != nil:
		return false, fmt.Errorf("look for pid %d: %w", id.PID, err)
	}
	return s.Start == id.Start && boot == id.BootID && !s.Zombie(), nil
}

// hidden is an error when a pid that /proc does not show is given to a process
// all the same: kill(2) with no signal looks past hidepid.
func (r Root) hidden(pid int) error {
	if pid > 0 && r == Real && errors.Is(unix.Kill(pid, 0), unix.EPERM) {
		return fmt.Errorf("look for pid %d: %s does not show it (hidepid), and it is there: %w", pid, r, fs.ErrPermission)
	}
	return nil
}
