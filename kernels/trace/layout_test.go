package trace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fields is where, in the structure of a call's arguments in NVIDIA's headers, a field must
// be: where ours of that layout has it.
var fields = map[string][]string{
	"KERNEL":        {"f LaunchKernel.function", "gridDimX LaunchKernel.grid", "blockDimX LaunchKernel.block", "sharedMemBytes LaunchKernel.shared", "hStream LaunchKernel.stream"},
	"KERNEL_EX":     {"config LaunchKernelEx.config", "f LaunchKernelEx.function"},
	"KERNEL_MULTI":  {"launchParamsList LaunchMulti.list", "numDevices LaunchMulti.count"},
	"KERNEL_GRID":   {"f LaunchGrid.function", "grid_width LaunchGrid.grid[0]", "grid_height LaunchGrid.grid[1]"},
	"KERNEL_OLD":    {"f LaunchGrid.function"},
	"BYTES":         {"ByteCount Copy.bytes", "dst Copy.to", "src Copy.from"},
	"PEER":          {"ByteCount CopyPeer.bytes", "dstDevice CopyPeer.to", "srcDevice CopyPeer.from"},
	"BOX_2D":        {"pCopy Copy2D.box"},
	"BOX_3D":        {"pCopy Copy3D.box"},
	"COUNT":         {"N Set.count", "dstDevice Set.to"},
	"COUNT_2D":      {"Width Set2D.width", "Height Set2D.height"},
	"SIZE":          {"dptr Alloc.pointer", "bytesize Alloc.bytes"},
	"PITCH":         {"dptr AllocPitch.pointer", "pPitch AllocPitch.pitch", "WidthInBytes AllocPitch.width", "Height AllocPitch.height"},
	"POINTER":       {"dptr Free.pointer"},
	"CREATION":      {"handle Alloc.pointer", "size Alloc.bytes"},
	"CREATED":       {"handle Free.pointer"},
	"BEGINS":        {"hStream OnStream.stream"},
	"ENDS":          {"hStream OnStream.stream", "phGraph EndCapture.graph"},
	"MAKES_GRAPH":   {"phGraph MakeGraph.graph"},
	"ALTERS_EXEC":   {"hGraphExec AlterExec.exec"},
	"SWITCHES_NODE": {"hGraphExec AlterExec.exec"},
	"GRAPH":         {"hGraphExec GraphLaunch.exec", "hStream GraphLaunch.stream"},
	"INSTANTIATE":   {"phGraphExec Instantiate.exec", "hGraph Instantiate.graph"},
}

