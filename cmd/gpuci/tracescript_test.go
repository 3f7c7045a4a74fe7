package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gpuci/kernels/trace/tracetest"
)

// withCUDA gives a script a stand-in for CUDA, and $PLAY, a program that plays calls of it
// from a file. It is no CUDA: what a call takes says nothing.
func withCUDA(t *testing.T, env *testscript.Env) {
	box := tracetest.Start(t, tracetest.Options{Include: nvtxHeaders()})
	for _, kv := range box.Env() {
		name, value, _ := strings.Cut(kv, "=")
		env.Setenv(name, value)
	}
	env.Setenv("PLAY", box.Program())
	env.Setenv("CUDA", box.Libraries())
	env.Vars = slices.DeleteFunc(env.Vars, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(mineOfCUDA, name)
	})
}

// mineOfCUDA are variables of whoever runs the tests that a traced program would see.
var mineOfCUDA = []string{"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "GPUCI_TRACE_CUPTI", "GPUCI_TRACE_DIR", "GPUCI_TRACE_TIMELINE", "PYTHONUNBUFFERED", "CC", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH"}

// nvtxHeaders is the directory of NVTX's header, of NVIDIA's packages in .cache/cuda; "" where
// they are not there, and ranges neither.
func nvtxHeaders() string {
	const file = "nvtx3/nvToolsExt.h"
	found, _ := filepath.Glob(filepath.Join("..", "..", ".cache/cuda/lib/python3*/site-packages/nvidia/*/include", file))
	if len(found) == 0 {
		return ""
	}
	dir, err := filepath.Abs(strings.TrimSuffix(found[0], file))
	if err != nil {
		return ""
	}
	return dir
}
