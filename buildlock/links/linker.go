package links

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// Linker is a linking process that is not known to hold a ticket.
type Linker struct {
	proc.Stat
	Tool   string // the name of its program
	Hidden bool   // its open files are not ours to read: whether it holds a ticket is unknown
}

// TicketFiles is the directory that a holder of a link ticket has a file open
// in, as /proc shows it.
func TicketFiles(lockDir string) string {
	if real, err := filepath.EvalSymlinks(lockDir); err == nil {
		lockDir = real
	}
	return filepath.Join(lockDir, string(buildlock.Link)) + "/"
}

// lookAgain is how long a linker has to be there without a ticket before it is
// spoken of. `ld --version` is over by then, and so is the end of a process
// that has closed its files already; mold's child takes up to 33 ms, but ends
// with its ticket.
const lookAgain = 20 * time.Millisecond

// Unticketed picks the linkers out of a list of processes that hold no ticket,
// or that may not for all we can see.
func Unticketed(ctx context.Context, list []proc.Stat, tickets string) []Linker {
	first := ticketless(list, tickets)
	if len(first) == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(lookAgain):
	}
	var again []proc.Stat
	for _, l := range first {
		if now, err := proc.Real.Stat(l.PID); err == nil && now.Start == l.Start {
			again = append(again, now)
		}
	}
	return ticketless(again, tickets)
}

// ticketless makes one such look.
func ticketless(list []proc.Stat, tickets string) (out []Linker) {
	for _, s := range list {
		tool, ok := IsLinker(s)
		if !ok || s.Zombie() || s.Kernel {
			continue
		}
		l := Linker{Stat: s, Tool: tool}
		switch files, _, err := proc.Real.FDs(s.PID); {
		case errors.Is(err, fs.ErrPermission):
			l.Hidden = true
		case err != nil || hasTicket(files, tickets):
			continue
		}
		out = append(out, l)
	}
	return out
}

func hasTicket(files []proc.FD, tickets string) bool {
	for _, f := range files {
		if strings.HasPrefix(f.Path, tickets) {
			return true
		}
	}
	return false
}

// IsLinker says whether a process is a linker, by its program; by its
// command name only where the program is not ours to see. A shim, which is
// called like the linker it stands in for, is none.
func IsLinker(s proc.Stat) (name string, ok bool) {
	name = s.Comm
	switch exe, err := proc.Real.Exe(s.PID); {
	case err != nil || exe.Answer == proc.None:
		return "", false
	case exe.Known() && IsShims(filepath.Dir(exe.Path)):
		return "", false
	case exe.Known():
		name = filepath.Base(exe.Path)
	}
	return name, name == "rust-lld" || shim.RoleOf(name) == shim.Linker
}

// IsShims says whether a directory is one of shims, whoever made it.
func IsShims(dir string) bool {
	if dir == "" || dir == "." {
		return false
	}
	_, err := shim.Home(dir).Settings()
	return err == nil
}
