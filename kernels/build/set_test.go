package build

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a set makes, and what it refuses.
func TestUnits(t *testing.T) {
	t.Parallel()
	files := []string{"a.cu", "", "k/b.cu", "", "k/deep/c.cu", "", "k/.hidden/d.cu", "", "k/e.txt", "", ".f.cu", ""}
	set := func(change func(*Set)) Set {
		s := Set{Name: "s", Sources: []string{"a.cu"}, Architectures: []string{"sm_90"}, Output: "out"}
		change(&s)
		return s
	}
	cases := []struct {
		name string
		set  Set
		want []string
		err  string
	}{
		{"one", set(func(*Set) {}), []string{"a.cu (cubin sm_90) out/a.sm_90.cubin"}, ""},
		{"globs", set(func(s *Set) { s.Sources = []string{"k/**/*.cu", "*.cu", "**/b.cu"} }), []string{
			"k/b.cu (cubin sm_90) out/k/b.sm_90.cubin", "k/deep/c.cu (cubin sm_90) out/k/deep/c.sm_90.cubin", "a.cu (cubin sm_90) out/a.sm_90.cubin"}, ""},
		{"a last **", set(func(s *Set) { s.Sources = []string{"k/**"}; s.Pattern = "{stem}" }), []string{
			"k/b.cu (cubin sm_90) out/b", "k/deep/c.cu (cubin sm_90) out/c", "k/e.txt (cubin sm_90) out/e"}, ""},
		{"each architecture has its kind", set(func(s *Set) { s.Architectures = []string{"sm_80", "compute_90", "sm_90a", "sm_80"} }), []string{
			"a.cu (cubin sm_80) out/a.sm_80.cubin", "a.cu (cubin sm_90a) out/a.sm_90a.cubin", "a.cu (ptx compute_90) out/a.compute_90.ptx"}, ""},
		{"PTX of a real one", set(func(s *Set) { s.Kinds = []Kind{PTX} }), []string{"a.cu (ptx sm_90) out/a.sm_90.ptx"}, ""},
		{"all in one", set(func(s *Set) {
			s.Kinds, s.Architectures, s.Pattern = []Kind{Fatbin, Object}, []string{"sm_80", "compute_90"}, "{stem}.{ext}"
		}), []string{"a.cu (fatbin sm_80+compute_90) out/a.fatbin", "a.cu (object sm_80+compute_90) out/a.o"}, ""},
		{"two of one name", set(func(s *Set) { s.Kinds, s.Pattern = []Kind{Cubin, PTX}, "{stem}" }), nil,
			`a.cu (cubin sm_90) and a.cu (ptx sm_90) would both be `},
		{"over a source", set(func(s *Set) { s.Output, s.Pattern = ".", "{stem}.cu" }), nil, "would both be"},
		{"an architecture for nothing", set(func(s *Set) { s.Kinds, s.Architectures = []Kind{Cubin}, []string{"sm_90", "compute_90"} }), nil,
			"architecture compute_90: none of the kinds [cubin] is made for it"},
		{"nothing found", set(func(s *Set) { s.Sources = []string{"*.none", "b.cu", "[", "k"} }), nil, `source "*.none": finds no file in`},
		{"everything wrong", Set{Kinds: []Kind{"elf"}, Architectures: []string{"90"}, Flags: []string{"-O3", "-arch=sm_80", "-o"}}, nil,
			`root "": must be absolute` + "\nno sources: name a file or a glob\nno output directory\n" + `architecture "90": not of the form "sm_90", "sm_90a" or "compute_90"` +
				"\n" + `kind "elf": not one of cubin, ptx, fatbin, object` + "\nflag -arch=sm_80: is decided by the set's kinds, architectures and output\nflag -o: "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, files...)
			if c.set.Sources != nil {
				c.set.Root = s.root
			}
			units, err := c.set.units()
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			var got []string
			for _, u := range units {
				got = append(got, fmt.Sprintf("%s %s", u, within(s.root, u.output)))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A glob does not follow a link round in a circle.
func TestGlobLinks(t *testing.T) {
	t.Parallel()
	s := newStage(t, "k/a.cu", "")
	if err := os.Symlink("..", s.path("k/up")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.set.expand(); err != nil || cmp.Diff([]string{"k/a.cu"}, got) != "" {
		t.Fatal(got, err)
	}
}

// A list of the search is read, and survives the cache; a text without one is not.
func TestChain(t *testing.T) {
	t.Parallel()
	c, ok := parseChain("gcc version 12.2.0 (x)\nignoring nonexistent directory \"/r/none\"\n#include \"...\" search starts here:\n /r/q\n" +
		"#include <...> search starts here:\n inc\n /usr/a b\n /F (framework directory)\nEnd of search list.\n after\n")
	c = c.within("/r")
	want := chain{quote: []string{"q"}, angle: []string{"inc", "/usr/a b", "/F"}, ignored: []string{"none"}, host: "gcc version 12.2.0 (x)"}
	if d := cmp.Diff(want, c, cmp.AllowUnexported(chain{})); d != "" || !ok {
		t.Error(ok, d)
	}
	if d := cmp.Diff(c, decodeChain(c.encode()), cmp.AllowUnexported(chain{})); d != "" {
		t.Error(d)
	}
	if _, ok := parseChain("gcc: error\n"); ok {
		t.Error("a list was found")
	}
}
