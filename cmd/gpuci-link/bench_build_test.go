//go:build bench && linux

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestBenchBuild: a package with 20 test binaries on an idle disk, built from
// nothing by cargo, bare and through gpuci build. Issue 4: the interval of the
// ratio below 1.08.
func TestBenchBuild(t *testing.T) {
	cargo := shimNeeds(t, "cargo")
	dir := t.TempDir()
	crate := dir + "/crate"
	shimFile(t, crate+"/Cargo.toml", "[package]\nname = \"twenty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n")
	shimFile(t, crate+"/src/lib.rs", "pub fn n() -> u32 { 1 }\n")
	for i := range 20 {
		shimFile(t, fmt.Sprintf("%s/tests/t%02d.rs", crate, i), "#[test]\nfn t() { assert_eq!(twenty::n(), 1); }\n")
	}
	if out, err := exec.Command("go", "build", "-o", dir+"/", "gpuci/cmd/gpuci", "gpuci/cmd/gpuci-link").CombinedOutput(); err != nil {
		t.Fatalf("build gpuci: %v: %s", err, out)
	}
	build := func(argv ...string) func() *exec.Cmd {
		return func() *exec.Cmd {
			if err := os.RemoveAll(crate + "/target"); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir = crate
			cmd.Env = append(os.Environ(), "GPUCI_LOCK_DIR="+dir+"/locks", "XDG_DATA_HOME="+dir+"/data", "GPUCI_MACHINE_FILE=/dev/null")
			return cmd
		}
	}
	tests := []string{cargo, "build", "--tests", "--offline", "--quiet"}
	times := inTurn(t, 10, build(tests...), build(append([]string{dir + "/gpuci", "build", "--"}, tests...)...))
	benchReport("cargo build --tests, 20 binaries, bare", "s ", 1, times[0], "none")
	benchReport("  through gpuci build, over that", "x ", 1, pairwise(times[1], times[0], over), "1.08")
}
