//go:build linux

package main_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

const shimMain = "int main(void) { return 0; }\n"

// TestShimWhoTakesTicket runs real compilers and linkers through the shims:
// which of them took a ticket, and that each link took one and no more.
func TestShimWhoTakesTicket(t *testing.T) {
	r := shimRig(t, "gcc", "clang", "ld", "ld.lld", "ld.mold")
	shimFile(t, r.dir+"/a.c", shimMain)
	shimFile(t, r.dir+"/rsp", "a.o -o 'x y'")
	shimFile(t, r.dir+"/script", "INPUT(a.o)\n")
	shimFile(t, r.dir+"/mri", "LOAD a.o\n")
	gcc, clang := shimNeeds(t, "gcc"), shimNeeds(t, "clang")
	for _, c := range []struct{ line, want string }{
		{"gcc -c a.c -o a.o", ""},
		{"gcc a.o -o x", "gcc ticket"},
		{"cc @rsp", "cc ticket"},
		{"gcc a.c -o x", "ld ticket"},
		{gcc + " a.o -o x", "ld ticket"},
		{gcc + " a.c -flto -o x", "ld ticket"},
		{"gcc a.c -flto -c -o l.o && gcc -flto=2 l.o -o x", "gcc ticket"},
		{"clang a.c -o x", "clang ticket"},
		{clang + " -fuse-ld=lld a.o -o x", "ld.lld ticket"},
		{"clang -fuse-ld=lld a.o -o x", "clang ticket"},
		{"gcc -fuse-ld=mold a.c -o x", "ld.mold ticket"},
		{"gcc -B/nowhere a.c -o x", "gcc ticket"},
		{"ld -r a.o -o r.o", "ld ticket"},
		{"ld -r -Tscript -o r.o", "ld ticket"},
		{"ld -r --script=script -o r.o && ld -r -script script -o r.o", "ld ticket, ld ticket"},
		{"ld -r -dT script -o r.o && ld -r -c mri -o r.o && ld -r --mri-script=mri -o r.o", "ld ticket, ld ticket, ld ticket"},
		{"ld.lld -r -Tscript -o r.o && ld.mold -r -v --script=script -o r.o", "ld.lld ticket, ld.mold ticket"},
		{"gcc -nostdlib -r -Wl,-Tscript -o r.o", "gcc ticket"},
		{gcc + " -nostdlib -r --for-linker=-Tscript -o r.o", "ld ticket"},
		{"gcc -v a.c -o x", "gcc ticket"}, // it prints COMPILER_PATH
		{"ld --version && gcc -v && gcc -Wl,--version && ld -z now -v", ""},
		{"mold -run gcc a.o -o x", "gcc ticket, mold passed"},
		{"mold -run gcc a.c -o x", "mold ticket"},
		{"gcc a.o -o x & gcc a.o -o y & wait", "gcc ticket, gcc ticket"},
		{"env -u PATH -u COMPILER_PATH " + r.shims.Path + "/clang a.o -o x", "clang ticket"},
		{"env -u PATH -u COMPILER_PATH " + r.shims.Path + "/ld -r a.o -o x", "ld ticket"},
	} {
		r.must(t, c.line)
		if got := r.links(t); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

// TestShimNVCC: nvcc's device link and its host link are one link. A shared
// library without a runtime does with the compiler alone.
func TestShimNVCC(t *testing.T) {
	r := shimRig(t, "nvcc", "g++")
	shimFile(t, r.dir+"/a.cu", "__global__ void k(void) {}\n")
	const nvcc = "nvcc -Xcompiler -fPIC -cudart none -cudadevrt none "
	for _, c := range []struct{ line, want string }{
		{nvcc + "-c a.cu -o a.o", ""},
		{nvcc + "-shared a.o -o x", "nvcc ticket"},
		{nvcc + "-shared a.cu -o x", "nvcc ticket"},
		{"nvcc -rdc=true -c a.cu -o d.o && nvcc -dlink d.o -o dl.o", "nvcc ticket"},
		{nvcc + "-ptx a.cu", ""},
	} {
		r.must(t, c.line)
		if got := r.links(t); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

// TestShimEmptyEnvironment: what an empty environment does not say, the
// directory of the shims does; and the lock directory is the one of its maker.
func TestShimEmptyEnvironment(t *testing.T) {
	r := shimRig(t, "clang")
	shimFile(t, r.dir+"/a.c", shimMain)
	r.must(t, "clang -c a.c -o a.o")
	before := nextTicket(t, r)
	r.must(t, "env -i "+r.shims.Path+"/clang a.o -o x")
	if after := nextTicket(t, r); after != before+2 {
		t.Errorf("the next ticket was %d and is %d: the link had none of this queue", before, after)
	}
}

// nextTicket takes a ticket and gives its number.
func nextTicket(t *testing.T, r rig) uint64 {
	t.Helper()
	ticket, err := buildlock.Acquire(context.Background(), buildlock.Options{Dir: r.locks, Lock: buildlock.Link})
	if err != nil {
		t.Fatal(err)
	}
	if err := ticket.Release(); err != nil {
		t.Fatal(err)
	}
	return ticket.Number
}

// TestShimLeaves says what the real tool of a link gets: the ticket's file and
// no other, its mark, and paths without shims.
func TestShimLeaves(t *testing.T) {
	dir := t.TempDir()
	shimFile(t, dir+"/gcc", "#!/bin/sh\nls -l /proc/self/fd\nenv\necho \"args $*\"\n")
	r := rigOver(t, dir+":/usr/bin:/bin")
	out := r.must(t, "gcc 'a b.o' -o x </dev/null 2>&1 | cat")
	tickets := 0
	for line := range strings.Lines(out) {
		if strings.Contains(line, " -> "+r.locks) {
			tickets++
		} else if strings.Contains(line, " -> ") && strings.Contains(line, r.dir) {
			t.Errorf("it has %s", line)
		}
	}
	if tickets != 1 {
		t.Errorf("it has %d files of the queue, want the ticket", tickets)
	}
	for _, want := range []string{"GPUCI_TICKETS=link-", "\nPATH=" + dir + ":", "args a b.o -o x"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "COMPILER_PATH") {
		t.Errorf("COMPILER_PATH is set, and was not before us:\n%s", out)
	}
}

// TestShimBelowTicket: a shim that a ticketed link calls by its path passes,
// also by a script in between.
func TestShimBelowTicket(t *testing.T) {
	dir := t.TempDir()
	r := rigOver(t, dir+":/usr/bin:/bin")
	shimFile(t, dir+"/gcc", "#!/bin/sh\n"+r.shims.Path+"/ld --version >/dev/null\nsh -c '"+r.shims.Path+"/ld a.o'\n")
	shimFile(t, dir+"/ld", "#!/bin/sh\nexit 0\n")
	in := r.shims.Path + "/gcc" // the shims were made before there was a gcc: play one
	if err := os.Link(r.shims.Path+"/gpuci-link", in); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	r.must(t, in+" a.o")
	if got := r.links(t); got != "gcc ticket, ld passed" {
		t.Errorf("%q", got)
	}
}

// TestShimLongArguments: whatever the kernel lets a shim be called with, it
// can call the real tool with.
func TestShimLongArguments(t *testing.T) {
	dir := t.TempDir()
	shimFile(t, dir+"/gcc", "")
	if err := os.Remove(dir + "/gcc"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(shimNeeds(t, "true"), dir+"/gcc"); err != nil {
		t.Fatal(err)
	}
	r := rigOver(t, dir+":/usr/bin:/bin")
	try := func(n int) error { // n bytes in arguments of 100,000
		args := []string{"a.o"}
		for ; n > 0; n -= 100_000 {
			args = append(args, strings.Repeat("x", min(n, 100_000)))
		}
		cmd := exec.Command(filepath.Join(r.shims.Path, "gcc"), args...)
		cmd.Args[0], cmd.Env = "gcc", r.env
		if err := cmd.Start(); err != nil {
			return err
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("with %d bytes of arguments: %v", n, err)
		}
		return nil
	}
	low, high := 0, 64<<20
	for high-low > 8 {
		if middle := (low + high) / 2; try(middle) == nil {
			low = middle
		} else {
			high = middle
		}
	}
	if low < 100_000 {
		t.Errorf("the limit is %d bytes: nothing was shown", low)
	}
}

// TestShimAnswersByItsOwnName: as gpuci-link it is the check that ccache runs.
func TestShimAnswersByItsOwnName(t *testing.T) {
	r := shimRig(t, "gcc")
	status, out := r.run(t, r.shims.Path+"/gpuci-link")
	if status != 64 || !strings.Contains(out, "gpuci env") {
		t.Errorf("exit status %d: %s", status, out)
	}
	id := r.must(t, r.shims.Path+"/gpuci-link --compiler-check "+r.shims.Path+"/gcc")
	if real := shimNeeds(t, "gcc"); !strings.HasPrefix(id, real+" ") && !strings.HasPrefix(id, filepath.Dir(real)) {
		t.Errorf("the compiler behind gcc is %q, want %s", id, real)
	}
	path, _ := shim.Lookup(r.env, "PATH")
	if !strings.HasPrefix(path, r.shims.Path+":") {
		t.Errorf("PATH is %s", path)
	}
}
