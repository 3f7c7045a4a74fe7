//go:build linux

package main_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/buildlock/shim"
)

// temporary are names of files that no two calls share.
var temporary = regexp.MustCompile(`[^ '"=]*/(cc[A-Za-z0-9]{6}|[a-z]-[0-9a-f]{6})\b`)

// TestShimShowsNothing: what a compiler prints of itself, and of where it looks
// for its tools, is what it prints without us, and no path of ours is in it.
func TestShimShowsNothing(t *testing.T) {
	r := shimRig(t, "gcc", "clang", "ld")
	shimFile(t, r.dir+"/a.c", shimMain)
	r.must(t, "gcc -c a.c")
	bare := shim.Bare(r.env)
	for _, tool := range []string{"gcc", "cc", "clang"} {
		for _, args := range []string{"-### a.c", "-### a.o", "-v", "-v -c a.c", "-v a.c -o x", "-v a.o -o x", "-Wl,-v a.c -o x", "-Xlinker -v a.o -o x", "-Wl,--version", "-Wl,--help",
			"-print-prog-name=ld", "-print-search-dirs", "--verbose -S a.c", "-v -flto a.c -o x"} {
			line := tool + " " + args
			cmd := exec.Command("/bin/sh", "-c", line)
			cmd.Dir, cmd.Env = r.dir, bare
			want, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			got := r.must(t, line)
			if strings.Contains(got, r.shims.Path) {
				t.Errorf("%s shows the shims:\n%s", line, got)
			}
			if diff := cmp.Diff(shown(string(want)), shown(got)); diff != "" {
				t.Errorf("%s (-bare +through):\n%s", line, diff)
			}
		}
	}
}

// shown is an output without the names of temporary files.
func shown(text string) []string {
	return strings.Split(temporary.ReplaceAllString(text, "TMP"), "\n")
}
