package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/trace"
)

// A driver is one that the loader would find.
func TestFindsLibrary(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, cudaDriver), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	const three = "3 libs found in cache\n\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/libcuda.so.1\n\tlibc.so.6 (libc6) => /lib/libc.so.6\n"
	for _, c := range []struct {
		dirs, noted string
		want        bool
	}{
		{"", "", false}, {"/nonesuch:" + dir, "", true}, {"/nonesuch::", "", false}, {"", three, true},
		{"", "\tlibcuda.so.11 (libc6) => /x\n\tlibcuda.so (libc6) => /x\n", false},
	} {
		if got := inDirectories(c.dirs, cudaDriver) != "" || noted(c.noted, cudaDriver) != ""; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What is looked at is the program's environment, and what the loader has noted here.
func TestNoDriver(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, cudaDriver), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	noted, err := exec.Command("/sbin/ldconfig", "-p").Output()
	here := err == nil && !strings.Contains(string(noted), "\t"+cudaDriver+" ")
	for env, want := range map[string]bool{"LD_LIBRARY_PATH=" + dir: false, "LD_LIBRARY_PATH=/nonesuch": here} {
		if got := (&tracing{env: []string{env}}).noDriver(); got != want {
			t.Errorf("%s: %v", env, got)
		}
	}
}

// Without a library the hint is about what was in the way.
func TestLibraryHint(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for cc, want := range map[string]string{"": "apt-get install gcc", "nosuchcc -m64": "CC is set to nosuchcc -m64: unset it", "/bin/false": "CC is set to /bin/false: without it"} {
		t.Setenv("CC", cc)
		_, err := trace.Library(t.Context(), trace.LibraryOptions{Dir: t.TempDir(), CC: cc})
		if err == nil || !strings.Contains(libraryHint(err), want) {
			t.Errorf("CC=%s: %v: %q", cc, err, libraryHint(err))
		}
	}
	t.Setenv("CC", "")
	if got := libraryHint(os.ErrPermission); !strings.Contains(got, "XDG_CACHE_HOME") {
		t.Error(got)
	}
}
