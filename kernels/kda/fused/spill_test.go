package fused_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuci/kernels/kda/fused"
	"gpuci/kernels/simt/simttest"
)

var (
	registers = regexp.MustCompile(`Used (\d+) registers`)
	spills    = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
)

// TestNoSpills: the compiler of the card takes the kernels without a warning, and keeps
// every value of a thread in registers.
func TestNoSpills(t *testing.T) {
	simttest.Needs(t, "nvcc")
	for _, arch := range []string{"sm_80", "sm_90"} {
		for _, name := range fused.Sources() {
			cmd := exec.CommandContext(t.Context(), "nvcc", "-arch="+arch, "-Werror", "all-warnings", "-Xptxas", "-v",
				"-cubin", "-o", filepath.Join(t.TempDir(), "out.cubin"), filepath.Join(cuda, name))
			text, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s for %s: %v\n%s", name, arch, err, text)
				continue
			}
			said := spills.FindSubmatch(text)
			if said == nil || string(said[1])+string(said[2]) != "00" {
				t.Errorf("%s for %s spills, or does not say:\n%s", name, arch, text)
			}
			t.Logf("%s for %s: %s", name, arch, strings.ToLower(string(registers.Find(text))))
		}
	}
}
