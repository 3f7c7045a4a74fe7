package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Which commands may note the tools they find, by what stands in the directory
// they work in.
func TestRemembers(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"cmake/CMakeFiles", "cmake/sub/CMakeFiles", "cmake/plain", "meson/meson-private", "plain"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(top+"/cmake/CMakeCache.txt", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{
		"cmake -S . -B out":                  true,
		"cmake --build out -j8":              true,
		"cmake --workflow x":                 true,
		"cmake --install out":                false,
		"cmake -E env cargo build":           false,
		"cmake -P script.cmake":              false,
		"cmake --version":                    false,
		"ctest --build-and-test s b":         true,
		"ctest -j8":                          true, // its tests may do that, by ctest's path
		"cpack -P x":                         true,
		"cmake3 ..":                          true,
		"cmake3 --version":                   false,
		"meson setup out":                    true,
		"meson compile -C out":               true,
		"make -C cmake -j8":                  true,
		"make -C cmake -C sub":               true,
		"make -Ccmake/plain":                 false,
		"make":                               false,
		"make -- -C cmake":                   false,
		"make --directory=cmake all":         true,
		"ninja -C meson":                     true,
		"ninja -C plain":                     false,
		"samu -C " + top + "/meson -t clean": true,
		"cc -C cmake":                        false,
	} {
		argv := strings.Fields(line)
		if got := remembers(RoleOf(argv[0]), argv[0], argv[1:], top); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

// A command that remembers, called by its path, has no shims on PATH.
func TestFor(t *testing.T) {
	s := newShelf(t)
	d, err := s.maker(t, "bin").Make()
	if err != nil {
		t.Fatal(err)
	}
	env := d.Environ([]string{"PATH=/usr/bin"}, Values{})
	for line, want := range map[string]bool{"/usr/bin/cmake -S . -B x": false, "cmake -S . -B x": true, "/usr/bin/cargo build": true} {
		path, _ := Lookup(d.withoutMemory(env, strings.Fields(line), t.TempDir()), "PATH")
		if got := strings.HasPrefix(path, d.Path+":"); got != want {
			t.Errorf("%s: PATH is %s", line, path)
		}
	}
}
