package buildlock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Remedy is what to do about an error of a lock in dir ("" is the machine's
// directory); it is "" for an error of another kind.
func Remedy(err error, dir string) string {
	var busy *BusyError
	var voided *VoidedError
	var stays notRemovedError
	switch {
	case errors.As(err, &busy):
		return "gpuci lock status says who has it"
	case errors.As(err, &voided):
		return "talk to " + UserName(voided.By) + ", then start it again"
	case errors.Is(err, ErrOrder):
		return "named locks come first, by their names, then the build lock, then cards, all that are needed at once, then links: take them in this order, the outer one first"
	case errors.Is(err, ErrNotOwner):
		return "ask that user, or root"
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return "free space in " + orDefault(dir)
	case errors.As(err, &stays):
		return "look at it, and remove it by hand: rm -r " + stays.file
	case errors.Is(err, ErrUnfit):
		return "nothing runs without its lock: put " + orDefault(dir) + " right, or " + another(orDefault(dir)) + "; every user of this machine needs the same one"
	}
	return ""
}

// another says where another directory is named: in the variable, if that is
// what names dir and somebody set it. What a gpuci runs has it from that gpuci.
func another(dir string) string {
	const file = "name another directory as lock-dir in /etc/gpuci.toml"
	if _, below := os.LookupEnv("GPUCI_BUILD"); !below && os.Getenv("GPUCI_LOCK_DIR") == dir {
		return "change GPUCI_LOCK_DIR, which names it; without that variable, " + file
	}
	return file
}
