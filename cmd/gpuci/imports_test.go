package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is the table of the design: which packages of ours a package may
// import. Test files are held to it too. A package that is not in it may not
// exist.
var mayImport = map[string][]string{
	"reaper/proc": {"reaper/proc/stuckfs"}, "reaper/proc/stuckfs": {}, "pressure": {}, "worktrees": {},
	"buildlock": {"reaper/proc"}, "reaper": {"reaper/proc", "reaper/proc/stuckfs"},
	"buildlock/shim": {}, "buildlock/beside": {"reaper/proc", "reaper/proc/stuckfs"},
	// The body of cmd/gpuci-link, which may import pressure.
	"buildlock/shim/link": {"buildlock", "buildlock/beside", "buildlock/shim", "pressure", "reaper/proc"},
	"buildlock/links":     {"buildlock", "buildlock/shim", "reaper/proc"},
	"kernels":             {"kernels/build", "kernels/cache", "kernels/check", "kernels/entry", "kernels/host", "kernels/inspect", "kernels/nvcc", "kernels/ptxas"},
	"kernels/kda":         {}, "kernels/launch": {}, "kernels/simt": {"kernels/launch"}, "kernels/newton": {"kernels/launch", "kernels/seed", "kernels/simt", "kernels/simt/simttest"}, "kernels/rmsnorm": {"kernels/launch", "kernels/seed", "kernels/simt", "kernels/simt/simttest"},
	"kernels/seed": {}, "kernels/simt/simttest": {"kernels/launch", "kernels/simt"},
	"kernels/kda/fused": {"kernels/kda", "kernels/launch", "kernels/simt", "kernels/simt/simttest"},
	"kernels/verify":    {"kernels/cuda", "kernels/seed", "kernels/simt/simttest", "kernels/kda", "kernels/kda/fused", "kernels/launch", "kernels/newton", "kernels/rmsnorm", "kernels/simt"},
	"kernels/entry":     {}, "kernels/cubin": {"kernels/entry", "kernels/ptxas"}, "kernels/ptx": {"kernels/entry", "kernels/cubin"},
	"kernels/ptxas": {"kernels/entry"}, "kernels/inspect": {"kernels/entry", "kernels/cubin", "kernels/ptx", "kernels/ptxas"},
	"kernels/nvcc": {}, "kernels/cache": {}, "kernels/build": {"kernels/nvcc", "kernels/cache"},
	"kernels/host": {}, "kernels/check": {"kernels/entry", "kernels/host", "kernels/cubin", "kernels/ptx"},
	"kernels/device": {"reaper/proc", "buildlock", "kernels/device/devicetest"}, "pressure/plot": {"pressure"},
	"kernels/device/devicetest": {"kernels/device"}, "kernels/device/protected": {"reaper/proc"},
	"kernels/trace": {"kernels/trace/tracetest"}, "kernels/trace/tracetest": {},
	"kernels/cuda": {"kernels/build", "kernels/launch", "kernels/nvcc", "kernels/cubin", "kernels/simt"},
	"gates/bundle": {"gates", "gates/config", "kernels", "kernels/trace", "worktrees"},
	"gates/expr":   {}, "gates/metric": {}, "gates/junit": {}, "gates/reader": {"gates/junit", "worktrees"},
	"gates/config":  {"gates/expr", "gates/metric", "kernels/trace"},
	"gates/history": {"buildlock", "worktrees"}, "gates/history/tsv": {},
	"gates/inputs":        {"worktrees"},
	"gates/propose":       {"gates/config", "gates/expr", "gates/metric", "gates/reader", "reaper/proc"},
	"gates/notes":         {"gates/config", "gates/metric", "worktrees"},
	"gates/falsify/plant": {"gates/config", "worktrees"},
	"gates/lint":          {"gates", "gates/config", "gates/lint/crates", "reaper/proc", "worktrees"},
	"gates/lint/crates":   {},
	"gates/ab":            {"ci/smalldisk", "gates", "gates/ab/judge", "gates/config", "gates/history", "gates/inputs", "gates/metric", "worktrees"},
	"gates/ab/judge":      {}, "gates/ab/plot": {"gates/ab/judge"},
	"gates/falsify": {"gates", "gates/config", "gates/falsify/plant", "gates/history", "gates/inputs", "gates/metric", "worktrees"},
	"gates": {"gates/falsify/plant", "gates/config", "gates/expr", "gates/history", "gates/inputs", "gates/notes", "gates/reader", "gates/metric",
		"reaper", "reaper/proc", "pressure", "buildlock", "buildlock/beside", "buildlock/shim", "buildlock/links", "kernels", "kernels/build", "kernels/check", "kernels/entry", "kernels/nvcc",
		"kernels/device", "kernels/device/devicetest", "kernels/device/protected", "kernels/trace", "kernels/trace/tracetest", "worktrees"},
	"gates/fixtures/arraytest": {}, "gates/fixtures/blocks": {"gates/fixtures/arraytest"},
	"gates/fixtures/npy":         {"gates/fixtures/arraytest", "gates/fixtures/blocks"},
	"gates/fixtures/safetensors": {"gates/fixtures/arraytest", "gates/fixtures/blocks"},
	"gates/fixtures/cells":       {"gates/fixtures/blocks"}, "gates/fixtures/raw": {"gates/fixtures/blocks"},
	"gates/fixtures": {"gates", "gates/config", "gates/history", "gates/inputs", "worktrees",
		"gates/fixtures/blocks", "gates/fixtures/cells", "gates/fixtures/npy", "gates/fixtures/raw", "gates/fixtures/safetensors"},
	"ci/smalldisk": {},
	"ci": {"ci/executor", "ci/executor/local", "ci/slurm", "ci/slurm/slurmtest", "ci/smalldisk", "ci/spool",
		"gates", "gates/config", "gates/history", "gates/inputs", "gates/junit", "gates/metric", "worktrees"},
	"ci/executor": {"gates", "gates/config"}, "ci/executor/executortest": {"ci/executor", "gates", "gates/config", "gates/history", "worktrees"},
	"ci/executor/local": {"ci/executor", "ci/executor/executortest", "gates", "gates/config", "worktrees"},
	"ci/spool":          {"ci/executor", "ci/smalldisk", "gates", "gates/config", "gates/history", "gates/inputs", "worktrees"},
	"ci/slurm":          {"ci/executor", "ci/executor/executortest", "ci/slurm/slurmtest", "ci/spool", "gates", "gates/config", "gates/history", "reaper/proc", "worktrees"}, "ci/slurm/slurmtest": {},
	"cmd/gpuci-link": {"buildlock", "buildlock/shim", "buildlock/shim/link", "pressure"},
	"cmd/gpuci-cuda": {"kernels", "kernels/launch", "kernels/cuda"},
	"cmd/gpuci":      nil, // all
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// TestImportRule holds every package against the table: imports go downwards
// only, so that a leaf can be used and tested alone.
func TestImportRule(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "gpuci/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		checkImports(t, p)
	}
	if seen < 10 {
		t.Errorf("go list gave %d packages: the rule was not really checked", seen)
	}
}

func checkImports(t *testing.T, p listed) {
	name := strings.TrimPrefix(p.ImportPath, "gpuci/")
	allowed, known := mayImport[name]
	if !known {
		t.Errorf("package %s is not in the import table of the design", name)
		return
	}
	if allowed == nil {
		return
	}
	for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
		dep, ours := strings.CutPrefix(imp, "gpuci/")
		if ours && dep != name && !slices.Contains(allowed, dep) {
			t.Errorf("%s imports %s; it may import %q", name, dep, allowed)
		}
	}
}
