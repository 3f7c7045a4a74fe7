package shim

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The oracle: a driver asked (-###, --dryrun) what it would execute.

// grammar is what command lines of one driver are made of.
type grammar struct {
	modes, options, inputs []string // words of one element are separated by spaces
}

// ccModes are without --version and --help: with -### gcc goes on after them,
// and without it does not.
var ccModes = []string{"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-fsyntax-only -fno-syntax-only", "--compile", "--assemble", "--preprocess",
	"-print-prog-name=ld", "-print-search-dirs", "-dumpversion", "-dumpmachine"}

var ccOptions = []string{"-o x", "-ox", "-x c", "-xc++", "-x none", "-x assembler", "-x c-header", "-x c++-header", "-MD", "-MMD", "-MD -MF d", "-MD -MT -c", "-MD -MQ -E",
	"-I inc", "-I -c", "-Iinc", "-L -S", "-L.", "-DX", "-D -c", "-U -E", "-u -c", "-u main", "-T f.ld", "-Tf.ld", "-z now", "-z -c", "-l m", "-lm", "-l -c",
	"-Wl,-O1", "-Wl,-z,now", "-Wl,-c", "-Xlinker -c", "-Xlinker --gc-sections", "-Xassembler -c", "-Xpreprocessor -E", "-Wp,-DX", "-include -c", "-include d.h",
	"-isystem -c", "-iquote inc", "-idirafter -E", "-imacros d.h", "-isysroot -S", "-iprefix -c", "-iwithprefix -E", "--param -c", "--include d.h", "-dM", "-dD",
	"-g", "-O2", "-Os", "-shared", "-static", "-pie", "-no-pie", "-nostdlib", "-r", "-flto", "-pthread", "-v", "-pipe", "-save-temps", "-Wall", "-w", "-std=c99",
	"-march=native", "-fPIC", "-rdynamic", "-s", "-fuse-ld=gold", "-fuse-ld=bfd", "-Bsome", "-B some", "-A -c", "-F -c", "-Ttext 0x1000", "-Tdata -c", "-Tbss -E", "-nostartfiles", "-P", "-C", "-H",
	"--define-macro -c", "--for-linker -c", "--for-linker=-O1", "--force-link -c", "--include-directory -c", "--include-with-prefix -c", "--language c", "--language=c",
	"--library-directory -c", "--output -c", "--prefix -c", "--std -c", "--sysroot -c", "--undefine-macro -c"}

var ccInputs = []string{"a.c", "b.cpp", "s.s", "S.S", "h.i", "d.h", "d.hpp", "e.o", "f.a", "g.so", "odd", "odd.xyz", "m.ld", "@rsp.c", "@rsp.o", "@rsp.mode", "a.c e.o", "e.o e2.o", "d.h e.o",
	"-Wl,-Tf.ld", "-Wl,--script=f.ld", "-Xlinker -Tf.ld", "--for-linker=-Tf.ld"} // no input, and the linker is called all the same

// TestOracleGCC and its neighbours hold the classifier against the drivers.
func TestOracleGCC(t *testing.T) {
	g := grammar{ccModes, append([]string{"-e main", "-e -c", "-h -c", "-R -c", "-J -c", "-aux-info -c", "-dumpbase -c", "-dumpdir -c", "-dumpbase-ext -c", "-imultiarch -c",
		"-emit-ast", "--dump -c", "--entry -c", "--for-assembler -c", "--dumpbase -c",
		"-dumpspecs", "-dumpfullversion", "--dependencies", "--user-dependencies", "-specs -c", "-fdump-tree-all"}, ccOptions...), ccInputs}
	compare(t, "gcc", "-###", g, 400, 0.3)
}

func TestOracleClang(t *testing.T) {
	g := grammar{ccModes, append([]string{"-G -c", "-MJ -c", "-mllvm -c", "-Xclang -c", "-Xclang -emit-pch", "-Xanalyzer -c", "-Xarch_host -c", "-Xopenmp-target -c",
		"-include-pch -c", "-cxx-isystem -c", "-dependency-file -c", "-iframework -c", "-isystem-after -c", "-ivfsoverlay -c", "-resource-dir -c", "-rpath -c",
		"-serialize-diagnostics -c", "--serialize-diagnostics -c", "-stdlib++-isystem -c", "-undefined -c", "-working-directory .", "--analyzer-output -c",
		"-fdebug-compilation-dir -c", "-ftrapv-handler -c", "-emit-ast", "--analyze", "--precompile", "-emit-llvm -flto", "-e main", "-rewrite-objc", "-fcolor-diagnostics",
		"-ccc-print-phases", "-help", "--ld-path=some", "-fuse-ld=lld", "-no-integrated-as", "-verify-pch", "-module-file-info"}, ccOptions...), ccInputs}
	compare(t, "clang", "-###", g, 200, 0.3)
}

func TestOracleNVCC(t *testing.T) {
	g := grammar{
		[]string{"-c", "-dc", "-dw", "-cubin", "-ptx", "-fatbin", "-E", "-M", "-MM", "-lib", "-cuda", "--compile", "--device-c", "--cubin", "--ptx", "--preprocess", "--generate-dependencies", "-optix-ir", "--version"},
		[]string{"-o x", "--output-file x", "-dlink", "-rdc=true", "-rdc true", "-arch=sm_90", "-arch sm_90", "-gencode arch=compute_90,code=sm_90", "-Xcompiler -c", "-Xcompiler=-fPIC", "-Xlinker -c",
			"-Xptxas -c", "-Xnvlink -c", "-I inc", "-Iinc", "-DX", "-D X", "-O3", "-g", "-G", "-lineinfo", "-std=c++17", "-shared", "-lm", "-l m", "-L.", "-x cu", "-ccbin g++", "-t 2", "-MD", "-MMD", "-MD -MF d",
			"-cudart static", "--maxrregcount 32", "-use_fast_math", "-w", "-link", "--default-stream per-thread", "-dlto", "-nodlink", "--no-device-link"},
		[]string{"a.cu", "a.cu b2.cu", "b.cpp", "e.o", "e.o e2.o", "f.a e.o", "a.cu e.o"}}
	compare(t, "nvcc", "--dryrun", g, 80, 0.3)
}

// compare asks driver about n command lines. What the driver refuses is no
// link, and no error of ours when we take it for one; at most the share
// refused of all may be so, or nothing was compared.
func compare(t *testing.T, driver, ask string, g grammar, n int, refused float64) {
	need(t, driver)
	dir := t.TempDir()
	for _, name := range strings.Fields("a.c b.cpp b2.cu a.cu s.s S.S h.i d.h d.hpp e.o e2.o f.a g.so odd odd.xyz m.ld f.ld") {
		write(t, filepath.Join(dir, name), "")
	}
	write(t, dir+"/rsp.c", "a.c -o 'x y'")
	write(t, dir+"/rsp.o", "e.o @rsp.c")
	write(t, dir+"/rsp.mode", "-c \"a.c\"")
	t.Chdir(dir)
	random := rand.New(rand.NewPCG(4, uint64(n)))
	count := map[string]int{}
	for range n {
		args := g.line(random)
		links, ok := asked(driver, ask, args)
		ours := Read(RoleOf(driver), driver, args, readResponse)
		switch {
		case !ok:
			count["refused"]++
		case links != ours.Links:
			t.Errorf("%s %s: links %v, we say %v", driver, strings.Join(args, " "), links, ours.Links)
		case links:
			count["links"]++
		default:
			count["other"]++
		}
	}
	t.Logf("%s: %v", driver, count)
	if float64(count["refused"]) > refused*float64(n) || count["links"] < n/10 || count["other"] < n/10 {
		t.Errorf("%s: of %d command lines %v: this compared too little", driver, n, count)
	}
}

// line makes one command line with an input at least.
func (g grammar) line(r *rand.Rand) (args []string) {
	pick := func(from []string) []string { return strings.Fields(from[r.IntN(len(from))]) }
	elements := [][]string{pick(g.inputs)}
	if r.IntN(3) == 0 {
		elements = append(elements, pick(g.modes))
	}
	if r.IntN(4) == 0 {
		elements = append(elements, pick(g.inputs))
	}
	for range r.IntN(4) {
		elements = append(elements, pick(g.options))
	}
	r.Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
	for _, e := range elements {
		args = append(args, e...)
	}
	return args
}

// asked runs the driver without letting it do anything, and says whether it
// would have called a linker; not ok when it refused the command line.
func asked(driver, ask string, args []string) (links, ok bool) {
	var out strings.Builder
	cmd := exec.Command(driver, append([]string{ask}, args...)...)
	cmd.Stderr = &out // stdout is for the answers of -print-prog-name and its like
	err := cmd.Run()
	for line := range strings.Lines(out.String()) {
		line = strings.TrimPrefix(line, "#$ ")
		first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name := base(strings.Trim(first, `"`))
		links = links || name == "collect2" || RoleOf(name) == Linker
		links = links || driver == "nvcc" && RoleOf(name) == Compiler && strings.Contains(rest, "-Wl,--start-group")
	}
	return links, err == nil
}
