package shim

import "strings"

// GoLinks says whether a command line is Go's linker at work, and not asked for
// its version.
func GoLinks(argv []string) bool {
	if !IsGoLinker(argv[0]) {
		return false
	}
	for _, a := range argv[1:] {
		if strings.HasPrefix(a, "-V") || strings.HasPrefix(a, "--V") {
			return false
		}
	}
	return len(argv) > 1
}

// IsGoLinker says whether a program is Go's linker, by where Go keeps its
// tools: pkg/tool/linux_amd64/link.
func IsGoLinker(path string) bool {
	dir, ok := strings.CutSuffix(path, "/link")
	return ok && strings.HasSuffix(dir[:len(dir)-len(base(dir))], "/pkg/tool/")
}

// toolexec gives a call of go that may link -toolexec gpuci-link on its command
// line where GOFLAGS does not say so: go is called by its path, and there is none
// on PATH. A call that has a -toolexec of its own keeps it.
func toolexec(argv, env []string) []string {
	if len(argv) < 2 || base(argv[0]) != "go" {
		return argv
	}
	switch argv[1] {
	case "build", "test", "install", "run":
	default:
		return argv
	}
	flags, _ := Lookup(env, GoFlagsVar)
	if strings.Contains(flags, toolexecFlag) {
		return argv
	}
	for _, a := range argv[2:] {
		if strings.HasPrefix(a, "-toolexec") || strings.HasPrefix(a, "--toolexec") {
			return argv
		}
	}
	return append([]string{argv[0], argv[1], "-toolexec=" + ProgramName}, argv[2:]...)
}
