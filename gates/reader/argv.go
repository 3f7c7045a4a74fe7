package reader

import (
	"path/filepath"
	"slices"
	"strings"
)

// Argv gives the command line that lets the reader of that name count exactly.
// For gotest and a plain "go test …" that is the same with -json, which keeps
// what a test prints apart from what the harness says. Everything else comes
// back as it is: other programs, a -json that is there already (also
// -json=false), and -c, which only builds.
func Argv(name string, argv []string) []string {
	if name != "gotest" || len(argv) < 2 || filepath.Base(argv[0]) != "go" || argv[1] != "test" {
		return argv
	}
	for _, arg := range argv[2:] {
		flag, isFlag := strings.CutPrefix(arg, "-")
		flag, _, _ = strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		if !isFlag {
			continue
		}
		if flag == "args" { // what follows is the test binary's
			break
		}
		if flag == "json" || flag == "c" {
			return argv
		}
	}
	return slices.Concat(argv[:2], []string{"-json"}, argv[2:])
}