// always are asserts of what no call's name tells.
const always = `
#define AT(type, field, ours, own) _Static_assert(offsetof(type, field) == offsetof(ours, own) && sizeof(((type *)0)->field) == sizeof(((ours *)0)->own), #type "." #field " is elsewhere")
AT(CUpti_CallbackData, callbackSite, CallbackData, site);
AT(CUpti_CallbackData, functionName, CallbackData, function);
AT(CUpti_CallbackData, functionParams, CallbackData, params);
AT(CUpti_CallbackData, functionReturnValue, CallbackData, result);
AT(CUpti_CallbackData, symbolName, CallbackData, symbol);
AT(CUpti_CallbackData, context, CallbackData, context);
AT(CUpti_CallbackData, contextUid, CallbackData, context_uid);
AT(CUpti_CallbackData, correlationData, CallbackData, own);
AT(CUpti_CallbackData, correlationId, CallbackData, correlation);
AT(CUlaunchConfig, gridDimX, LaunchConfig, grid[0]);
AT(CUlaunchConfig, blockDimX, LaunchConfig, block[0]);
AT(CUlaunchConfig, sharedMemBytes, LaunchConfig, shared);
AT(CUlaunchConfig, hStream, LaunchConfig, stream);
AT(CUDA_LAUNCH_PARAMS, function, LaunchParams, kernel.function);
AT(CUDA_LAUNCH_PARAMS, gridDimX, LaunchParams, kernel.grid[0]);
AT(CUDA_LAUNCH_PARAMS, hStream, LaunchParams, kernel.stream);
_Static_assert(sizeof(CUDA_LAUNCH_PARAMS) == sizeof(LaunchParams), "launches of several cards");
typedef __typeof__(*((Copy2D *)0)->box) Plane;
typedef __typeof__(*((Copy3D *)0)->box) Cube;
AT(CUDA_MEMCPY2D, WidthInBytes, Plane, width);
AT(CUDA_MEMCPY2D, Height, Plane, height);
AT(CUDA_MEMCPY3D, WidthInBytes, Cube, width);
AT(CUDA_MEMCPY3D, Height, Cube, height);
AT(CUDA_MEMCPY3D, Depth, Cube, depth);
AT(CUDA_MEMCPY3D_PEER, WidthInBytes, Cube, width);
AT(CUDA_MEMCPY3D_PEER, Depth, Cube, depth);
_Static_assert(CUPTI_CB_DOMAIN_DRIVER_API == DRIVER_API && sizeof(CUpti_CallbackDomain) == sizeof(Domain), "the domain");
_Static_assert(CUPTI_API_ENTER == API_ENTER && CUPTI_API_EXIT == API_EXIT, "the sites");
_Static_assert(CUPTI_SUCCESS == OK && CUPTI_ERROR_INSUFFICIENT_PRIVILEGES == ERROR_NO_PRIVILEGE && CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED == ERROR_OTHER_SUBSCRIBER, "the errors");
_Static_assert(CUPTI_DRIVER_TRACE_CBID_SIZE < CALLS, "there are more calls");
_Static_assert(CU_GRAPH_NODE_TYPE_KERNEL == 0 && CU_GRAPH_NODE_TYPE_MEMCPY == 1 && CU_GRAPH_NODE_TYPE_MEMSET == 2 && CU_GRAPH_NODE_TYPE_GRAPH == 4 && CU_GRAPH_NODE_TYPE_MEM_ALLOC == 10 && CU_GRAPH_NODE_TYPE_MEM_FREE == 11, "the nodes");
_Static_assert((unsigned long)CU_STREAM_PER_THREAD == 2 && CU_STREAM_CAPTURE_STATUS_NONE == 0, "streams");
`

var callNumber = regexp.MustCompile(`CUPTI_DRIVER_TRACE_CBID_(cu\w+)\s*=`)

// Every call of a CUPTI that the library reads arguments of has them where the library
// looks, of the size that it takes them for: the compiler holds them against each other.
// GPUCI_TEST_CUPTI_HEADERS names include directories of other CUDAs (of one, if they are
// several, by commas; of several by colons).
func TestLayoutOfArguments(t *testing.T) {
	sets := [][]string{{headers(t, "generated_cuda_meta.h")}}
	for _, set := range filepath.SplitList(os.Getenv("GPUCI_TEST_CUPTI_HEADERS")) {
		sets = append(sets, strings.Split(set, ","))
	}
	printer := filepath.Join(t.TempDir(), "print")
	if out, err := exec.Command("gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", printer, "testdata/layout/print.c", "inject/calls.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, dirs := range sets {
		t.Run(strings.Join(dirs, ","), func(t *testing.T) { checkLayout(t, printer, dirs) })
	}
}

