package build

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// Content decides, whatever the times say.
func TestTimesLie(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "#include \"h.h\"\nint k = K;\n", "h.h", "#define K 1\n").preprocessor()
	s.want(s.build(), 1)
	was := modified(s, s.path("h.h"))
	s.file("h.h", "#define K 2\n") // of the same size
	if err := os.Chtimes(s.path("h.h"), was, was); err != nil {
		t.Fatal(err)
	}
	s.want(s.build(), 1, "h.h changed")
	for _, at := range []time.Time{time.Now().Add(1000 * time.Hour), time.Unix(1, 0)} {
		for _, name := range []string{"a.cu", "h.h", "out/a.sm_90.cubin"} {
			if err := os.Chtimes(s.path(name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		s.want(s.build(), 0)
	}
	s.file("out/a.sm_90.cubin", "not what it was")
	if r := s.build(); r.Count(Cached) != 1 {
		t.Fatal(told(r))
	}
}

// What the compiler is told, and what its environment tells it, count; so does
// what a file of options says.
func TestOptions(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "int k = K + L;\n#if __has_include(<late.h>)\n#include <late.h>\n#endif\n", "opt", "").preprocessor()
	s.set.Flags = []string{"-DK=1", "-DL=2"}
	s.want(s.build(), 1)
	s.set.Flags = []string{"-DK=1", "-DL=3"}
	s.want(s.build(), 1, `the option changed: "-DL=3", was "-DL=2"`)
	s.set.Flags = []string{"-DK=1", "-DL=2"}
	if r := s.build(); r.Count(Cached) != 1 {
		t.Fatal(told(r))
	}
	late := s.path("late")
	s.o.Env = append(slices.Clone(s.o.Env), "CPATH="+late)
	s.want(s.build(), 1, "the environment is new: CPATH=")
	s.file("late/late.h", "int late;\n") // its directory was not there
	s.want(s.build(), 1, "the include path is new: late")
	s.set.Flags = append(s.set.Flags, "-includelate.h")
	s.want(s.build(), 1)
	s.file("late.h", "int earlier;\n") // beside the compiler: before the path
	s.want(s.build(), 1, "late.h is now late.h, and was late/late.h")
}

// A name that the preprocessor makes is known by what was included; one that
// __has_include was asked for cannot be, so its unit is never taken for current.
func TestMadeNames(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "#define H <h.h>\n#include H\nint k = K;\n", "one/x", "", "two/h.h", "#define K 1\n",
		"b.cu", "#define HAS(x) __has_include(x)\n#if HAS(<late.h>)\nint late;\n#endif\n").preprocessor()
	s.set.Include = []string{"one", "two"}
	s.want(s.build(), 2)
	s.want(s.build(), 0)
	s.file("one/h.h", "#define K 2\n")
	s.want(s.build(), 1, "is now one/h.h, and was two/h.h")
	s.file("two/late.h", "")
	s.want(s.build(), 1, "late.h, asked for in b.cu, is now two/late.h, and was nowhere")
	s.file("b.cu", "#define H <later.h>\n#if __has_include(H)\nint late;\n#endif\n")
	s.want(s.build(), 1)
	if r := s.build(); r.Count(Compiled) != 1 || !strings.Contains(told(r), "compiled every time: b.cu, line 2") {
		t.Fatal(told(r))
	}
}

// What is edited while it is compiled is compiled again; what does not hold still
// is built and not kept.
func TestEditedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "#include \"h.h\"\nint k = K;\n", "h.h", "#define K 0\n").preprocessor()
	edits, run := 1, s.o.Exec
	s.o.Exec = func(ctx context.Context, c Command) error {
		err := run(ctx, c)
		if edits > 0 && slices.Contains(c.Argv, "-MD") {
			s.file("h.h", fmt.Sprintf("#define K %d\n", 100*s.compiles.Load()))
			edits--
		}
		return err
	}
	r := s.build()
	if s.want(r, 1); s.compiles.Load() != 2 || len(r.Notes) != 0 {
		t.Fatalf("%d compiles: %s", s.compiles.Load(), told(r))
	}
	s.want(s.build(), 0)
	edits = 2
	s.file("h.h", "#define K 9\n")
	if r := s.only(); !strings.Contains(told(r), "not kept: h.h changed while it was compiled") {
		t.Fatal(told(r))
	}
	s.want(s.build(), 1)
	s.want(s.build(), 0)
}

// Any edits of files, directories and links, in any order: what is built is what
// the compiler makes of them, and a build after a build does nothing.
func TestAnyEdits(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	s := newStage(t, "a.cu", "#include \"x.h\"\n", "k/b.cu", "#include <sub/y.h>\n#include \"x.h\"\n").preprocessor()
	s.set.Include = []string{"i", "j", "m"}
	s.set.Flags = []string{"-isystem", "sys"}
	names := []string{"x.h", "y.h", "sub/x.h", "sub/y.h"}
	dirs := []string{"", "i/", "j/", "m/", "sys/", "k/"}
	steps := 40
	if os.Getenv("GPUCI_SOAK") == "1" {
		steps = 2000
	}
	for _, dir := range dirs {
		for _, name := range names {
			s.file(dir+name, "#pragma once\n")
		}
	}
	for step := range steps {
		for range 1 + r.IntN(3) {
			edit(s, r, dirs[r.IntN(len(dirs))]+names[r.IntN(len(names))], names, step)
		}
		if !whole(s) {
			continue
		}
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d, step %d", seed, step)
					listing, _ := exec.Command("grep", "-r", "", s.root, "--exclude-dir=out").Output()
					t.Log(string(listing))
				}
			}()
			s.build()
			if again := s.only(); again.Count(Current) != len(again.Units) {
				t.Fatalf("a second build did something: %s", told(again))
			}
		}()
	}
}

// edit changes one file.
func edit(s *stage, r *rand.Rand, file string, names []string, step int) {
	other := names[r.IntN(len(names))]
	form := []string{"#include \"%s\"\n", "#include <%s>\n", "#if __has_include(<%s>)\nint has_%d;\n#endif\n",
		"#if __has_include(\"%s\")\nint has_%d;\n#endif\n", "#ifdef DEEP\n#include <%s>\n#endif\n",
		"#define H <%s>\n#include H\n#undef H\n", "/* */ #include /* */ <%s>\n", "#inc\\\nlude <%s>\n"}[r.IntN(8)]
	if strings.Contains(form, "%d") {
		form = fmt.Sprintf(form, other, step)
	} else {
		form = fmt.Sprintf(form, other)
	}
	switch r.IntN(6) {
	case 0, 1:
		s.remove(file)
	case 2:
		s.remove(file)
		s.file(file, fmt.Sprintf("#pragma once\nint step_%d;\n", step))
	case 3:
		s.remove(file)
		os.Symlink(s.path("k/y.h"), s.path(file)) // its directory may be gone
	default:
		s.remove(file)
		s.file(file, "#pragma once\n"+form+fmt.Sprintf("int step_%d;\n", step))
	}
}

// whole is whether the compiler takes the sources as they are.
func whole(s *stage) bool {
	units, err := s.set.units()
	if err != nil {
		s.Fatal(err)
	}
	for _, u := range units {
		args := append(append([]string{s.o.Compiler.Path}, s.set.argv(u)...), "-o", "/dev/null")
		if preprocess(s.Context(), Command{Argv: args, Dir: s.root, Env: s.o.Env}) != nil {
			return false
		}
	}
	return true
}
