package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/cuda"
)

// TestStub: what is built without the tag cuda says how the real one is made. That one
// is tested where it is spoken to, in kernels/cuda.
func TestStub(t *testing.T) {
	program := t.TempDir() + "/gpuci-cuda"
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 69 || !strings.Contains(string(out), "make cuda") {
		t.Errorf("%v: %s", err, out)
	}
	// Whoever asks it is told the same, and so by what is no gpuci-cuda at all.
	for path, says := range map[string]string{program: "no CUDA in it", "/bin/true": "/bin/true", "/bin/echo": "/bin/echo"} {
		if _, err := cuda.Ask(t.Context(), cuda.Options{Program: path}); !errors.Is(err, cuda.ErrNoProgram) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := cuda.Ask(t.Context(), cuda.Options{Program: "/bin/false"}); err == nil || errors.Is(err, cuda.ErrNoProgram) {
		t.Errorf("one that failed: %v", err)
	}
}

// TestBuild: a toolkit that is named and cannot be used is not passed over, and paths may
// have a space in them.
func TestBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a toolkit")
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	toolkit := func(version string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "include/cuda.h"), []byte("#define CUDA_VERSION "+version+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compiler := filepath.Join(dir, "go") // says what it is given
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "include"), 0o755), os.Symlink(top, filepath.Join(dir, "here")),
		os.WriteFile(compiler, []byte("#!/bin/sh\necho \"$CGO_CFLAGS\" \"$CGO_LDFLAGS\"\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	build := func(home string) (string, int) {
		cmd := exec.Command(filepath.Join(dir, "here/cmd/gpuci-cuda/build"), filepath.Join(dir, "out"))
		cmd.Env = append(os.Environ(), "CUDA_HOME="+home, "GO="+compiler)
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := build(dir + "-absent"); code != 69 || !strings.Contains(out, "CUDA_HOME is "+dir+"-absent") {
		t.Errorf("no toolkit: %d: %s", code, out)
	}
	toolkit("11080")
	if out, code := build(dir); code != 69 || !strings.Contains(out, "is of CUDA 11080") {
		t.Errorf("an old one: %d: %s", code, out)
	}
	toolkit("12040")
	out, code := build(dir)
	for _, flag := range []string{"-I" + dir + "/include", "-I" + dir + "/here/cmd/gpuci-cuda/header", "-L" + dir + "/here/target/gpuci-cuda"} {
		if code != 0 || !strings.Contains(out, `"`+flag+`"`) { // one word for the go command
			t.Errorf("%d: %s has no %s", code, out, flag)
		}
	}
}

// TestMake: make build leaves the real gpuci-cuda where it is.
func TestMake(t *testing.T) {
	text, err := os.ReadFile("../../Makefile")
	if err != nil || strings.Contains(string(text), "bin/ ./cmd/...") {
		t.Errorf("a target builds all programs to bin: %v", err)
	}
	if _, err := exec.LookPath("make"); err != nil {
		return // what it would run cannot be asked
	}
	for _, target := range []string{"build", "man", "soak"} {
		out, err := exec.Command("make", "-C", "../..", "-n", target).CombinedOutput()
		if text := string(out); err != nil || strings.Contains(text, "gpuci-cuda") || !strings.Contains(text, "./cmd/gpuci ./cmd/gpuci-link") {
			t.Errorf("make %s: %v: %s", target, err, out)
		}
	}
}
