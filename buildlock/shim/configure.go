package shim

import (
	"os"
	"strings"
)

// remembers says whether a command notes the paths of the tools it finds, for
// good: a call of cmake or meson that configures, or that builds and configures
// again first; one of ctest or cpack, which do so for a test or a package, by
// cmake's own path; and make or ninja in a tree that one of those generated. Below
// it no shim may be on PATH. The links of such a tree come to us all the same,
// through COMPILER_PATH: its compilers are called by their paths.
func remembers(role Role, name string, args []string, dir string) bool {
	switch role {
	case Configurer:
		switch strings.TrimSuffix(name, "3") {
		case "meson", "ctest", "cpack":
			return true
		}
		return configures(args)
	case Runner:
		return generated(runnerDir(args, dir))
	}
	return false
}

// configures says whether a call of cmake may look for tools and note where it
// found them. The others install, script or ask.
func configures(args []string) bool {
	for _, a := range args {
		switch a {
		case "--install", "-E", "-P", "--version", "-version", "/V", "--open", "-h", "-H", "-help", "-usage", "/?", "-N":
			return false
		}
		if strings.HasPrefix(a, "--help") {
			return false
		}
	}
	return true
}

// runnerDir is where make or ninja works: each -C leads on from the one before.
func runnerDir(args []string, dir string) string {
	for i, a := range args {
		to := ""
		switch {
		case a == "--":
			return dir
		case (a == "-C" || a == "--directory") && i+1 < len(args):
			to = args[i+1]
		case strings.HasPrefix(a, "--directory="):
			to = a[len("--directory="):]
		case strings.HasPrefix(a, "-C"):
			to = a[2:]
		}
		switch {
		case to == "":
		case strings.HasPrefix(to, "/"):
			dir = to
		default:
			dir += "/" + to
		}
	}
	return dir
}

// generated says whether cmake or meson made a directory, or one above it: a
// CMake tree has a Makefile in every directory.
func generated(dir string) bool {
	for up := 0; up < maxUp; up++ {
		for _, mark := range []string{"/CMakeCache.txt", "/meson-private"} {
			if _, err := os.Stat(dir + mark); err == nil {
				return true
			}
		}
		if info, err := os.Stat(dir + "/CMakeFiles"); err != nil || !info.IsDir() {
			return false // only what cmake made can stand below what cmake made
		}
		dir += "/.."
	}
	return false
}

// maxUp bounds the way up a tree.
const maxUp = 64

// withoutMemory is the environment of a command that is called by a path and not
// through a shim: one that remembers what it finds sees the shims in
// COMPILER_PATH only.
func (d Directory) withoutMemory(env, argv []string, dir string) []string {
	name := base(argv[0])
	if strings.Contains(argv[0], "/") && remembers(RoleOf(name), name, argv[1:], dir) {
		return stripped(env, "PATH")
	}
	return env
}
