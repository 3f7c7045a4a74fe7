package device

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"gpuci/reaper/proc"
)

// holding says whether a process has one of some files open; known is false when
// that is not ours to see, or cannot be told. One without any open file counts as
// gone.
func (a Around) holding(pid int, match func(path string) bool) (holds, known bool, err error) {
	list, whole, err := a.proc().FDs(pid)
	for _, f := range list {
		if match(f.Path) {
			return true, true, nil
		}
	}
	switch {
	case errors.Is(err, proc.ErrGone):
		return false, false, proc.ErrGone
	case err != nil:
		return false, false, nil
	case len(list) == 0:
		return false, false, proc.ErrGone // one that ends has let go of its files already
	}
	return false, whole, nil
}

// deviceFile matches the device file of a card, by its minor number; of one whose
// number is not told, that of any card.
func (a Around) deviceFile(minor int) func(path string) bool {
	prefix := a.path("dev/nvidia")
	return func(path string) bool {
		rest, ok := strings.CutPrefix(path, prefix)
		n, err := strconv.Atoi(rest)
		return ok && err == nil && (minor < 0 || n == minor)
	}
}

// opener is a process that has a card's device file open.
type opener struct {
	pid  int
	name string
	// files are the paths.
	files []string
}

// openers finds them all, in one pass over what is ours to see.
func (a Around) openers() (found []opener, whole bool) {
	any := a.deviceFile(-1)
	paths := map[int][]string{}
	holders, unread, err := a.proc().Holding(func(f *proc.OpenFile) (bool, error) {
		if any(f.Path) {
			paths[f.PID] = append(paths[f.PID], f.Path)
			return true, nil
		}
		return false, nil
	})
	for _, h := range holders {
		found = append(found, opener{h.Stat.PID, h.Stat.Comm, paths[h.Stat.PID]})
	}
	return found, err == nil && len(unread) == 0
}

// harmless are programs that have device files open on most machines and run
// nothing on a card: what measures it, keeps it awake, or shows pictures. One that
// the driver lists as a process of the card is on it all the same.
var harmless = map[string]bool{
	"nvidia-smi": true, "nv-hostengine": true, "dcgm-exporter": true, "dcgm": true, "dcgmi": true,
	"nvidia-persistenced": true, "nvidia-powerd": true, "nv-fabricmanager": true, "nvidia-fabricmanager": true, "nvidia-imex": true,
	"nvidia_gpu_exporter": true, "nvidia-device-plugin": true, "node_exporter": true, "gpu-feature-discovery": true, "nvtop": true,
	"netdata": true, "telegraf": true, "Xorg": true, "X": true, "Xwayland": true, "gnome-shell": true, "kwin_x11": true,
	"kwin_wayland": true, "systemd-logind": true, "sddm": true, "gdm-x-session": true, "slurmd": true, "gpuci": true, Child: true,
}

// commMax is how many bytes of a program's name the kernel keeps.
const commMax = 15

// isHarmless goes by the name, and by the program's file where that can be seen.
func (a Around) isHarmless(o opener) bool {
	names := []string{o.name}
	if exe, err := a.proc().Exe(o.pid); err == nil && exe.Known() {
		names = append(names, filepath.Base(exe.Path))
	}
	for _, n := range names {
		if harmless[n] {
			return true
		}
		for h, yes := range harmless {
			if yes && len(h) > commMax && h[:commMax] == n {
				return true
			}
		}
		for _, h := range a.Harmless {
			if h == n || len(h) > commMax && h[:commMax] == n {
				return true
			}
		}
	}
	return false
}
