package links

import (
	"context"
	"strings"
	"time"

	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// Bypass is how a linker came past the shims.
type Bypass int

const (
	Unseen    Bypass = iota // nobody may look, or it did not answer in time
	Emptied                 // its environment was emptied on the way (env -i)
	Absolute                // there were shims, and it was called by a path
	Unreached               // there were no shims
)

func (b Bypass) String() string {
	return [...]string{"unknown", "empty environment", "absolute path", "no shims"}[b]
}

// BypassOf sees in a linker's environment how it came past the shims: what it
// was started with is what its parents handed down.
func BypassOf(ctx context.Context, pid int) Bypass {
	const patience = 100 * time.Millisecond // one in D may not answer
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	env, err := proc.Real.Environ(ctx, pid)
	if err != nil {
		return Unseen
	}
	path, ok := shim.Lookup(env, "PATH")
	if !ok {
		return Emptied
	}
	compiler, _ := shim.Lookup(env, "COMPILER_PATH")
	for _, dir := range append(strings.Split(path, ":"), strings.Split(compiler, ":")...) {
		if IsShims(strings.TrimSuffix(dir, "/")) {
			return Absolute
		}
	}
	return Unreached
}

// Remedy is what would catch it. inBuild says that it is in a build of
// `gpuci build`, whose shims something took away.
func (b Bypass) Remedy(inBuild bool) string {
	switch {
	case b == Emptied:
		return "its environment was emptied on the way (env -i): let PATH and COMPILER_PATH through"
	case b == Absolute:
		return `it was called by an absolute path, past the shims: name the linker or compiler without its directory (linker = "clang", CC=gcc)`
	case b == Unreached && inBuild:
		return "something in the build sets PATH and COMPILER_PATH anew: let it keep the first entry of each"
	case b == Unreached:
		return `its build has no shims on PATH: run it by gpuci build -- CMD, or eval "$(gpuci env)" in its shell first`
	}
	return ""
}