func checkLayout(t *testing.T, printer string, dirs []string) {
	ids, err := os.ReadFile(filepath.Join(dirs[0], "cupti_driver_cbid.h"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range callNumber.FindAllStringSubmatch(string(ids), -1) {
		names = append(names, m[1])
	}
	cmd := exec.Command(printer)
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n"))
	known, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	meta, err := os.ReadFile(filepath.Join(dirs[0], "generated_cuda_meta.h"))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	fmt.Fprintf(&code, "#include <cuda.h>\n#include <cupti.h>\n#include %q\n#include %q\n%s", here(t, "inject/cupti.h"), here(t, "inject/calls.h"), always)
	seen := map[string]int{}
	for line := range strings.Lines(string(known)) {
		name, layout := asserts(t, &code, strings.Fields(line), string(meta))
		seen[layout]++
		if layout == "NONE" && strings.HasSuffix(name, "_v2") && strings.HasPrefix(name, "cuMemcpyHtoD") {
			t.Errorf("%s is not read", name)
		}
	}
	for layout := range fields {
		if seen[layout] == 0 {
			t.Errorf("no call has the layout %s", layout)
		}
	}
	compiles(t, code.String(), dirs)
	t.Logf("%d of %d calls: %v", len(strings.Split(strings.TrimSpace(string(known)), "\n")), len(names), seen)
}

// asserts writes those of one call: name, kind, layout, element, stream, per thread.
func asserts(t *testing.T, code *strings.Builder, w []string, meta string) (name, layout string) {
	name, layout = w[0], w[2]
	if layout == "GRAPH_ARGUMENTS" {
		layout = map[string]string{fmt.Sprint(int(GraphLaunch)): "GRAPH", fmt.Sprint(int(Instantiate)): "INSTANTIATE"}[w[1]]
	}
	_, body, _ := strings.Cut(meta, "typedef struct "+name+"_params_st {")
	body, _, _ = strings.Cut(body, "}")
	for _, f := range fields[layout] {
		theirs, ours, _ := strings.Cut(f, " ")
		structure, own, _ := strings.Cut(ours, ".")
		if name == "cuGraphLaunch" && theirs == "hGraphExec" {
			theirs = "hGraph" // as the headers call it in this one
		}
		if name == "cuGraphClone" {
			theirs = "phGraphClone"
		}
		if theirs == "dst" || theirs == "src" { // of which memory it is
			theirs = regexp.MustCompile(`\b` + theirs + `(Device|Host)?;`).FindString(body)
			theirs = strings.TrimSuffix(theirs, ";")
		}
		fmt.Fprintf(code, "_Static_assert(offsetof(%s_params, %s) == offsetof(%s, %s), %q);\n", name, theirs, structure, own, name+": "+theirs)
	}
	// Of a call that waits, or begins a capture, the stream is read by its own layout.
	inOrder := strings.HasPrefix(name, "cuMem") && layout != "NONE" && strings.Contains(body, "CUstream hStream;")
	if inOrder != (w[4] != "0") {
		t.Errorf("%s: its stream is at %s, and its arguments are %s", name, w[4], body)
	}
	if w[4] != "0" {
		fmt.Fprintf(code, "_Static_assert(offsetof(%s_params, hStream) == %s, %q);\n", name, w[4], name+": its stream")
	}
	for field, size := range map[string]string{"unsigned char uc;": "1", "unsigned short us;": "2", "unsigned int ui;": "4"} {
		if layout != "NONE" && strings.Contains(body, field) && w[3] != size {
			t.Errorf("%s sets elements of %s bytes, not %s", name, size, w[3])
		}
	}
	for _, field := range []string{"unsigned int ByteCount", "unsigned int bytesize", "unsigned int N;", "unsigned int Width", "CUdeviceptr_v1"} {
		if layout != "NONE" && strings.Contains(body, field) {
			t.Errorf("%s is read, and has %s", name, field)
		}
	}
	if perThread := strings.HasSuffix(name, "_ptsz") || strings.HasSuffix(name, "_ptds"); layout != "NONE" && perThread != (w[5] == "1") {
		t.Errorf("%s: a stream of the thread: %s", name, w[5])
	}
	return name, layout
}

func here(t *testing.T, file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func compiles(t *testing.T, code string, dirs []string) {
	path := filepath.Join(t.TempDir(), "layout.c")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-std=gnu11", "-Wno-deprecated-declarations", "-fsyntax-only"}
	for _, dir := range dirs {
		args = append(args, "-isystem", dir)
	}
	if out, err := exec.Command("gcc", append(args, path)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
