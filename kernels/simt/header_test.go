package simt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// headers are the ways in which a source comes to what a header says. Each has a kernel
// of its name that writes VALUE. The files are below the directory of the sources, in
// more, which is in Include, or in path, which is in CPATH. change is the file of which a
// build must see that its VALUE went from 1 to 9.
var headers = []struct {
	name, source  string
	files         map[string]string
	change, added string
}{
	{name: "beside", source: `#include "lib/a.cuh"`, files: map[string]string{"lib/a.cuh": `#include "v.cuh"`}, change: "v.cuh"},
	{name: "angle", source: `#include <w.cuh>`, files: map[string]string{"w.cuh": "#define VALUE 5\n"}, change: "more/w.cuh"},
	{name: "macro", source: "#define H \"m.cuh\"\n#include H", change: "m.cuh"},
	{name: "comment", source: `# /* this */ include /* and that */ "c.cuh"`, change: "c.cuh"},
	{name: "continued", source: "#incl\\\nude \\\n\"d.cuh\"", change: "d.cuh"},
	{name: "path", source: `#include <p.cuh>`, change: "path/p.cuh"},
	{name: "twice", source: "#include \"more/t.cuh\"\n#define AGAIN\n#include \"t.cuh\"",
		files: map[string]string{"more/t.cuh": "// nothing\n"}, change: "t.cuh"},
	{name: "nearer", source: `#include "n.cuh"`, files: map[string]string{"more/n.cuh": "#define VALUE 1\n"}, added: "n.cuh"},
	{name: "asked", source: "#if __has_include(\"h.cuh\")\n#include \"h.cuh\"\n#else\n#define VALUE 1\n#endif", added: "h.cuh"},
	{name: "dropped", source: "#if 0\n#include \"nowhere.cuh\"\n#endif\n#include \"o.cuh\"", change: "o.cuh"},
}

// Whatever header the compiler takes, and by whatever way, a build sees that it changed.
func TestChangedHeaderIsSeen(t *testing.T) {
	cxx, dir := compilers(t)[0], t.TempDir()
	o := simt.Options{
		Include: []string{filepath.Join(dir, "more")}, Env: append(os.Environ(), "CPATH="+filepath.Join(dir, "path")),
		Dir: directory, CXX: cxx,
	}
	for _, h := range headers {
		text := fmt.Sprintf("%s\nextern \"C\" __global__ void k_%s(float *out) { out[0] = VALUE; }\n", h.source, h.name)
		o.Sources = append(o.Sources, put(t, dir, h.name+".cu", text))
		for name, text := range h.files {
			put(t, dir, name, text)
		}
		if h.change != "" {
			put(t, dir, h.change, "#define VALUE 1\n")
		}
	}
	values(t, o, 1)
	for _, h := range headers {
		put(t, dir, h.change+h.added, "#define VALUE 9\n")
	}
	if n := values(t, o, 9); n != len(headers) {
		t.Errorf("compiled %d, want each of %d", n, len(headers))
	}
	put(t, dir, "dropped.cu", strings.ReplaceAll("// another\n#include \"o.cuh\"\nextern \"C\" __global__ void k_dropped(float *out) { out[0] = VALUE; }\n", "\n", "\r\n"))
	if n := values(t, o, 9); n != 1 {
		t.Errorf("after a change of one source: compiled %d", n)
	}
	if n := values(t, o, 9); n != 0 {
		t.Errorf("without a change: compiled %d", n)
	}
}

// values runs the kernels of all headers and says how many files were compiled.
func values(t *testing.T, o simt.Options, want float32) int {
	t.Helper()
	p, err := simt.Build(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var job launch.Job
	for _, h := range headers {
		one := shape{kernel: "k_" + h.name, blocks: 1, threads: 1}.job(0)
		one.Buffers[0].Name, one.Launches[0].Args[0].Buffer = h.name, h.name
		job.Buffers = append(job.Buffers, one.Buffers...)
		job.Launches = append(job.Launches, one.Launches...)
	}
	r := run(t, p, job)
	for _, h := range headers {
		if got := r.Buffers[h.name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %v, want %v", h.name, got, want)
		}
	}
	return p.Compiled
}

// put writes a file below a directory.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
		t.Fatal(err)
	}
	return write(t, dir, name, text)
}

// What is no longer as it was kept is made again, at another place: a build that finds it
// must not fail on it for ever.
func TestBrokenProgramIsMadeAgain(t *testing.T) {
	cxx, keep := compilers(t)[0], begun(t)
	o := simt.Options{Sources: []string{anotherSum(t)}, Dir: keep, CXX: cxx}
	all := 0
	for _, c := range []struct {
		spoiled  []string
		spoil    func(path string) error
		compiled int
	}{
		{nil, nil, 1},
		{[]string{"programs/*/kernels.so"}, func(path string) error { return os.Truncate(path, 4096) }, 0},
		{[]string{"programs/*/runner"}, os.Remove, 0},
		{[]string{"programs/*/runner", "objects/*/o"}, func(path string) error { return os.Truncate(path, 0) }, 3},
		{[]string{"programs/*/sums"}, os.Remove, 0},
		{[]string{"runtime/*/gpuci_simt.h"}, func(path string) error { return os.Truncate(path, 10) }, 0},
	} {
		for _, pattern := range c.spoiled {
			paths, err := filepath.Glob(filepath.Join(keep, pattern))
			if err != nil || len(paths) == 0 {
				t.Fatalf("nothing at %s: %v", pattern, err)
			}
			for _, path := range paths {
				if err := c.spoil(path); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
		}
		p, err := simt.Build(t.Context(), o)
		if err != nil {
			t.Fatalf("%v: %v", c.spoiled, err)
		}
		if p.Compiled != c.compiled {
			t.Errorf("%v: compiled %d, want %d", c.spoiled, p.Compiled, c.compiled)
		}
		testSum(t, p, "sum_shared", 0)
		all++
	}
	if all != 6 {
		t.Errorf("%d cases", all)
	}
}
