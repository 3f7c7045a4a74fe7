package shim

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoleOf(t *testing.T) {
	for role, names := range map[Role][]string{
		Compiler:   {"cc", "c++", "gcc", "g++", "clang", "clang++", "gcc-12", "clang-14.0", "clang++-14", "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-g++-12", "musl-gcc"},
		CUDA:       {"nvcc"},
		Linker:     {"ld", "ld.bfd", "ld.gold", "gold", "ld.lld", "ld.lld-14", "lld", "mold", "ld.mold", "wild", "ld.wild", "nvlink", "x86_64-linux-gnu-ld", "x86_64-linux-gnu-ld.gold", "rust-lld", "wasm-ld-14"},
		Launcher:   {"ccache", "sccache"},
		Configurer: {"cmake", "ccmake", "ctest", "cpack", "meson", "cmake3", "ctest3"},
		Runner:     {"make", "gmake", "ninja", "samu"},
		None:       {"", "-", "-12", "gcc-ar", "gcc-nm-12", "cpp", "clangd", "clang-format", "clang-tidy-14", "ldd", "ldconfig", "cargo", "rustc", "cmake-x", "makeinfo", "gpuci-link", "ccache-swig", "gcc-"},
	} {
		for _, name := range names {
			if got := RoleOf(name); got != role {
				t.Errorf("%q is a %s, want %s", name, got, role)
			}
		}
	}
}

// What a call is in the tables: no link, a link of what is already compiled, a
// link that compiles first, and the same two with a linker that our directory
// does not come before.
const (
	no       = "no"
	objects  = "objects"
	sources  = "sources"
	hidden   = "hidden"
	wrapping = "wraps"
)

func (c Call) word() string {
	switch {
	case c.Wraps:
		return wrapping
	case !c.Links:
		return no
	case c.Hidden:
		return hidden
	case c.Compiles:
		return sources
	}
	return objects
}

