package shim

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The names of the variables that tell a shim what it cannot know.
const (
	LockDirVar = "GPUCI_LOCK_DIR" // the lock directory
	LinksVar   = "GPUCI_LINKS"    // how many links at once; may only lower the machine's number
	WaitVar    = "GPUCI_WAIT"     // how long one link may wait
	LaneVar    = "GPUCI_LANE"     // told in the ticket
	CommandVar = "GPUCI_COMMAND"  // told in the ticket
	BuildVar   = "GPUCI_BUILD"    // id of the build, told in the ticket
	LogVar     = "GPUCI_LINK_LOG" // file for a line about each link; somebody watches it
	TicketsVar = "GPUCI_TICKETS"  // tickets held above
)

// Values are what a build tells its shims. What is zero is left as the
// environment has it.
type Values struct {
	LockDir string
	Links   int
	Wait    time.Duration // 0 is left; negative waits for ever
	Lane    string
	Command string
	Build   string
	Log     string
}

// Variable is one variable of an environment.
type Variable struct{ Name, Value string }

// Environ gives base with the shims of d first in PATH and COMPILER_PATH, the
// values, and what makes compiler caches look past the shims. Other
// directories of shims are out of it: a build in a build has one.
func (d Directory) Environ(base []string, v Values) []string {
	env := stripped(stripped(base, "PATH"), "COMPILER_PATH")
	if _, ok := Lookup(env, "PATH"); !ok {
		env = With(env, "PATH", defaultPath)
	}
	env = withCacheChecks(env, d.Path, toolsID(d.Names, env, Home(d.Path)))
	env = inFront(inFront(env, "PATH", d.Path), "COMPILER_PATH", d.Path)
	for _, set := range v.list() {
		env = With(env, set.Name, set.Value)
	}
	return env
}

func (v Values) list() (out []Variable) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, Variable{name, value})
		}
	}
	add(LockDirVar, v.LockDir)
	if v.Links > 0 {
		add(LinksVar, strconv.Itoa(v.Links))
	}
	if v.Wait != 0 {
		add(WaitVar, v.Wait.String())
	}
	add(LaneVar, v.Lane)
	add(CommandVar, v.Command)
	add(BuildVar, v.Build)
	add(LogVar, v.Log)
	return out
}

// Variables is what a shell with environment base has to set, and to remove,
// to have the shims in front: the difference that Environ makes. A shell is
// not below a ticket, and nobody watches what it links.
func (d Directory) Variables(base []string, v Values) (set []Variable, remove []string) {
	want := d.Environ(unset(unset(base, TicketsVar), LogVar), v)
	return difference(base, want)
}

// difference is what leads from one environment to another, sorted by name.
func difference(from, to []string) (set []Variable, remove []string) {
	for _, e := range to {
		name, value, _ := strings.Cut(e, "=")
		if old, ok := Lookup(from, name); !ok || old != value {
			set = append(set, Variable{name, value})
		}
	}
	for _, e := range from {
		name, _, _ := strings.Cut(e, "=")
		if _, ok := Lookup(to, name); !ok && !slices.Contains(remove, name) {
			remove = append(remove, name)
		}
	}
	slices.SortFunc(set, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(remove)
	return set, remove
}

// Bare gives env without anything of ours in its paths and caches: what the
// same command would have seen before gpuci.
func Bare(env []string) []string {
	return withoutCacheChecks(stripped(stripped(env, "PATH"), "COMPILER_PATH"))
}
