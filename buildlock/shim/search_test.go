package shim

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shelf is a directory with real files in the places that tools are looked for.
type shelf struct {
	root string
	home Home
}

// newShelf makes shims of the names first on PATH, an older directory of
// shims, two directories of tools, and a masquerade of ccache.
func newShelf(t *testing.T) shelf {
	t.Helper()
	root := t.TempDir()
	s := shelf{root, Home(root + "/shims")}
	for _, file := range []string{"shims/gcc", "shims/ld", "shims/ld.lld", "shims/cmake", "shims/ccache", "shims/mold", "old/gcc", "old/ld",
		"bin/gcc", "bin/ld", "bin/ld.lld", "bin/cmake", "bin/ccache", "bin/mold", "bin/make", "bin/nvcc", "llvm/ld.lld", "llvm/gcc"} {
		write(t, root+"/"+file, "#!/bin/sh\n")
	}
	for _, dir := range []string{"shims", "old"} {
		write(t, root+"/"+dir+"/"+markerName, Settings{Tools: root + "/llvm"}.String())
	}
	if err := os.MkdirAll(root+"/masquerade", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../bin/ccache", root+"/masquerade/gcc"); err != nil {
		t.Fatal(err)
	}
	return s
}

// list is a list like PATH of directories of the shelf; "." stays.
func (s shelf) list(dirs string) string {
	var out []string
	for _, d := range strings.Split(dirs, ":") {
		if d != "" && d != "." {
			d = s.root + "/" + d
		}
		out = append(out, d)
	}
	return strings.Join(out, ":")
}

// env is an environment with PATH and, unless it is "-", COMPILER_PATH.
func (s shelf) env(path, compilerPath string) []string {
	env := []string{"A=1", "PATH=" + s.list(path)}
	if compilerPath != "-" {
		env = append(env, "COMPILER_PATH="+s.list(compilerPath))
	}
	return env
}

// short makes a path or a list of the shelf readable.
func (s shelf) short(text string) string { return strings.ReplaceAll(text, s.root+"/", "") }

