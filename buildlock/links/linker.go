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
	Hidden bool   // another user's: whether it holds a ticket is unknown
}

// ticketFiles is the directory that a holder of a link ticket has a file open
// in, as /proc shows it.
func ticketFiles(lockDir string) string {
	if real, err := filepath.EvalSymlinks(lockDir); err == nil {
		lockDir = real
	}
	return filepath.Join(lockDir, string(buildlock.Link)) + "/"
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
	tickets := ticketFiles(lockDir)
	first := ticketless(list, tickets)
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
	return held(ctx, ticketless(again, tickets), lockDir)
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
	case exe.Known() && shim.IsShims(filepath.Dir(exe.Path)):
		return "", false
	case exe.Known() && shim.IsGoLinker(exe.Path):
		return "go's link", true
	case exe.Known():
		name = filepath.Base(exe.Path)
	}
	return name, name == "rust-lld" || shim.RoleOf(name) == shim.Linker
}