var callCases = []struct{ tool, want, args string }{
	{"cc", no, ""},
	{"cc", no, "-c a.c -o a.o"},
	{"cc", no, "a.c -o a.o -c"},
	{"cc", no, "-S a.c"}, {"cc", no, "-E a.c"}, {"cc", no, "-M a.c"}, {"cc", no, "-MM a.c"},
	{"cc", no, "-fsyntax-only a.c"}, {"cc", sources, "-fsyntax-only -fno-syntax-only a.c"},
	{"cc", no, "--version"}, {"cc", no, "-dumpversion"}, {"cc", no, "-dumpmachine"}, {"cc", no, "-print-prog-name=ld"},
	{"cc", no, "--help"}, {"gcc", no, "--help=common"}, {"cc", no, "-### a.o"}, {"cc", no, "-v"}, {"cc", no, "-V"},
	{"cc", no, "-Wl,--version"}, {"cc", no, "-Wl,--help -o x"}, {"cc", no, "-Xlinker --version"},
	{"cc", objects, "-Wl,--whole-archive,a.a"}, {"cc", objects, "-Wl,--version a.o"},
	{"cc", sources, "-MD a.c"}, {"cc", sources, "-MMD -MF d a.c"}, {"cc", sources, "-MF -c a.c"},
	{"cc", objects, "a.o -o x"}, {"cc", objects, "-o -c a.o"}, {"cc", objects, "-lm"}, {"cc", objects, "-l m"},
	{"cc", objects, "a.unknown"}, {"cc", objects, "libx.so.1"}, {"cc", objects, "-shared a.o -o x.so"}, {"cc", objects, "-r a.o"},
	{"cc", sources, "a.c b.c -o x"}, {"cc", sources, "a.c b.o"}, {"cc", sources, "a.s"}, {"cc", sources, "-x c -"}, {"cc", sources, "-xc a.o"},
	{"cc", objects, "-x c -x none a.o"}, {"cc", no, "a.h"}, {"cc", no, "-x c++-header a.c"}, {"cc", objects, "a.h b.o"},
	{"cc", objects, "-dumpdir x a.o"}, {"cc", objects, "-dM a.o"}, {"gcc", objects, "-dumpbase -c a.o"},
	{"cc", objects, "-I -c a.o"}, {"cc", objects, "-include -E a.o"}, {"cc", objects, "--param -c a.o"}, {"cc", objects, "-T -S a.o"},
	{"cc", hidden, "-B/opt/ld a.o"}, {"cc", hidden, "-B /opt a.c"}, {"cc", hidden, "-fuse-ld=/opt/ld a.c"}, {"clang", hidden, "--ld-path=/x a.c"},
	{"clang", hidden, "--config x.cfg a.c"}, {"gcc", hidden, "-specs=x a.c"}, {"gcc", hidden, "--prefix /x a.c"}, {"cc", no, "-B/x -c a.c"},
	{"cc", sources, "-fuse-ld=lld a.c"}, {"cc", objects, "-emit-ast a.o"}, {"clang", no, "-emit-ast a.c"}, {"gcc", objects, "-emit-ast a.o"},
	{"clang", no, "-cc1 -emit-obj a.c"}, {"clang", no, "-cc1as a.s"}, {"clang", no, "--analyze a.c"}, {"clang", no, "--precompile a.cppm"},
	{"clang", objects, "-Xclang -c a.o"}, {"clang", objects, "-mllvm -c a.o"}, {"clang", objects, "-target -c a.o"}, {"clang", objects, "-Xarch_x86_64 -c a.o"},
	{"cc", objects, "@missing"}, {"cc", no, "@missing -c"},
	{"clang", no, "-c -- -odd.c"}, {"clang", sources, "-- -odd.c"},
	{"nvcc", no, "-c a.cu"}, {"nvcc", no, "--compile a.cu"}, {"nvcc", no, "-dc a.cu"}, {"nvcc", no, "--device-c a.cu"}, {"nvcc", no, "-cubin a.cu"},
	{"nvcc", no, "-ptx a.cu"}, {"nvcc", no, "-fatbin a.cu"}, {"nvcc", no, "-lib a.o -o x.a"}, {"nvcc", no, "--dryrun a.cu"}, {"nvcc", no, "--version"}, {"nvcc", no, "-M a.cu"}, {"nvcc", no, "-E a.cu"}, {"nvcc", no, ""},
	{"nvcc", hidden, "a.cu -o x"}, {"nvcc", hidden, "a.o -o x"}, {"nvcc", hidden, "-dlink a.o -o d.o"}, {"nvcc", hidden, "--device-link a.o"}, {"nvcc", hidden, "-rdc=true a.cu"}, {"nvcc", hidden, "-rdc true a.cu"},
	{"nvcc", sources, "-nodlink a.cu"}, {"nvcc", objects, "-nodlink a.o"}, {"nvcc", hidden, "-Xcompiler -c a.o"}, {"nvcc", hidden, "-dlink --options-file o.rsp -o x"}, {"nvcc", wrapping, "-run a.cu"},
	{"ld", no, "--version"}, {"ld", no, "-v"}, {"ld", no, "-V"}, {"ld", no, "--help"}, {"ld", no, "--verbose"}, {"ld", no, ""}, {"ld", no, "-m elf_x86_64 -V"},
	{"ld", no, "-o x a.o --version"}, {"ld", no, "-lc --help"}, {"ld", objects, "-o --version a.o"}, {"ld", objects, "a.o"}, {"ld", objects, "-o x a.o"}, {"ld", objects, "-lc"}, {"ld", objects, "-v a.o"}, {"ld", objects, "@missing"}, {"ld", objects, "-T x.ld"}, {"ld.lld", objects, "-flavor gnu a.o"},
	// What brings an input in a script, by GNU ld's ways to spell it, and what says something and goes on to none.
	{"ld", objects, "-Tx.ld"}, {"ld", objects, "--script=x.ld"}, {"ld", objects, "-script x.ld"}, {"ld", objects, "--scr=x.ld"}, {"ld", objects, "-dT x.ld"}, {"ld", objects, "-dT=x.ld"},
	{"ld", objects, "--default-script=x.ld"}, {"ld", objects, "-c x.mri"}, {"ld", objects, "--mri-script=x.mri"}, {"ld", objects, "--mri=x.mri"}, {"ld", objects, "-Ra.o"}, {"ld", objects, "--just=a.o"},
	{"ld", objects, "-v -Tx.ld"}, {"ld", objects, "--verbose --script=x.ld"}, {"mold", objects, "-Tx.ld"}, {"ld.lld", objects, "-Tx.ld"}, {"ld", objects, "--some-day=x.ld"},
	{"ld", no, "-Tx.ld --version"}, {"ld", no, "-version"}, {"ld", no, "-m elf_x86_64 -z now --orphan-handling=warn -v"}, {"ld", no, "--print-output-format"},
	{"ld", objects, "-u --version a.o"}, {"ld", objects, "-soname --help a.o"}, {"ld", objects, "-T --version"},
	{"gcc", objects, "-Wl,-Tx.ld"}, {"gcc", objects, "--for-linker=-Tx.ld"}, {"clang", objects, "--for-linker -c a.o"}, {"gcc", objects, "-Xlinker --script=x.ld"}, {"clang", objects, "-Wl,-T,x.ld"},
	{"mold", wrapping, "-run make -j8"}, {"mold", wrapping, "--run make"}, {"ld.mold", wrapping, "-run make"}, {"mold", objects, "a.o -run"}, {"ld", objects, "-run a.o"},
}

