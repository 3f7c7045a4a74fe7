package reaper

import (
	"time"

	"gpuci/reaper/proc"
)

// Lane is one worktree, as plain data: the rule asks nobody about git.
type Lane struct {
	Name    string
	Root    string // absolute, symbolic links resolved
	Target  string // where its build products go, the same way; "" for nowhere
	Removed bool   // its directory is gone: only what still stands in it, deleted, counts
}

// Process is what the rule goes by first. In a picture of Look's, UID and Cwd
// are not known yet: Judge has them read of those that matter, and what it says
// of a process has them.
type Process struct {
	proc.Stat
	UID      uint32 // who owns it: the effective user
	UIDKnown bool
	Exe, Cwd proc.Place
	Age      time.Duration
}

// Facts are read of some processes only, because they cost more. What is not
// known is not known: nothing is ended because of it.
type Facts interface {
	// Namespaces are those of a process.
	Namespaces(pid int) (ns proc.Namespaces, known bool)
	// Files are the paths of its open files, deleted ones left out.
	Files(pid int) (paths []string, known bool)
	// IgnoresHUP says whether it ignores SIGHUP, as under nohup(1).
	IgnoresHUP(pid int) (ignores, known bool)
	// Autogroup numbers the session that it is in by when that was begun: one
	// that was begun later has a greater number.
	Autogroup(pid int) (number uint64, known bool)
	// Tracer is the process that traces it, 0 for none.
	Tracer(pid int) (tracer int, known bool)
	// Script is the first argument of an interpreter that is no option, "" for
	// none: the file that it runs. It can block as Cookie can.
	Script(pid int) (path string, known bool)
	// Checkout is a directory with a .git of its own, at or above its working
	// directory and below a lane's root, "" for none: another repository's, or a
	// worktree that is not among the lanes. What the lane has for a submodule is
	// none. Of a lane that was removed its root counts too, and for the zero
	// lane all that is above.
	Checkout(pid int, l Lane) (dir string, known bool)
	// Unit is the service of systemd's that it is in, "" for none.
	Unit(pid int) (unit string, known bool)
	// Leaf is the run or build in whose cgroup leaf it stands, "" for none.
	Leaf(pid int) (run string, known bool)
	// Cookie are the runs and builds it was started under, by its environment,
	// which is read last and under a deadline: it can block.
	Cookie(pid int) (runs []string, known bool)
}

// Picture is the machine at one moment.
type Picture struct {
	Self      int // our own pid
	UID       uint32
	Systemd   bool // process 1 is systemd, which puts what it starts into units; false if that is not known
	Processes map[int]Process
	Facts     Facts
	// Runs are the lanes of runs and builds that gpuci knows of, by id, and
	// whether the gpuci that started them is still there.
	Runs map[string]Run
}

// Run is one that gpuci started.
type Run struct {
	Lane  string        // "" for none
	Lives bool          // and whatever was started in another pid namespace counts as such
	Gpuci proc.Identity // who started it: whatever its program is called, that is a gpuci; zero if not known
}
