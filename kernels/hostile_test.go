package kernels

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/kernels/build"
)

// What is no regular file, and a directory that cannot be read, is a finding, and nobody
// waits for it.
func TestNoFiles(t *testing.T) {
	s := newStage(t, "src/a.rs", "fn main() {}", "shut/a.rs", "", "pre/shut/a.cubin", "")
	at := func(name string) string { return filepath.Join(s.set.Build.Root, name) }
	for _, name := range []string{"src/pipe.rs", "pre/pipe.cubin"} {
		if err := syscall.Mkfifo(at(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"src/zero.rs", "pre/zero.cubin"} {
		if err := os.Symlink("/dev/zero", at(name)); err != nil {
			t.Fatal(err)
		}
	}
	s.write("src/long.rs", "")
	if err := os.Truncate(at("src/long.rs"), 100<<30); err != nil { // a file with nothing in it
		t.Fatal(err)
	}
	s.set.Prebuilt, s.set.Host = []string{"pre/*"}, []string{"src/*.rs"}
	s.want(Built{}, "module-unread pre/pipe.cubin", "module-unread pre/zero.cubin", "host-unread src/long.rs", "host-unread src/pipe.rs", "host-unread src/zero.rs")

	if os.Geteuid() == 0 {
		return // who reads everything
	}
	for _, name := range []string{"shut", "pre/shut"} {
		if err := os.Chmod(at(name), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(at(name), 0o755)
	}
	s.set.Prebuilt, s.set.Host = []string{"pre/**/*.bin"}, []string{"shut/*.rs", "s*/**/*.c"}
	s.want(Built{}, "module-unread pre/**/*.bin", "host-unread s*/**/*.c", "host-unread shut/*.rs")
}

// Closed directories are told also where root looks, who may read them all: by a path
// that leads through a file.
func TestClosed(t *testing.T) {
	s := newStage(t, "file", "", "real/a.rs", "")
	if err := os.Symlink("loop", filepath.Join(s.set.Build.Root, "loop")); err != nil {
		t.Fatal(err)
	}
	_, missing, closed := s.set.expand([]string{"loop/*.rs", "none/*.rs", "real/*.c", "real/*.rs"})
	if len(closed) != 1 || closed[0].File != "loop/*.rs" || len(missing) != 2 {
		t.Errorf("missing %q, closed %v", missing, closed)
	}
}

// Code for another architecture than was asked for is refused, wherever that was said.
func TestAsked(t *testing.T) {
	nvcc, err := exec.LookPath("nvcc")
	if err != nil && os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs nvcc")
	} else if err != nil {
		t.Skip("needs nvcc")
	}
	s := newStage(t, "k.cu", "extern \"C\" __global__ void k(int* a) { a[0] = 1; }\n", "arch.rsp", "-arch=sm_80")
	s.set.Build.Sources = []string{"k.cu"}
	execute := func(ctx context.Context, c build.Command) error {
		cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Dir, c.Env, c.Stdout, c.Stderr, time.Second
		return cmd.Run()
	}
	for _, c := range []struct {
		archs []string
		kinds []build.Kind
		flags []string
		env   string
		ok    bool
	}{
		{[]string{"sm_90"}, nil, nil, "", true},
		{[]string{"sm_90a", "compute_90a"}, nil, nil, "", true},
		{[]string{"sm_80", "compute_90"}, []build.Kind{build.Fatbin, build.Object}, nil, "", true},
		{[]string{"sm_90"}, []build.Kind{build.PTX}, nil, "", true},
		{[]string{"sm_90"}, nil, nil, "NVCC_APPEND_FLAGS=-arch=sm_80", false},
		{[]string{"sm_90"}, nil, []string{"-optf", "arch.rsp"}, "", false},
		{[]string{"compute_90"}, nil, nil, "NVCC_APPEND_FLAGS=-arch=sm_80", false},
	} {
		s.set.Build.Architectures, s.set.Build.Kinds, s.set.Build.Flags = c.archs, c.kinds, c.flags
		var o Options
		o.Exec, o.Env, o.Cache, o.NVCC = execute, append(os.Environ(), c.env), t.TempDir(), nvcc
		_, err := Build(t.Context(), s.set, o)
		switch {
		case c.ok && err != nil:
			t.Errorf("%+v: %v", c, err)
		case !c.ok && (err == nil || !strings.Contains(err.Error(), "it is code for sm_80, and "+c.archs[0]+" was asked for")):
			t.Errorf("%+v: %v", c, err)
		}
	}
}
