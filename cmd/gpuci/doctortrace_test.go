package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gpuci/gates/config"
	"gpuci/kernels/trace"
	"gpuci/kernels/trace/tracetest"
)

// What counting takes, found and missing: a loss only where a gate is counted.
func TestDoctorTrace(t *testing.T) {
	box := tracetest.Start(t, tracetest.Options{})
	empty := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", empty)
	look := func(traced bool, env ...string) map[string]check {
		d := &doctor{env: append(env, "PATH="+empty)}
		d.place.config, d.place.dir = &config.Config{}, empty
		if traced {
			d.place.config.Gates = []config.Gate{{Name: "steps", Trace: &config.Trace{}}}
		}
		out := make(map[string]check)
		for _, c := range d.checkTrace(t.Context()) {
			out[c.Name] = c
		}
		return out
	}
	want := func(c check, state string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if all := strings.Join([]string{c.Value, c.Path, c.Version, c.Lost, c.Get}, "\n"); c.State != state || !strings.Contains(all, text) {
				t.Errorf("%s is %s, %s, want %s, %s", c.Name, c.State, all, state, text)
			}
		}
	}
	there := look(true, box.Env()...)
	want(there["library"], stateOK, "compiled when it is first asked for, into "+filepath.Join(empty, "gpuci", "trace"))
	want(there["CUPTI"], stateOK, box.CUPTI(), "13")
	want(there["libcuda"], stateOK, filepath.Join(box.Libraries(), cudaDriver), "in LD_LIBRARY_PATH")
	want(there["injection"], stateOK, "no other tool's")
	want(look(true, "GPUCI_TRACE_CUPTI="+empty)["CUPTI"], stateBroken, "unset it")
	want(look(false, "CUDA_INJECTION64_PATH=/opt/nsys/libToolsInjection64.so")["injection"], stateLost, "of Nsight Systems", "unset CUDA_INJECTION64_PATH")
	t.Setenv("CC", "nosuchcc")
	want(look(false)["library"], stateOK, "no C compiler to make it: nosuchcc", "gpuci trace would count nothing")
	want(look(true)["library"], stateLost, "gates steps are counted by it, and are refused", trace.LibraryName)
}
