package links

import (
	"context"
	"path/filepath"

	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// compilerOf finds the compiler that called a linker: its parent, or the one
// above collect2.
func compilerOf(linker proc.Stat) (proc.Stat, bool) {
	s := linker
	for range 2 { // collect2 may stand between the two
		var err error
		if s, err = proc.Real.Stat(s.PPID); err != nil {
			break
		}
		name := filepath.Base(program(s.PID))
		switch role := shim.RoleOf(name); {
		case role == shim.Compiler, role == shim.CUDA:
			return s, true
		case name != "collect2":
			return proc.Stat{}, false
		}
	}
	return proc.Stat{}, false
}

// calledAs is the word by which a process was called, "" where it does not say
// in time.
func calledAs(ctx context.Context, pid int) string {
	argv, err := proc.Real.Cmdline(ctx, pid)
	if err != nil || len(argv) == 0 {
		return ""
	}
	return argv[0]
}

// program is the path of a process's program, "" where that is not to be seen.
func program(pid int) string {
	exe, err := proc.Real.Exe(pid)
	if err != nil || !exe.Known() {
		return ""
	}
	return exe.Path
}