func TestLook(t *testing.T) {
	s := newShelf(t)
	for _, c := range []struct {
		name, path, compilerPath, args string
		want                           string // "+" for a ticket, the program, argv[0]
		wantPath, wantCompilerPath     string
	}{
		{"compile", "shims:old:bin", "shims:x", "gcc -c a.c", "bin/gcc gcc", "bin", "shims:x"},
		{"link", "shims:old:bin", "shims:x", "gcc a.o", "+bin/gcc gcc", "bin", "x"},
		{"link, COMPILER_PATH ours alone", "shims:bin", "shims", "gcc a.o", "+bin/gcc gcc", "bin", "-"},
		{"link, empty element stays", "shims::bin", "shims:", "gcc a.o", "+bin/gcc gcc", ":bin", ""},
		{"link, COMPILER_PATH unset", "shims:bin", "-", "gcc a.o", "+bin/gcc gcc", "bin", "-"},
		{"sources", "shims:bin", "shims", "gcc a.c", "bin/gcc gcc", "bin", "shims"},
		{"sources, put into COMPILER_PATH", "shims:bin", "-", "gcc a.c", "bin/gcc gcc", "bin", "shims"},
		{"sources, put before others", "shims:bin", "x", "gcc a.c", "bin/gcc gcc", "bin", "shims:x"},
		{"sources, hidden", "shims:bin", "shims", "gcc -B/x a.c", "+bin/gcc gcc", "bin", "-"},
		{"sources, no shim for that linker", "shims:bin", "shims", "gcc -fuse-ld=gold a.c", "+bin/gcc gcc", "bin", "-"},
		{"print", "shims:bin", "shims:x", "gcc -print-prog-name=ld", "bin/gcc gcc", "bin", "x"},
		{"-###", "shims:bin", "shims:x", "gcc -### a.c", "bin/gcc gcc", "bin", "x"},
		{"-v -c", "shims:bin", "shims", "gcc -v -c a.c", "bin/gcc gcc", "bin", "-"},
		{"sources with -v", "shims:bin", "shims:x", "gcc -v a.c", "+bin/gcc gcc", "bin", "x"},
		{"a linker's version", "shims:bin", "shims", "gcc -Wl,--version", "bin/gcc gcc", "bin", "-"},
		{"by path", "bin", "-", "/elsewhere/gcc -c a.c", "bin/gcc bin/gcc", "bin", "-"},
		{"compile through a masquerade", "shims:masquerade:bin", "-", "gcc -c a.c", "masquerade/gcc gcc", "masquerade:bin", "-"},
		{"link past a masquerade", "shims:masquerade:bin", "-", "gcc a.o", "+bin/gcc bin/gcc", "masquerade:bin", "-"},
		{"where it was when the shims were made", "shims:nowhere", "-", "gcc -c a.c", "llvm/gcc llvm/gcc", "nowhere", "-"},
		{"nvcc with its device link", "shims:bin", "shims", "nvcc a.cu", "+bin/nvcc nvcc", "bin", "-"},
		{"nvcc -run", "shims:bin", "shims", "nvcc -run a.cu", "bin/nvcc nvcc", "shims:bin", "shims"},
		{"ld by name looks on PATH", "shims:bin", "shims:llvm", "ld.lld a.o", "+bin/ld.lld ld.lld", "bin", "llvm"},
		{"ld by path looks in COMPILER_PATH", "shims:bin", "shims:llvm", "/s/ld.lld a.o", "+llvm/ld.lld llvm/ld.lld", "bin", "llvm"},
		{"ld that only answers", "shims:bin", "shims", "ld --version", "bin/ld ld", "bin", "shims"},
		{"mold -run keeps the shims", "shims:bin", "shims", "mold -run make", "bin/mold bin/mold", "shims:bin", "shims"},
		{"launcher", "shims:bin", "shims", "ccache gcc -c a.c", "bin/ccache ccache", "bin", "-"},
		{"launcher with settings", "shims:bin", "shims", "ccache max_size=/x gcc a.o", "+bin/gcc bin/gcc", "bin", "-"},
		{"launcher, link", "shims:masquerade:bin", "shims", "ccache gcc a.o", "+bin/gcc bin/gcc", "masquerade:bin", "-"},
		{"launcher, sources", "shims:bin", "shims", "ccache gcc a.c", "bin/gcc bin/gcc", "bin", "shims"},
		{"launcher, missing compiler", "shims:bin", "shims", "ccache /missing/gcc a.o", "+/missing/gcc /missing/gcc", "bin", "-"},
		{"launcher of rustc", "shims:bin", "shims", "ccache /x/rustc --crate-name a", "bin/ccache bin/ccache", "shims:bin", "shims"},
		{"launcher alone", "shims:bin", "shims", "ccache -s", "bin/ccache ccache", "bin", "shims"},
		{"configure", "shims:bin", "shims", "cmake ..", "bin/cmake bin/cmake", "bin", "shims"},
		{"configure, COMPILER_PATH unset", "shims:bin", "-", "cmake ..", "bin/cmake bin/cmake", "bin", "shims"},
		{"cmake --build configures again", "shims:bin", "shims", "cmake --build .", "bin/cmake bin/cmake", "bin", "shims"},
		{"cmake -E runs what it is given", "shims:bin", "shims", "cmake -E env make", "bin/cmake bin/cmake", "shims:bin", "shims"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := s.env(c.path, c.compilerPath)
			before := strings.Join(env, "\n")
			p, err := Look(strings.Fields(c.args), env, s.home)
			if err != nil {
				t.Fatal(err)
			}
			got := p.Path + " " + p.Args[0]
			if p.Ticket {
				got = "+" + got
			}
			path, _ := Lookup(p.Env, "PATH")
			compilerPath, ok := Lookup(p.Env, "COMPILER_PATH")
			if !ok {
				compilerPath = "-"
			}
			want := []string{c.want, c.wantPath, c.wantCompilerPath}
			if diff := cmp.Diff(want, []string{s.short(got), s.short(path), s.short(compilerPath)}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Join(env, "\n") != before {
				t.Errorf("the caller's environment was changed")
			}
		})
	}
}

// TestLookUnderMold: mold -run puts mold in the place of every linker that is
// executed, also of our shim; so cc has to take the ticket.
func TestLookUnderMold(t *testing.T) {
	s := newShelf(t)
	p, err := Look([]string{"gcc", "a.c"}, append(s.env("shims:bin", "shims"), "MOLD_PATH=/usr/bin/mold"), s.home)
	if err != nil || !p.Ticket {
		t.Errorf("ticket %v, %v; want one", p.Ticket, err)
	}
}

func TestLookFindsNothing(t *testing.T) {
	s := newShelf(t)
	write(t, s.root+"/locked/clang", "")
	if err := os.Chmod(s.root+"/locked/clang", 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{"shims:bin": syscall.ENOENT, "shims:locked": syscall.EACCES} {
		_, err := Look([]string{"clang", "-c", "a.c"}, s.env(path, "-"), s.home)
		var missing *NotFoundError
		if !errors.As(err, &missing) || !errors.Is(err, want) || missing.Name != "clang" {
			t.Errorf("PATH %s: %v, want %v", path, err, want)
		}
	}
}

// TestSearchPassesOurselves: a link to the shim's program is a shim wherever
// it stands, or a call would come back to us for ever.
func TestSearchPassesOurselves(t *testing.T) {
	s := newShelf(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.root+"/stray", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, s.root+"/stray/gcc"); err != nil {
		t.Fatal(err)
	}
	got, err := newSearch(nil, "").in(s.list("stray:bin"), "gcc")
	if err != nil || s.short(got) != "bin/gcc" {
		t.Errorf("found %s, %v", got, err)
	}
}

func TestSearchRelative(t *testing.T) {
	s := newShelf(t)
	t.Chdir(s.root + "/bin")
	for _, list := range []string{"", ":/nowhere", "."} {
		if got, err := newSearch(nil, "").in(list, "gcc"); err != nil || got != "./gcc" {
			t.Errorf("PATH %q: %s, %v; want ./gcc", list, got, err)
		}
	}
}
