package reader

import (
	"path/filepath"
	"slices"
	"strings"
)

// Argv gives the command line that lets the reader of that name count exactly.
// For gotest and a plain "go test …" that is the same with -json, which keeps
// what a test prints apart from what the harness says, and with -count=1: a
// gate runs its tests, and does not replay what an earlier run printed. A flag
// that is there already (also -json=false) stays as it is. Other programs, and
// -c, which only builds, come back unchanged.
func Argv(name string, argv []string) []string {
	if name != "gotest" || len(argv) < 2 || filepath.Base(argv[0]) != "go" || argv[1] != "test" {
		return argv
	}
	add := []string{"-json", "-count=1"}
	for _, arg := range argv[2:] {
		flag, isFlag := strings.CutPrefix(arg, "-")
		flag, _, _ = strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		flag = strings.TrimPrefix(flag, "test.") // go test takes its binary's names too
		if !isFlag {
			continue
		}
		if flag == "args" { // what follows is the test binary's
			break
		}
		if flag == "c" {
			return argv
		}
		add = slices.DeleteFunc(add, func(a string) bool { name, _, _ := strings.Cut(a, "="); return name == "-"+flag })
	}
	return slices.Concat(argv[:2], add, argv[2:])
}
