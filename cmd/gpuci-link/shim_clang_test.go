//go:build linux

package main_test

import (
	"os"
	"strings"
	"testing"
)

// TestShimOwnLinkerOfClang: clang finds the linker through the shims that it
// finds without them: one with its target in front, and one beside the path it
// was called by.
func TestShimOwnLinkerOfClang(t *testing.T) {
	clang, ld := shimNeeds(t, "clang"), shimNeeds(t, "ld")
	r := shimRig(t, "clang")
	shimFile(t, r.dir+"/a.c", "int main(void) { return 0; }\n")
	r.must(t, "clang -c a.c")
	script := "#!/bin/sh\necho own linker >&2\nexec " + ld + " \"$@\"\n"
	triple := strings.TrimSpace(r.must(t, "clang -print-target-triple"))
	shimFile(t, r.dir+"/native/"+triple+"-ld", script)
	shimFile(t, r.dir+"/tc/ld", script)
	if err := os.Symlink(clang, r.dir+"/tc/clang"); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"PATH=$PATH:$PWD/native clang a.c -o x", "PATH=$PATH:$PWD/native clang a.o -o x", "PATH=$PATH:$PWD/native " + clang + " a.o -o x",
		"tc/clang a.o -o x", "tc/clang a.c -o x",
	} {
		if out := r.must(t, line+" 2>&1"); !strings.Contains(out, "own linker") {
			t.Errorf("%s: another linker was called: %s", line, out)
		}
		if got := r.links(t); got != "clang ticket" && got != "ld ticket" {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// TestShimUnderMold: `mold -run` puts mold in the place of linkers that are
// called past the shims; its links are queued all the same.
func TestShimUnderMold(t *testing.T) {
	gcc, ld := shimNeeds(t, "gcc"), shimNeeds(t, "ld")
	r := shimRig(t, "mold", "gcc")
	shimFile(t, r.dir+"/a.c", "int main(void) { return 0; }\n")
	r.must(t, "gcc -c a.c")
	for _, line := range []string{gcc + " a.o -o x", gcc + " a.c -o x", ld + " -r a.o -o r.o", "gcc a.o -o x"} {
		r.must(t, "mold -run "+line)
		if got := r.tickets(t); !strings.HasSuffix(got, " ticket") || strings.Contains(got, ",") {
			t.Errorf("mold -run %s: %q, want one ticket", line, got)
		}
	}
	r.must(t, "mold -run "+gcc+" a.o -o x && readelf -p .comment x | grep mold")
	_ = r.links(t)
}

// TestShimWrapped: a script before the shims that calls the shim by its path,
// as REAL=$(command -v gcc) makes one, and a directory of links to the shims,
// work as they do with the real tools.
func TestShimWrapped(t *testing.T) {
	r := shimRig(t, "gcc", "ld", "cmake")
	shimFile(t, r.dir+"/a.c", "int main(void) { return 0; }\n")
	for _, tool := range []string{"gcc", "ld", "cmake"} {
		shimFile(t, r.dir+"/wrap/"+tool, "#!/bin/sh\nexec "+r.shims.Path+"/"+tool+" \"$@\"\n")
		shimFile(t, r.dir+"/forks/"+tool, "#!/bin/sh\n"+r.shims.Path+"/"+tool+" \"$@\"\n")
	}
	if err := os.Mkdir(r.dir+"/farm", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"gcc", "g++", "ld"} {
		_ = os.Symlink(r.shims.Path+"/"+tool, r.dir+"/farm/"+tool)
	}
	if err := os.Symlink(r.shims.Path+"/gcc", r.dir+"/mygcc"); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"PATH=$PWD/wrap:$PATH gcc -c a.c":                     "",
		"PATH=$PWD/wrap:$PATH gcc a.o -o x":                   "gcc ticket",
		"PATH=$PWD/forks:$PATH gcc a.o -o x":                  "gcc ticket",
		"PATH=$PATH:$PWD/forks gcc a.o -o x":                  "gcc ticket",
		"PATH=$PWD/wrap:/usr/bin:/bin gcc a.o -o x":           "gcc ticket",
		"PATH=$PWD/wrap:$PATH ld -r a.o -o r.o":               "ld ticket",
		"PATH=$PWD/wrap:$PATH cmake --version":                "",
		"PATH=$PWD/farm:/usr/bin:/bin gcc -c a.c":             "",
		"PATH=$PWD/farm:/usr/bin:/bin gcc a.o -o x":           "gcc ticket",
		"./mygcc a.o -o x":                                    "gcc ticket",
		"bash -c 'exec -a compiler gcc a.o -o x'":             "gcc ticket",
		"echo 'include(CheckCCompilerFlag)' >s && cmake -P s": "",
		"gcc -B/usr/bin/ -Wl,-v,a.o -o x 2>/dev/null":         "gcc ticket",
		"gcc -B/usr/bin/ -print-value a.o -o x 2>&1; true":    "gcc ticket",
	} {
		r.must(t, "timeout 20 sh -c '[ -e a.o ] || "+shimNeeds(t, "gcc")+" -c a.c'; timeout 20 "+wrapLine(line))
		if got := r.tickets(t); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// tickets is links without those that were part of one with a ticket.
func (r rig) tickets(t *testing.T) string {
	t.Helper()
	var own []string
	for _, e := range strings.Split(r.links(t), ", ") {
		if !strings.HasSuffix(e, " passed") {
			own = append(own, e)
		}
	}
	return strings.Join(own, ", ")
}

// wrapLine makes one command of a line, so that timeout(1) ends all of it.
func wrapLine(line string) string {
	return "sh -c '" + strings.ReplaceAll(line, "'", `'\''`) + "'"
}
