//go:build linux

package cuda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// built are the real gpuci-cuda and the stand-in for the driver's library, made once.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "gpuci-cuda-test-"); err != nil {
		return dir, err
	}
	made = dir
	out, err := exec.Command("../../cmd/gpuci-cuda/build", dir+"/gpuci-cuda").CombinedOutput()
	if err != nil {
		return dir, &notBuilt{string(out), err}
	}
	args := []string{"-shared", "-fPIC", "-O1", "-Wl,-soname,libcuda.so.1", "-I../../cmd/gpuci-cuda/header", "-o", dir + "/libcuda.so.1", "testdata/driver.c"}
	for _, include := range includes() {
		args = append(args, "-I"+include)
	}
	if out, err = exec.Command("cc", args...).CombinedOutput(); err != nil {
		return dir, &notBuilt{string(out), err}
	}
	return dir, nil
})

// made is the directory of both, once there is one.
var made string

type notBuilt struct {
	said string
	err  error
}

func (e *notBuilt) Error() string { return e.err.Error() + ": " + e.said }

// includes are where build looks for cuda.h.
func includes() (dirs []string) {
	nvcc, _ := exec.LookPath("nvcc")
	for _, pattern := range []string{os.Getenv("CUDA_HOME") + "/include", filepath.Dir(nvcc) + "/../include", "/usr/local/cuda/include",
		os.Getenv("VIRTUAL_ENV") + "/lib/python3*/site-packages/nvidia/*/include", "../../.cache/cuda/lib/python3*/site-packages/nvidia/*/include"} {
		list, _ := filepath.Glob(pattern)
		dirs = append(dirs, list...)
	}
	return dirs
}

func TestMain(m *testing.M) {
	code := m.Run()
	if made != "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}

// needBuilt is the directory of both. Without CUDA's headers neither can be built: only
// a test run that may leave something out goes on without.
func needBuilt(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil && os.Getenv("GPUCI_TEST_STRICT") == "" && strings.Contains(err.Error(), "no cuda.h") {
		t.Skipf("gpuci-cuda cannot be built here: %v", err)
	}
	if err != nil {
		t.Fatalf("build gpuci-cuda and the stand-in: %v", err)
	}
	return dir
}

// standin are options of the real gpuci-cuda on the stand-in.
func standin(t *testing.T, env ...string) cuda.Options {
	t.Helper()
	dir := needBuilt(t)
	return cuda.Options{Program: dir + "/gpuci-cuda", Env: append(append(os.Environ(), "LD_LIBRARY_PATH="+dir), env...)}
}

// program is a program of one "cubin" of the stand-in.
func program(t *testing.T, o cuda.Options, text string) *cuda.Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.sm_90.cubin")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := cuda.Cubin{Path: path, Arch: "sm_90"}
	for _, name := range append(strings.Fields(kernelNames), "absent") {
		c.Kernels = append(c.Kernels, cuda.Kernel{Name: name})
	}
	p, err := cuda.New([]cuda.Cubin{c}, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const kernelNames = "scale short past before spoil unstable says trap endless fat"

// whole is a "cubin" that has all kernels.
var whole = "standin sm_90\n" + strings.ReplaceAll(kernelNames, " ", "\n") + "\n"

// scale is a job of one launch of a kernel: 3 times four numbers.
func scale(kernel string) launch.Job {
	return launch.Job{
		Buffers: []launch.Buffer{
			{Name: "in", Count: 4, Role: launch.Input, Data: []float32{1, 2, 3, 4}},
			{Name: "out", Count: 4, Role: launch.Output},
			{Name: "rest", Count: 2, Role: launch.Scratch},
		},
		Launches: []launch.Launch{{
			Kernel: kernel, Phase: "forward", Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1},
			Args: []launch.Arg{launch.Of("in"), launch.Of("out"), launch.I(4), launch.F(3)},
		}},
	}
}
