package buildlock

import (
	"errors"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// left fills in who keeps a reservation whose maker is gone: what it had started has the
// file open still, and the card is theirs until they end.
func (d directory) left(r *Reservation) {
	if !r.Held || r.Trouble != "" || !r.makerGone() {
		return
	}
	r.Left = true
	f, err := d.open(filepath.Base(r.File), unix.O_PATH)
	if err != nil {
		return
	}
	defer f.Close()
	found, _, err := proc.Real.Holders(f)
	if err != nil {
		return
	}
	for _, h := range found {
		if slices.ContainsFunc(h.FDs, func(fd int) bool { return writes(h.Stat.PID, fd) }) {
			r.Keepers = append(r.Keepers, keeper(h.Stat))
		}
	}
}

// makerGone says whether the process that made it has ended.
func (r Reservation) makerGone() bool {
	if boot, err := proc.Real.BootID(); err == nil && boot != r.Boot {
		return true
	}
	s, err := proc.Real.Stat(r.PID)
	return errors.Is(err, proc.ErrGone) || err == nil && (s.Start != r.Start || s.Zombie())
}

func keeper(s proc.Stat) Keeper {
	k := Keeper{PID: s.PID, Comm: s.Comm, State: string(s.State)}
	if cwd, err := proc.Real.Cwd(s.PID); err == nil && cwd.Known() {
		k.Cwd = cwd.Path
	}
	return k
}