func TestRead(t *testing.T) {
	for _, c := range callCases {
		args := strings.Fields(c.args)
		if got := Read(RoleOf(c.tool), c.tool, args, readResponse); got.word() != c.want {
			t.Errorf("%s %s: %s (%+v), want %s", c.tool, c.args, got.word(), got, c.want)
		}
	}
}

// TestReadPrints: which calls show the paths of the tools.
func TestReadPrints(t *testing.T) {
	for line, want := range map[string]bool{
		"gcc -### a.c": true, "clang -### a.c": true, "gcc -v a.c": true, "gcc --verbose -c a.c": true, "cc -v": true, "gcc -Wl,-v a.o": true, "gcc -Xlinker -v a.o": true,
		"gcc -Wl,--version": true, "gcc -Wl,-O1,--help": true, "gcc -print-prog-name=ld": true, "cc --print-search-dirs": true,
		"gcc a.c": false, "gcc -c a.c": false, "gcc -o -v a.c": false, "gcc -Wl,--verbose a.o": false, "gcc --version": false,
	} {
		argv := strings.Fields(line)
		if got := Read(Compiler, argv[0], argv[1:], readResponse).Prints; got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestReadLinkerName(t *testing.T) {
	for args, want := range map[string]string{"a.o": "ld", "-fuse-ld=lld a.o": "ld.lld", "-fuse-ld=bfd -fuse-ld=mold a.o": "ld.mold", "-fuse-ld= a.o": "ld"} {
		if got := Read(Compiler, "clang", strings.Fields(args), readResponse).Linker; got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

func TestConfigures(t *testing.T) {
	for args, want := range map[string]bool{
		"": true, "..": true, "-S . -B build": true, "-DCMAKE_C_COMPILER=gcc ..": true, "--preset x": true, "--build-x": true,
		"--build .": true, "--workflow --preset x": true, "--install .": false, "-E copy a b": false, "-DX=1 -P a.cmake": false, "--version": false, "--help-command x": false, "--open .": false,
	} {
		if got := configures(strings.Fields(args)); got != want {
			t.Errorf("cmake %s: configures %v, want %v", args, got, want)
		}
	}
}

// FuzzRead: whatever the arguments, -c first means no link; a response file
// with them means the same; and a reading does not change the arguments.
func FuzzRead(f *testing.F) {
	for _, c := range callCases {
		f.Add(c.tool, strings.ReplaceAll(c.args, " ", "\x00"))
	}
	f.Fuzz(func(t *testing.T, tool, joined string) {
		role := RoleOf(tool)
		args := strings.Split(joined, "\x00")
		if role == None || strings.Contains("\x00"+joined, "\x00@") {
			return
		}
		nothing := func(string) (string, bool) { return "", false }
		before := slices.Clone(args)
		got := Read(role, tool, args, nothing)
		if !slices.Equal(before, args) {
			t.Errorf("reading changed %q to %q", before, args)
		}
		file := func(string) (string, bool) { return escape(args), true }
		if diff := cmp.Diff(got, Read(role, tool, []string{"@f"}, file)); diff != "" {
			t.Errorf("%s %q from a file (-direct +file):\n%s", tool, args, diff)
		}
		if (role == Compiler || role == CUDA) && Read(role, tool, append([]string{"-c"}, args...), nothing).Links {
			t.Errorf("%s -c %q links", tool, args)
		}
	})
}
