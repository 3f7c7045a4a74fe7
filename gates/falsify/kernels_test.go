package falsify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/gates"
)

// A fault in device code that a check of kernels finds is caught by more than an exit
// status.
func TestCaughtByKernels(t *testing.T) {
	ptx, err := os.ReadFile(filepath.Join("..", "..", "kernels", "testdata", "scan.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, map[string]string{
		"scan.ptx": string(ptx), "value": "0\n",
		"gpuci.toml": "[[kernels]]\nname = 'scan'\nprebuilt = ['scan.ptx']\nentries = ['scan_fwd']\n\n" +
			"[[gate]]\nname = \"sum\"\nkernels = ['scan']\nrun = [\"sh\", \"-c\", \"exit $(cat value)\"]\nreader = \"none\"\n" +
			fault("renamed", `replace = { file = "scan.ptx", from = ".visible .entry scan_fwd(", to = ".visible .entry scan_bwd(" }`, `must = "red"`) +
			fault("by-status", `replace = { file = "value", from = "0", to = "1" }`, `must = "red"`),
	})
	r := s.falsify()
	s.want(r, gates.FaultCaught, gates.FaultCaught)
	if len(r.Marks) != 1 || !strings.Contains(r.Marks[0], "caught by nothing but an exit status: by-status.") {
		t.Errorf("%q", r.Marks)
	}
}
