package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/cubin"
	"gpuci/kernels/entry"
	"gpuci/kernels/host"
	"gpuci/kernels/ptx"
)

// need gives the path of a tool, or ends the test where it is not there.
func need(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	switch {
	case err == nil:
		return path
	case os.Getenv("GPUCI_TEST_STRICT") == "1":
		t.Fatalf("needs %s", tool)
	}
	t.Skipf("needs %s", tool)
	return ""
}

func run(t *testing.T, dir, tool string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
}

// crate copies the host crate, compiles its kernels with the real nvcc, and gives what is
// in them.
func crate(t *testing.T) (dir string, modules []entry.Module) {
	t.Helper()
	nvcc := need(t, "nvcc")
	dir = filepath.Join(t.TempDir(), "crate")
	if err := os.CopyFS(dir, os.DirFS(filepath.FromSlash("../host/testdata/crate"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"scan.ptx", "adjoint.cubin", "twin.cubin"} {
		file := filepath.Join("kernels", name)
		source := strings.TrimSuffix(file, filepath.Ext(file)) + ".cu"
		run(t, dir, nvcc, "-"+filepath.Ext(file)[1:], "-arch=sm_90", "-o", file, source)
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		parse := cubin.Parse
		if filepath.Ext(file) == ".ptx" {
			parse = ptx.Parse
		}
		m, err := parse(data)
		if err != nil {
			t.Fatal(err)
		}
		m.File = filepath.ToSlash(file)
		modules = append(modules, m)
	}
	return dir, modules
}

func readCrate(t *testing.T, dir, source string) host.File {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "src", source))
	if err != nil {
		t.Fatal(err)
	}
	return host.Read("src/"+source, string(text))
}

// TestCrate holds a host written with cudarc against its kernels: every mistake of the
// one half is found, and nothing in the other.
func TestCrate(t *testing.T) {
	dir, modules := crate(t)
	right := readCrate(t, dir, "right.rs")
	if len(right.Lookups) != 4 || len(right.Launches) != 4 || len(right.Unread) != 0 {
		t.Fatalf("of the right host was read: %+v", right)
	}
	if got := Check(Input{Modules: modules[:2], Hosts: []host.File{right}}); len(got) != 0 {
		t.Errorf("in the right host was found: %v", brief(got))
	}
	want := []string{
		"lookup-missing | scan_backwards | it has none of that name",
		"lookup-missing | sum | it has none of that name",
		"launch-count | scan_forward | 10 arguments",
		"launch-size | scan_window | &w (Window) of 52 bytes",
	}
	got := Check(Input{Modules: modules[:2], Hosts: []host.File{readCrate(t, dir, "wrong.rs")}})
	if diff := cmp.Diff(want, brief(got)); diff != "" {
		t.Errorf("in the wrong host: -want +got\n%s", diff)
	}
	want = []string{"entry-twice | scan_backward | in kernels/adjoint.cubin and kernels/twin.cubin"}
	if diff := cmp.Diff(want, brief(Check(Input{Modules: modules, Hosts: []host.File{right}}))); diff != "" {
		t.Errorf("with the twin: -want +got\n%s", diff)
	}
}

// TestCrateCompiles shows that the mistakes are ones that Rust's compiler passes.
func TestCrateCompiles(t *testing.T) {
	cargo := need(t, "cargo")
	dir, _ := crate(t)
	cmd := exec.CommandContext(t.Context(), cargo, "fetch", "--locked")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatalf("cargo fetch: %v\n%s", err, out)
		}
		t.Skip("needs cudarc of crates.io")
	}
	run(t, dir, cargo, "check", "--offline", "--locked", "--target-dir", filepath.Join(t.TempDir(), "target"))
}

// TestStaleCrate holds a committed cubin against a build of a source that went on.
func TestStaleCrate(t *testing.T) {
	_, modules := crate(t)
	got := Stale([]Fresh{{Committed: modules[1], Built: modules[2], Source: "kernels/twin.cu"}})
	want := []string{"stale-entries", "stale-params"}
	for _, rule := range want {
		found := false
		for _, f := range got {
			found = found || f.Rule == rule
		}
		if !found {
			t.Errorf("no %s in %v", rule, brief(got))
		}
	}
	if got := Stale([]Fresh{{Committed: modules[1], Built: modules[1]}}); got != nil {
		t.Errorf("against itself: %v", brief(got))
	}
}
