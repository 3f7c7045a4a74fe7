package trace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// The variables by which a program comes to load the library, and by which the library
// knows what to do. All that the program starts inherits them.
const (
	cudaInjection = "CUDA_INJECTION64_PATH" // read by the driver in cuInit
	nvtxInjection = "NVTX_INJECTION64_PATH" // read by NVTX's header at its first use
	traceDir      = "GPUCI_TRACE_DIR"
	traceCUPTI    = "GPUCI_TRACE_CUPTI"
	traceTimeline = "GPUCI_TRACE_TIMELINE" // 1: times of the card are taken as well
)

// Attachment is what a program is traced with.
type Attachment struct {
	Dir     string // where each of its processes that uses CUDA leaves two files; it must be there
	Library string // of [Library]
	CUPTI   string // of [FindCUPTI]; "": where the loader finds it
	Timed   bool   // the times of the card are taken as well, which costs more
}

// OtherInjection says that somebody else is to be loaded into the program already. The
// driver loads one.
type OtherInjection struct {
	Variable, Path string
	Whose          string // "Nsight Systems"; "" where the file's name does not tell
}

func (e *OtherInjection) Error() string {
	whose := e.Whose
	if whose == "" {
		whose = "another tool"
	}
	return fmt.Sprintf("attach to the program: %s is set to %s, of %s: unset it, or trace without that tool", e.Variable, e.Path, whose)
}

// tools are those whose library is known by its name.
var tools = []struct{ in, whose string }{
	{"libgpuci-trace", "a gpuci trace around this one"},
	{"libToolsInjection", "Nsight Systems"},
	{"libcuda-injection", "Nsight Compute"},
	{"libsanitizer", "Compute Sanitizer"},
	{"libcupti_trace_injection", "a sample of CUPTI"},
}

func whose(path string) string {
	for _, t := range tools {
		if strings.HasPrefix(filepath.Base(path), t.in) {
			return t.whose
		}
	}
	return ""
}

// Attach gives the environment in which the program is traced. It changes nothing, and the
// error is a *[OtherInjection], where another tool's library is to be loaded.
func Attach(a Attachment, env []string) ([]string, error) {
	dir, err := filepath.Abs(a.Dir)
	if err != nil {
		return nil, fmt.Errorf("attach to the program: %w", err)
	}
	library, err := filepath.Abs(a.Library)
	if err != nil {
		return nil, fmt.Errorf("attach to the program: %w", err)
	}
	for _, name := range []string{cudaInjection, nvtxInjection} {
		path := variable(env, name)
		ours := path == library && variable(env, traceDir) == dir
		if path != "" && !ours {
			return nil, &OtherInjection{Variable: name, Path: path, Whose: whose(path)}
		}
	}
	set := []string{cudaInjection + "=" + library, nvtxInjection + "=" + library, traceDir + "=" + dir}
	if a.CUPTI != "" {
		set = append(set, traceCUPTI+"="+a.CUPTI)
	}
	if a.Timed {
		set = append(set, traceTimeline+"=1")
	}
	return append(without(env, cudaInjection, nvtxInjection, traceDir, traceCUPTI, traceTimeline), set...), nil
}

// variable is the value of a variable; the last one of a name holds.
func variable(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

func without(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(names, name)
	})
}
