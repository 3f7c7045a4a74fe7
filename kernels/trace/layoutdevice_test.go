package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newest finds the structure that a CUPTI writes for a record: that of the highest number.
func newest(t *testing.T, header, name string) string {
	t.Helper()
	found := regexp.MustCompile(`\} (`+name+`\d*);`).FindAllStringSubmatch(header, -1)
	if len(found) == 0 {
		t.Fatalf("the headers have no %s", name)
	}
	return found[len(found)-1][1] // older ones are in another header
}

// recordAsserts is where the library, and the stand-in, have what is read of a record.
var recordAsserts = []struct {
	theirs, ours, standin string
	fields                []string // of theirs, ours, the stand-in
}{
	{"CUpti_ActivityKernel", "KernelRecord", "KernelRan", []string{"kind kind kind", "start start start", "end end end", "deviceId device device", "contextId context context", "streamId stream stream", "correlationId correlation correlation", "name name name"}},
	{"CUpti_ActivityMemcpy", "CopyRecord", "CopyRan", []string{"kind kind kind", "copyKind copy way", "bytes bytes bytes", "start start start", "end end end", "deviceId device device", "contextId context context", "streamId stream stream", "correlationId correlation correlation"}},
	{"CUpti_ActivityMemset", "SetRecord", "SetRan", []string{"kind kind kind", "bytes bytes bytes", "start start start", "end end end", "deviceId device device", "contextId context context", "streamId stream stream", "correlationId correlation correlation"}},
	{"CUpti_ActivityGraphTrace", "GraphRecord", "GraphRan", []string{"kind kind kind", "correlationId correlation correlation", "start start start", "end end end", "deviceId device device", "graphId graph graph", "contextId context context", "streamId stream stream"}},
}

// What is read of CUPTI's records stands where its headers have it, and the stand-in's are
// as long as CUPTI 13.0's.
func TestLayoutOfRecords(t *testing.T) {
	own := headers(t, "cupti_activity.h")
	sets := [][]string{{own}}
	for _, set := range filepath.SplitList(os.Getenv("GPUCI_TEST_CUPTI_HEADERS")) {
		sets = append(sets, strings.Split(set, ","))
	}
	for _, dirs := range sets {
		header, err := os.ReadFile(filepath.Join(dirs[0], "cupti_activity.h"))
		if err != nil {
			t.Fatal(err)
		}
		var code strings.Builder
		fmt.Fprintf(&code, "#include <cuda.h>\n#include <cupti.h>\n#include %q\n#include %q\n#include %q\n", here(t, "inject/cupti.h"), here(t, "inject/record.h"), here(t, "tracetest/standin/work.h"))
		code.WriteString(`
_Static_assert(CUPTI_ACTIVITY_KIND_MEMCPY == OF_COPY && CUPTI_ACTIVITY_KIND_MEMSET == OF_SET && CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == OF_KERNEL && CUPTI_ACTIVITY_KIND_GRAPH_TRACE == OF_GRAPH, "the kinds");
_Static_assert(RAN_COPY == OF_COPY && RAN_SET == OF_SET && RAN_KERNEL == OF_KERNEL && RAN_GRAPH == OF_GRAPH, "the stand-in's kinds");
_Static_assert(CUPTI_ERROR_MAX_LIMIT_REACHED == ERROR_END && CUPTI_ACTIVITY_FLAG_FLUSH_FORCED == 1, "flushing");
_Static_assert(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD == 1 && CUPTI_ACTIVITY_MEMCPY_KIND_DTOH == 2 && CUPTI_ACTIVITY_MEMCPY_KIND_DTOD == 8 && CUPTI_ACTIVITY_MEMCPY_KIND_HTOH == 9 && CUPTI_ACTIVITY_MEMCPY_KIND_PTOP == 10, "ways");
_Static_assert(sizeof(Work) == 48 && offsetof(Work, kind) == 42 && offsetof(Work, name) == 36, "what is written");
static void typed(CUpti_BuffersCallbackRequestFunc a, CUpti_BuffersCallbackCompleteFunc b) {
	BufferRequested x = a;
	BufferCompleted y = (BufferCompleted)b;
	(void)x, (void)y;
}
`)
		for _, r := range recordAsserts {
			theirs := newest(t, string(header), r.theirs)
			for _, f := range r.fields {
				w := strings.Fields(f)
				for ours, field := range map[string]string{r.ours: w[1], r.standin: w[2]} {
					fmt.Fprintf(&code, "_Static_assert(offsetof(%s, %s) == offsetof(%s, %s) && sizeof(((%[1]s *)0)->%[2]s) == sizeof(((%[3]s *)0)->%[4]s), \"%[1]s: %[2]s\");\n", theirs, w[0], ours, field)
				}
			}
			if dirs[0] == own {
				fmt.Fprintf(&code, "_Static_assert(sizeof(%s) == sizeof(%s), \"%[1]s: its size\");\n", theirs, r.standin)
			}
		}
		compiles(t, code.String(), dirs)
	}
}
