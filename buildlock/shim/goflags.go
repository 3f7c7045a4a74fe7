package shim

import (
	"os"
	"path/filepath"
	"strings"
)

// GoFlagsVar has the flags that every go command takes. It is the only way in
// for Go's own linker, which go calls by its path: with -toolexec in it, go runs
// its tools through gpuci-link. It is in no key of go's build cache, and what
// go commands do not link (go env, go mod, go list) pass it over.
const GoFlagsVar = "GOFLAGS"

// toolexecFlag begins the flag. A -toolexec of the user's own is left alone.
const toolexecFlag = "-toolexec="

// withGoFlags gives env with our -toolexec behind the flags that this go would
// have taken without us, where there is one. It is named by its path, which leads
// there also when something in between sets PATH anew.
func withGoFlags(env []string, dir, tool string) []string {
	env = withoutGoFlags(env)
	program, err := OnPath(tool, env)
	if err != nil {
		return env
	}
	flags, set := Lookup(env, GoFlagsVar)
	if flags == "" { // go asks its files then
		flags = goFileFlags(env, program)
	}
	if strings.Contains(flags, toolexecFlag) {
		return env
	}
	if set || flags != "" { // the blank says that there was something before us
		flags += " "
	}
	return With(env, GoFlagsVar, flags+toolexecFlag+dir+"/"+ProgramName)
}

// goOf is the go of a command line, and go by its name where that is none.
func goOf(argv []string) string {
	if base(argv[0]) == "go" {
		return argv[0]
	}
	return "go"
}

// withoutGoFlags takes our -toolexec out again.
func withoutGoFlags(env []string) []string {
	flags, ok := Lookup(env, GoFlagsVar)
	if !ok {
		return env
	}
	before, rest, ok := strings.Cut(flags, toolexecFlag)
	program, after, _ := strings.Cut(rest, " ")
	dir, ours := strings.CutSuffix(program, "/"+ProgramName)
	if !ok || !ours || !filepath.IsAbs(dir) || executable(program) == nil && !IsShims(dir) {
		return env
	}
	if before == "" && after == "" {
		return Without(env, GoFlagsVar)
	}
	before = strings.TrimSuffix(before, " ")
	if before != "" && after != "" {
		before += " "
	}
	return With(env, GoFlagsVar, before+after)
}

// goFileFlags are the flags that `go env -w` wrote down, else those that came
// with go. The variable hides them, so that they have to go into it.
func goFileFlags(env []string, program string) string {
	file, _ := Lookup(env, "GOENV")
	if dir, _ := Lookup(env, "XDG_CONFIG_HOME"); file == "" && dir != "" {
		file = filepath.Join(dir, "go", "env")
	}
	if home, _ := Lookup(env, "HOME"); file == "" && home != "" {
		file = filepath.Join(home, ".config", "go", "env")
	}
	if flags, ok := flagsIn(file); ok && file != "off" {
		return flags
	}
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	flags, _ := flagsIn(filepath.Join(filepath.Dir(filepath.Dir(program)), "go.env"))
	return flags
}

// flagsIn reads a file of go's, which has lines of NAME=value. The last one
// counts.
func flagsIn(file string) (flags string, ok bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(data)) {
		if value, has := cutName(strings.TrimSuffix(line, "\n"), GoFlagsVar); has {
			flags, ok = value, true
		}
	}
	return flags, ok
}
