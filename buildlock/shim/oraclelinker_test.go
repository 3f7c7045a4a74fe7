package shim

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// linkerLines are what command lines of linkers are made of: inputs that are
// files, libraries, or in a script; what only asks or says; and what does neither.
var linkerLines = grammar{
	modes: []string{"--version", "-version", "--help", "-help", "-v", "-V", "--verbose", "--print-output-format", "-v -V", "--target-help"},
	options: []string{"-u --version", "-e --help", "-soname --version", "-h --help", "-rpath --version", "-Map map", "-y --help", "-init --version", "-z now", "-m elf_x86_64",
		"--wrap --version", "-O1", "-s", "-x", "--gc-sections", "-L.", "-L .", "--build-id", "--defsym x=1", "-r", "--exclude-libs --help", "-z --version", "-I --version"},
	inputs: []string{"a.o", "@a.rsp", "-T s.ld", "-Ts.ld", "--script=s.ld", "--script s.ld", "-script=s.ld", "--scr=s.ld", "--sc s.ld", "-dT s.ld", "-dT=s.ld", "--default-script=s.ld",
		"-c s.mri", "-cs.mri", "--mri-script=s.mri", "--mri=s.mri", "-R a.o", "-Ra.o", "--just-symbols=a.o", "--just=a.o", "-L. -l:a.o", "--library=:a.o -L.", "-v", "-V", "--help"},
}

// TestOracleLinkers holds the classifier against what linkers do: one that wrote
// something was linking. Where nothing was written and nothing was wrong, there
// was no link, but we may doubt it.
func TestOracleLinkers(t *testing.T) {
	gcc := need(t, "gcc")
	for _, linker := range []string{"ld.bfd", "ld.gold", "ld.lld", "mold"} {
		t.Run(linker, func(t *testing.T) {
			need(t, linker)
			dir := t.TempDir()
			for name, text := range map[string]string{"a.c": "int _start(void) { return 0; }\n", "s.ld": "INPUT(a.o)\n", "s.mri": "LOAD a.o\n", "a.rsp": "a.o\n"} {
				write(t, filepath.Join(dir, name), text)
			}
			if out, err := exec.CommandContext(t.Context(), gcc, "-c", dir+"/a.c", "-o", dir+"/a.o").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			t.Chdir(dir)
			random := rand.New(rand.NewPCG(5, 5))
			count := map[string]int{}
			for range 120 {
				args := append(linkerLines.line(random), "-o", "out")
				wrote, ok := linked(t, linker, args)
				ours := Read(Linker, linker, args, readResponse).Links
				switch {
				case wrote && !ours:
					t.Errorf("%s %s: it links, we say that it does not", linker, strings.Join(args, " "))
				case wrote:
					count["links"]++
				case !ok:
					count["refused"]++
				case ours:
					count["doubted"]++
				default:
					count["other"]++
				}
			}
			t.Logf("%v", count)
			if count["links"] < 15 || count["other"] < 15 || count["doubted"] > 10 {
				t.Errorf("%v: this compared too little", count)
			}
		})
	}
}

// linked runs a linker, and says whether it made its output. Not ok when it
// refused the command line.
func linked(t *testing.T, linker string, args []string) (wrote, ok bool) {
	t.Helper()
	_ = os.Remove("out")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := exec.CommandContext(ctx, linker, args...).Run()
	_, missing := os.Stat("out")
	return missing == nil, err == nil
}
