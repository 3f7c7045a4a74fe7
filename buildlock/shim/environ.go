package shim

import (
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// The names of the variables that tell a shim what it cannot know.
const (
	LockDirVar  = "GPUCI_LOCK_DIR"  // the lock directory
	LinksVar    = "GPUCI_LINKS"     // how many links at once; may only lower the machine's number
	WaitVar     = "GPUCI_WAIT"      // how long one link may wait
	LaneVar     = "GPUCI_LANE"      // told in the ticket
	LaneRootVar = "GPUCI_LANE_ROOT" // its directory, told in the ticket
	CommandVar  = "GPUCI_COMMAND"   // told in the ticket
	BuildVar    = "GPUCI_BUILD"     // id of the build, told in the ticket
	LogVar      = "GPUCI_LINK_LOG"  // file for a line about each link; somebody watches it
	TicketsVar  = "GPUCI_TICKETS"   // tickets held above
	BudgetVar   = "GPUCI_BUDGET"    // id of the build whose budget of pressure is drawn on: the outermost one
	PressureVar = "GPUCI_PRESSURE"  // when links are held back, in the words of pressure.ParseRule
)

// Values are what a build tells its shims. What is zero is left as the
// environment has it.
type Values struct {
	LockDir string
	Links   int
	Wait    time.Duration // 0 is left; negative waits for ever
	Lane    string        // with Root: a lane without one has none
	Root    string
	Command string
	Build   string
	Log     string
	Rule    string // of the pressure
	Budget  string // a build in a build draws on the outer one's, which the environment has already
}

// CUDAHomeVar is where a CUDA toolkit is. Programs that are not told look for
// nvcc on PATH, and would take our directory for the toolkit's.
const CUDAHomeVar = "CUDA_HOME"

// Environ gives base with the shims of d first in PATH and COMPILER_PATH, the
// values, what makes compiler caches look past the shims, what has go run its
// linker through them, and where the CUDA toolkit is if nothing says so. Other
// directories of shims are out of it: a build in a build has one.
func (d Directory) Environ(base []string, v Values) []string {
	return d.environ(base, v, "go")
}

// environ is Environ where go is called by that name or path.
func (d Directory) environ(base []string, v Values, tool string) []string {
	env := stripped(stripped(base, "PATH"), "COMPILER_PATH")
	if _, ok := Lookup(env, "PATH"); !ok {
		env = With(env, "PATH", defaultPath)
	}
	env = d.withCUDAHome(env)
	env = withGoFlags(env, d.Path, tool)
	env = withCacheChecks(env, d.Path, toolsID(d.Names, env, Home(d.Path)))
	return v.set(inFront(inFront(env, "PATH", d.Path), "COMPILER_PATH", d.Path))
}

// CommandEnv is the environment of a command that is started in dir with the
// shims in front, made of base and the values. Without a lane there is none, also
// when gpuci itself was started in one. A go that is called by its path need not
// be on PATH.
func (d Directory) CommandEnv(argv, base []string, dir string, v Values) []string {
	if v.Lane == "" {
		base = Without(Without(base, LaneVar), LaneRootVar)
	}
	return d.withoutMemory(d.environ(base, v, goOf(argv)), argv, dir)
}

// withCUDAHome says where the real nvcc has its toolkit: in the directory above
// its own, by the name that PATH has for that.
func (d Directory) withCUDAHome(env []string) []string {
	_, home := Lookup(env, CUDAHomeVar)
	_, path := Lookup(env, "CUDA_PATH")
	if home || path || !slices.Contains(d.Names, "nvcc") {
		return env
	}
	list, _ := Lookup(env, "PATH")
	nvcc, err := newSearch(nil, "").in(list, "nvcc")
	if err != nil || !filepath.IsAbs(nvcc) {
		return env
	}
	return With(env, CUDAHomeVar, filepath.Dir(filepath.Dir(nvcc)))
}

// set gives env with the values in it.
func (v Values) set(env []string) []string {
	if v.Lane != "" {
		env = Without(env, LaneRootVar)
	}
	set := func(name, value string) {
		if value != "" {
			env = With(env, name, value)
		}
	}
	set(LockDirVar, v.LockDir)
	if v.Links > 0 {
		set(LinksVar, strconv.Itoa(v.Links))
	}
	if v.Wait != 0 {
		set(WaitVar, v.Wait.String())
	}
	set(LaneVar, v.Lane)
	set(LaneRootVar, v.Root)
	set(CommandVar, v.Command)
	set(BuildVar, v.Build)
	set(LogVar, v.Log)
	set(PressureVar, v.Rule)
	if outer, ok := Lookup(env, BudgetVar); !ok || outer == "" {
		set(BudgetVar, v.Budget)
	}
	return env
}

// Bare gives env without anything of ours in its paths, caches and flags: what the
// same command would have seen before gpuci.
func Bare(env []string) []string {
	return withoutGoFlags(withoutCacheChecks(stripped(stripped(env, "PATH"), "COMPILER_PATH")))
}

// Whole says whether the directory still has every shim that was made in it.
func (d Directory) Whole() bool {
	missing := func(name string) bool { return executable(d.Path+"/"+name) != nil }
	return IsShims(d.Path) && !slices.ContainsFunc(d.Names, missing)
}

// BrokenText says, before its path, what it means that a directory is not.
const BrokenText = "shims were removed meanwhile, and links after that did not queue: "
