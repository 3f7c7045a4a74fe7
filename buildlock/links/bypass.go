package links

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
	"gpuci/reaper/proc"
)

// Bypass is how a linker came past the shims, in the words that JSON has.
type Bypass string

// The ways past the shims.
const (
	Unseen    Bypass = "unknown"            // nobody may look, or it did not answer in time
	Emptied   Bypass = "empty environment"  // on the way (env -i)
	Absolute  Bypass = "absolute path"      // there were shims, and it or its compiler was called by a path
	Shadowed  Bypass = "not first on PATH"  // there were shims, and a bare name was found before them
	Barred    Bypass = "shims out of reach" // there were shims, in a directory that its user may not enter
	Unreached Bypass = "no shims"           // there were none
	Removed   Bypass = "ticket removed"     // it had one, whose file somebody took away
	GoTool    Bypass = "Go's linker"        // go calls its tools by their paths
)

// Past is a linker that came past the shims, told apart as far as it takes to
// find the line of the build that is to be changed.
type Past struct {
	Tool   string `json:"tool"`             // the name of its program
	Path   string `json:"path,omitempty"`   // as it was called, or of its program where that was a bare name
	Caller string `json:"caller,omitempty"` // the compiler that called it, as that was called itself
	Reason Bypass `json:"reason"`
	Shims  string `json:"shims,omitempty"` // the directory, where they were out of reach
}

// patience is how long a linker has to tell what it was started with: one in D
// may not answer.
const patience = 100 * time.Millisecond

// PastOf finds out how a linker came past the shims, from what it and the
// compiler above it were started with.
func PastOf(ctx context.Context, l Linker) Past {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p := Past{Tool: l.Tool, Reason: Unseen}
	env, err := proc.Real.Environ(ctx, l.PID)
	called := calledAs(ctx, l.PID)
	if p.Path = called; !strings.Contains(called, "/") {
		p.Path = program(l.PID)
	}
	if c, ok := compilerOf(l.Stat); ok {
		called = calledAs(ctx, c.PID)
		if p.Caller = called; called == "" {
			p.Caller = program(c.PID)
		}
	}
	if err == nil {
		p.Reason = reason(env, called)
		p.bar(env, l.PID)
	}
	if shim.IsGoLinker(program(l.PID)) {
		p.Reason = GoTool
	}
	if l.Lost {
		p.Reason = Removed
	}
	return p
}

// reason tells it from the environment, and from the word by which the linker,
// or the compiler above it, was called.
func reason(env []string, called string) Bypass {
	switch _, ok := shim.Lookup(env, "PATH"); {
	case !ok:
		return Emptied
	case shimsIn(env) == "":
		return Unreached
	case called != "" && !strings.Contains(called, "/"):
		return Shadowed
	}
	return Absolute
}

// shimsIn is the first directory of shims in an environment's paths, "" for none.
func shimsIn(env []string) string {
	path, _ := shim.Lookup(env, "PATH")
	compiler, _ := shim.Lookup(env, "COMPILER_PATH")
	for _, dir := range append(strings.Split(path, ":"), strings.Split(compiler, ":")...) {
		if dir = strings.TrimSuffix(dir, "/"); shim.IsShims(dir) {
			return dir
		}
	}
	return ""
}

// bar puts it right where the process pid could not have come to the shims in
// env, as its user may not enter their directory: root's, say, below a /root that
// is root's alone, in a build that goes on as somebody else.
func (p *Past) bar(env []string, pid int) {
	dir := shimsIn(env)
	if dir == "" {
		return
	}
	if s, err := proc.Real.Status(pid); err == nil && barred(dir, s.EUID, s.EGID) {
		p.Reason, p.Shims = Barred, dir
	}
}

// barred says whether a user may not enter dir or one above it. Where a group may
// that is not his first one, he may be in it: that is not known, and no yes.
func barred(dir string, uid, gid int) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || uid == 0 {
		return false
	}
	for ; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil {
			return false
		}
		var enter uint32 = 0o011
		switch {
		case int(st.Uid) == uid:
			enter = 0o100
		case int(st.Gid) == gid:
			enter = 0o010
		}
		if st.Mode&enter == 0 {
			return true
		}
	}
	return false
}

// WouldCatch is what would catch it. inBuild says that it is in a build of
// `gpuci build`, whose shims something took away.
func (p Past) WouldCatch(inBuild bool) string {
	switch {
	case p.Reason == Removed:
		return "the file of its ticket was removed, and the next link does not wait for it: let the lock directory be (gpuci lock void is the way past a stuck one)"
	case p.Reason == Emptied:
		return "its environment was emptied on the way (env -i): let PATH and COMPILER_PATH through"
	case p.Reason == Absolute && p.Caller != "":
		return `its compiler was called by a path, past the shims: name the compiler without its directory (linker = "clang", CC=gcc)`
	case p.Reason == Absolute && p.Tool == "rust-lld":
		return "rustc calls its own linker by its path, which nothing here catches"
	case p.Reason == Absolute:
		return "it was called by a path, past the shims: name the linker without its directory" + p.example()
	case p.Reason == Shadowed:
		return fmt.Sprintf(`another %s stands before the shims on PATH: let them be the first, by eval "$(gpuci env)" after what changes PATH`, buildlock.Printable(p.byName()))
	case p.Reason == Barred:
		return fmt.Sprintf("its user may not enter the directory of the shims, %s: set XDG_DATA_HOME to one that every user of the build may enter", buildlock.Printable(p.Shims))
	case p.Reason == GoTool && inBuild:
		return "go calls its linker by its path: let it keep the -toolexec that gpuci has put into GOFLAGS"
	case p.Reason == GoTool:
		return `go calls its linker by its path, and queues by the -toolexec in GOFLAGS that gpuci build -- CMD sets, and eval "$(gpuci env)" in its shell`
	case p.Reason == Unreached && inBuild:
		return "something in the build sets PATH and COMPILER_PATH anew: let it keep the first entry of each"
	case p.Reason == Unreached:
		return `its build has no shims on PATH: run it by gpuci build -- CMD, or eval "$(gpuci env)" in its shell first`
	}
	return ""
}

// example is how the linker is named so that its shim is found: to a Makefile,
// and to a compiler, whose option leaves out the "ld." of its name.
func (p Past) example() string {
	name := filepath.Base(cmp.Or(p.Path, p.Tool))
	if shim.RoleOf(name) != shim.Linker {
		return ""
	}
	switch short, ok := strings.CutPrefix(name, "ld."); {
	case ok, name == "mold", name == "lld", name == "gold", name == "wild":
		return fmt.Sprintf(" (LD=%s; for cc and rustc, -fuse-ld=%s)", buildlock.Printable(name), buildlock.Printable(short))
	}
	return fmt.Sprintf(" (LD=%s)", buildlock.Printable(name))
}

// byName is the bare name that led past the shims.
func (p Past) byName() string {
	if p.Caller != "" {
		return filepath.Base(p.Caller)
	}
	return p.Tool
}

// String names it so that it can be found in a Makefile.
func (p Past) String() string {
	text := p.Tool
	if p.Path != "" {
		text = p.Path
	}
	if p.Caller != "" {
		text += ", called by " + p.Caller
	}
	return buildlock.Printable(text)
}
