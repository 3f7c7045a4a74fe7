package links

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// Linker is a linking process that is not known to hold a ticket.
type Linker struct {
	proc.Stat
	Tool   string // the name of its program
	Hidden bool   // another user's: whether it holds a ticket is unknown
	Lost   bool   // it has one, whose file was removed: the next link does not wait for it
}

// settled is how long a linker has to be there without a ticket before it is
// spoken of. `ld --version` is over by then, and so is the end of a process
// that has closed its files already; mold's child takes up to 33 ms, but ends
// with its ticket.
const settled = 20 * time.Millisecond

// Unticketed picks the linkers out of a list of processes that hold no ticket
// of lockDir ("" is the machine's), or that may not for all we can see.
func Unticketed(ctx context.Context, list []proc.Stat, lockDir string) []Linker {
	if lockDir == "" {
		lockDir = buildlock.DefaultDir()
	}
	first := ticketless(list, lockDir)
	if len(first) == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(settled):
	}
	var again []proc.Stat
	for _, l := range first {
		if now, err := proc.Real.Stat(l.PID); err == nil && now.Start == l.Start {
			again = append(again, now)
		}
	}
	return unheld(ctx, ticketless(again, lockDir), lockDir)
}

// ticketless makes one such look.
func ticketless(list []proc.Stat, lockDir string) (out []Linker) {
	for _, s := range list {
		tool, ok := IsLinker(s)
		if !ok || s.Zombie() || s.Kernel {
			continue
		}
		l := Linker{Stat: s, Tool: tool}
		has, lost, err := ticketOf(s.PID, lockDir)
		switch {
		case errors.Is(err, fs.ErrPermission):
			l.Hidden = true
		case err != nil || has:
			continue
		}
		l.Lost = lost
		out = append(out, l)
	}
	return out
}

// ticketOf says whether a process has the file of a link ticket of lockDir
// open, or else one that is there no more. It goes by the file, not by the path
// that it was opened by: a directory can be reached by several.
func ticketOf(pid int, lockDir string) (has, lost bool, err error) {
	files, _, err := proc.Real.FDs(pid)
	for _, f := range files {
		path := strings.TrimSuffix(f.Path, " (deleted)")
		name := filepath.Base(path)
		if !buildlock.IsTicketFile(name) {
			continue
		}
		var open, named unix.Statx_t
		link := fmt.Sprintf("%s/%d/fd/%d", proc.Real, pid, f.N)
		if unix.Statx(unix.AT_FDCWD, link, unix.AT_STATX_DONT_SYNC, unix.STATX_INO, &open) != nil {
			continue // closed since
		}
		err := unix.Statx(unix.AT_FDCWD, filepath.Join(lockDir, string(buildlock.Link), name), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO, &named)
		if err == nil && open.Ino == named.Ino && open.Dev_major == named.Dev_major && open.Dev_minor == named.Dev_minor {
			return true, false, nil
		}
		lost = lost || f.Deleted && filepath.Base(filepath.Dir(path)) == string(buildlock.Link)
	}
	return false, lost, err
}

// IsLinker says whether a process is a linker, by its program; by its
// command name only where the program is not ours to see. A shim, which is
// called like the linker it stands in for, is none.
func IsLinker(s proc.Stat) (name string, ok bool) {
	name = s.Comm
	switch exe, err := proc.Real.Exe(s.PID); {
	case err != nil || exe.Answer == proc.None:
		return "", false
	case exe.Known() && shim.IsShims(filepath.Dir(exe.Path)):
		return "", false
	case exe.Known() && shim.IsGoLinker(exe.Path):
		return "go's link", true
	case exe.Known():
		name = filepath.Base(exe.Path)
	}
	return name, name == "rust-lld" || shim.RoleOf(name) == shim.Linker
}
