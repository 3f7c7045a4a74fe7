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
