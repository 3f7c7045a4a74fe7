package inspect

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/entry"
)

// need gives the path of a tool, or ends the test where it is not there.
func need(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err == nil {
		return path
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatalf("needs %s", tool)
	}
	t.Skipf("needs %s", tool)
	return ""
}

// run gives the stdout of a tool that succeeds in a directory.
func run(t *testing.T, dir, tool string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, out.String(), errs.String())
	}
	return out.String()
}

// compile runs nvcc on a few kernels, for two architectures and
// PTX, and gives the path of what comes out.
func compile(t *testing.T, name string, args ...string) string {
	t.Helper()
	nvcc := need(t, "nvcc")
	source, err := filepath.Abs("testdata/small.cu")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args = append(args, "-std=c++17", "-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90",
		"-gencode=arch=compute_90,code=compute_90", "-o", name, source)
	run(t, dir, nvcc, args...)
	return filepath.Join(dir, name)
}

func file(t *testing.T, path string) []entry.Module {
	t.Helper()
	modules, err := File(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return modules
}

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
