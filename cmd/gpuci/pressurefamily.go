package main

import (
	"path/filepath"
	"slices"
	"strings"

	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// runningBuild is a build as its processes show it.
type runningBuild struct {
	top    proc.Stat   // the build tool, or the topmost compiler where there is none
	leaves []proc.Stat // compilers and linkers that wait for no other one
}

// buildsIn finds the builds that run: from each compiler and linker up through
// compilers, linkers, build tools, and the shells between these. A shell on top
// is somebody's, and no part of it; neither is a gpuci, which is at work itself.
func buildsIn(t proc.Table) (out []runningBuild) {
	inner := make(map[int]bool) // has one of the family below it
	var family []proc.Stat
	for _, s := range t {
		if !s.Zombie() && isFamily(t, s) {
			family = append(family, s)
			inner[s.PPID] = true
		}
	}
	slices.SortFunc(family, func(a, b proc.Stat) int { return a.PID - b.PID })
	for _, s := range family {
		top := topOf(t, s)
		at := slices.IndexFunc(out, func(b runningBuild) bool { return b.top.PID == top.PID })
		if at < 0 {
			at = len(out)
			out = append(out, runningBuild{top: top})
		}
		if !inner[s.PID] {
			out[at].leaves = append(out[at].leaves, s)
		}
	}
	return out
}

func topOf(t proc.Table, s proc.Stat) proc.Stat {
	top, seen := s, map[int]bool{s.PID: true}
	for up, ok := t[s.PPID]; ok && !seen[up.PID]; up, ok = t[up.PPID] {
		seen[up.PID] = true
		switch {
		case isFamily(t, up), isBuildTool(up.Comm):
			top = up
		case !isShell(up.Comm):
			return top
		}
	}
	return top
}

// isFamily says whether a process compiles or links. It goes by the name: in a
// stall there are hundreds of processes, and the kernel gives that at once. Only
// where it cut the name off the program's own is asked for.
func isFamily(t proc.Table, s proc.Stat) bool {
	const cut = 15 // bytes, TASK_COMM_LEN less the NUL
	if s.Kernel {
		return false
	}
	name := s.Comm
	if len(name) == cut && strings.Contains(name, "-") {
		if exe, err := proc.Real.Exe(s.PID); err == nil && exe.Known() {
			name = filepath.Base(exe.Path)
		}
	}
	switch name {
	case "rustc", "rustdoc", "rust-lld", "collect2", "cc1", "cc1plus", "f951", "as", "lto1", "lto-wrapper",
		"cicc", "ptxas", "cudafe++", "fatbinary":
		return true
	case "compile", "link", "asm": // go's, and anybody's
		return t[s.PPID].Comm == "go"
	}
	switch shim.RoleOf(name) {
	case shim.Compiler, shim.CUDA, shim.Linker, shim.Launcher:
		return true
	}
	return false
}

func isBuildTool(name string) bool {
	switch shim.RoleOf(name) {
	case shim.Runner, shim.Configurer:
		return true
	}
	return name == "go" || name == "cargo" || strings.HasPrefix(name, "cargo-")
}

func isShell(name string) bool {
	switch name {
	case "sh", "dash", "bash", "zsh", "ash", "busybox", "ksh", "fish":
		return true
	}
	return false
}
