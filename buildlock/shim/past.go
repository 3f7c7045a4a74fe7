package shim

import (
	"os"
	"strconv"
	"strings"
)

// pastVar lists scripts that stand in front of a tool and that a shim executed
// on the way to it, each with the process that became it: 4711=/opt/wrap/gcc.
// They may call the shim in turn: `exec $(which gcc) "$@"` in a directory before
// ours.
const pastVar = "GPUCI_PAST"

// maxAncestors bounds the way up to the scripts: ancestors that come and go while
// they are read are no line.
const maxAncestors = 1000

// callers picks those scripts that call us now: we are below one, or in its place,
// and no tool was executed in between. A ninja that a script of this name became
// may call ninja too, for another directory: that is a call of the script again.
// Without /proc all of them stay.
func callers(env []string) (held []string) {
	list, _ := Lookup(env, pastVar)
	if list == "" {
		return nil
	}
	all := strings.Split(list, ":")
	for up, pid := 0, os.Getpid(); pid > 0 && up < maxAncestors; up++ {
		if up > 0 && runsTool(pid) {
			return held
		}
		for _, script := range all {
			if strings.HasPrefix(script, itoa(pid)+"=") {
				held = append(held, script)
			}
		}
		parent, ok := parentOf(pid)
		if !ok {
			return all
		}
		pid = parent
	}
	return held
}

// calls says whether the script at path is one of them.
func calls(scripts []string, path string) bool {
	for _, script := range scripts {
		if _, at, _ := strings.Cut(script, "="); at == path {
			return true
		}
	}
	return false
}

// runsTool says whether a process runs a tool that calls others on its own
// account. A compiler cache only passes a call on; a process that does not say
// what it runs is none.
func runsTool(pid int) bool {
	program, err := os.Readlink("/proc/" + itoa(pid) + "/exe")
	if err != nil {
		return false
	}
	role := RoleOf(base(strings.TrimSuffix(program, " (deleted)")))
	return role != None && role != Launcher
}

// parentOf is the parent of a process: the fourth field of /proc/PID/stat, the
// second behind the name, which can hold anything.
func parentOf(pid int) (parent int, ok bool) {
	data, err := os.ReadFile("/proc/" + itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 2 {
		return 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, err == nil
}
