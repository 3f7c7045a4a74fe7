package trace

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAttach(t *testing.T) {
	env := []string{"A=1", "GPUCI_TRACE_CUPTI=/old", cudaInjection + "=", "B=2"}
	got, err := Attach(Attachment{Dir: "/d", Library: "/l.so"}, env)
	want := []string{"A=1", "B=2", "CUDA_INJECTION64_PATH=/l.so", "NVTX_INJECTION64_PATH=/l.so", "GPUCI_TRACE_DIR=/d"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %q", err, got)
	}
	again, err := Attach(Attachment{Dir: "/d", Library: "/l.so", CUPTI: "/c"}, got)
	if err != nil || !slices.Equal(again, append(want, "GPUCI_TRACE_CUPTI=/c")) {
		t.Errorf("again: %v: %q", err, again)
	}
	if len(env) != 4 || env[2] != cudaInjection+"=" {
		t.Errorf("the caller's is now %q", env)
	}
}

// Relative paths are those of gpuci, not of wherever the program goes.
func TestAttachAbsolute(t *testing.T) {
	got, err := Attach(Attachment{Dir: "d", Library: "l.so"}, nil)
	if err != nil || variable(got, traceDir)[0] != '/' || variable(got, cudaInjection)[0] != '/' {
		t.Errorf("%v: %q", err, got)
	}
}

func TestAttachRefuses(t *testing.T) {
	for kv, whose := range map[string]string{
		"CUDA_INJECTION64_PATH=/opt/nsys/target-linux-x64/libToolsInjection64.so": "Nsight Systems",
		"NVTX_INJECTION64_PATH=/opt/ncu/libcuda-injection.so":                     "Nsight Compute",
		"CUDA_INJECTION64_PATH=/home/me/mine.so":                                  "",
		"NVTX_INJECTION64_PATH=/c/libgpuci-trace-0123.so":                         "a gpuci trace around this one",
		"CUDA_INJECTION64_PATH=/l.so":                                             "", // ours, into another directory
	} {
		env := []string{"GPUCI_TRACE_DIR=/other", kv}
		got, err := Attach(Attachment{Dir: "/d", Library: "/l.so"}, env)
		var other *OtherInjection
		name, path, _ := strings.Cut(kv, "=")
		if got != nil || !errors.As(err, &other) || other.Variable != name || other.Path != path || other.Whose != whose || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", kv, err)
		}
	}
}
