//go:build linux

package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShimNotRemembered: a CMake and a Meson tree know the real tools, also
// those that find_program looks for and those that a build finds when it
// configures again; and their links are queued.
func TestShimNotRemembered(t *testing.T) {
	r := shimRig(t, "cmake", "make", "ninja", "meson", "gcc", "ld")
	shimFile(t, r.dir+"/main.c", shimMain)
	cmakeLists := "cmake_minimum_required(VERSION 3.20)\nproject(x C)\nadd_executable(x main.c)\n"
	shimFile(t, r.dir+"/CMakeLists.txt", cmakeLists)
	shimFile(t, r.dir+"/meson.build", "project('x', 'c')\nfind_program('ld')\nexecutable('x', 'main.c')\n")
	// (Meson puts sccache in front by itself, whose server would outlive the test.)
	again := "printf 'find_program(MYLD ld)\\n' >> CMakeLists.txt && "
	for name, lines := range map[string][]string{
		"make":  {"cmake -S . -B make", again + "make -C make"},
		"ninja": {"cmake -S . -B ninja -G Ninja", again + "ninja -C ninja"},
		"build": {"cmake -S . -B build", again + "cmake --build build"},
		"meson": {"CC=gcc meson setup meson", "ninja -C meson"},
	} {
		t.Run(name, func(t *testing.T) {
			shimFile(t, r.dir+"/CMakeLists.txt", cmakeLists)
			r.must(t, lines[0])
			_ = r.links(t)
			r.must(t, lines[1])
			if got := r.links(t); got != "ld ticket" && got != "gcc ticket" && got != "cc ticket" {
				t.Errorf("the build's link: %q", got)
			}
			r.notIn(t, r.dir+"/"+name)
			if name != "meson" && !strings.Contains(readAll(t, r.dir+"/"+name+"/CMakeCache.txt"), "MYLD:FILEPATH=/usr/") {
				t.Error("it did not configure again: this proved nothing")
			}
		})
	}
}

// TestShimNotRememberedTesting: ctest configures too, by cmake's own path; so do
// tests that call ctest by its path, and cpack.
func TestShimNotRememberedTesting(t *testing.T) {
	r := shimRig(t, "cmake", "ctest", "cpack", "make", "gcc", "ld")
	shimFile(t, r.dir+"/src/main.c", shimMain)
	const lists = "cmake_minimum_required(VERSION 3.20)\nproject(x C)\nadd_executable(x main.c)\ninstall(TARGETS x)\ninclude(CPack)\n"
	const looks = "find_program(MYLD ld)\n"
	shimFile(t, r.dir+"/src/CMakeLists.txt", lists+looks)
	shimFile(t, r.dir+"/packed.src/main.c", shimMain)
	shimFile(t, r.dir+"/packed.src/CMakeLists.txt", lists)
	shimFile(t, r.dir+"/script.cmake", `set(CTEST_SOURCE_DIRECTORY "${CTEST_SCRIPT_DIRECTORY}/src")
set(CTEST_BINARY_DIRECTORY "${CTEST_SCRIPT_DIRECTORY}/script")
set(CTEST_CMAKE_GENERATOR "Unix Makefiles")
ctest_start(Experimental)
ctest_configure()
ctest_build()
`)
	outer := "cmake_minimum_required(VERSION 3.20)\nproject(y NONE)\nenable_testing()\nadd_test(NAME z COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test " + r.dir + "/src " + r.dir + "/inner --build-generator \"Unix Makefiles\")\n"
	shimFile(t, r.dir+"/outer/CMakeLists.txt", outer)
	const and = " --build-and-test src "
	for name, line := range map[string]string{
		"named":  "ctest" + and + "named --build-generator 'Unix Makefiles'",
		"script": "ctest -S script.cmake",
		"inner":  "cmake -S outer -B outer/b && cd outer/b && ctest",
		"packed": "cmake -S packed.src -B packed && echo '" + strings.TrimSpace(looks) + "' >>packed.src/CMakeLists.txt && cd packed && cpack -G TGZ",
	} {
		t.Run(name, func(t *testing.T) {
			_ = r.links(t)
			r.must(t, line)
			if r.links(t) == "" {
				t.Error("no link came to us")
			}
			if !strings.Contains(readAll(t, r.dir+"/"+name+"/CMakeCache.txt"), "MYLD:FILEPATH=/") {
				t.Error("it did not look for ld: this proved nothing")
			}
			r.notIn(t, r.dir+"/"+name)
		})
	}
}

// notIn fails the test when a file below dir names the shims; logs may.
func (r rig) notIn(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, ".log") || strings.HasSuffix(path, "log.txt") {
			return err
		}
		if strings.Contains(readAll(t, path), r.shims.Path) {
			t.Errorf("%s remembers the shims", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func readAll(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestShimToolexec: Go's own linker is called by its path and by nobody's
// compiler; as go's -toolexec gpuci-link queues it too, and changes nothing of
// what go builds or has cached.
func TestShimToolexec(t *testing.T) {
	r := shimRig(t, "go")
	if err := os.Mkdir(r.dir+"/m", 0o755); err != nil { // go ignores a module at the root of TMPDIR
		t.Fatal(err)
	}
	shimFile(t, r.dir+"/m/go.mod", "module x\n\ngo 1.22\n")
	shimFile(t, r.dir+"/m/main.go", "package main\n\nfunc main() { println(1) }\n")
	const cache = "cd m && export CGO_ENABLED=0 GOCACHE=$PWD/cache GOFLAGS=-mod=mod && "
	r.must(t, cache+"go build -o bare .")
	r.must(t, cache+"rm -rf cache/[0-9a-f]* && go build -toolexec gpuci-link -o queued .")
	if got := r.links(t); got != "link ticket" {
		t.Errorf("links: %q", got)
	}
	r.must(t, "cmp m/bare m/queued")
	r.must(t, cache+"go build -toolexec gpuci-link -x -o again . 2>log; ! grep -e /compile -e /asm log")
}
