package trace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// asks prints a CUPTI's names of the driver's calls, with their numbers.
const asks = `
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **argument) {
	void *library = n > 1 ? dlopen(argument[1], RTLD_NOW) : 0;
	int (*name)(int, unsigned, const char **) = library ? (int (*)(int, unsigned, const char **))dlsym(library, "cuptiGetCallbackName") : 0;
	if (!name) return puts(dlerror()), 1;
	for (unsigned id = 1; id < 2048; id++) {
		const char *text = 0;
		if (!name(1, id, &text) && text) printf("%s = %u\n", text, id);
	}
	return 0;
}
`

var callIDs = regexp.MustCompile(`CUPTI_DRIVER_TRACE_CBID_(cu\w+)\s*=\s*(\d+)`)

// realCUPTI is NVIDIA's own, of the packages that have its headers.
func realCUPTI(t *testing.T) (library, include string) {
	t.Helper()
	include = headers(t, "cupti_driver_cbid.h")
	library = filepath.Join(include, "../lib/libcupti.so.13")
	if _, err := os.Stat(library); err != nil {
		missing(t, err.Error())
	}
	return library, include
}

// NVIDIA's CUPTI loads without a driver and names the calls as its headers do: by those
// names the library knows them, and their arguments.
func TestNamesOfCUPTI(t *testing.T) {
	library, include := realCUPTI(t)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/ask.c", []byte(asks), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-o", dir+"/ask", dir+"/ask.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(dir+"/ask", library).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(include, "cupti_driver_cbid.h"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range callIDs.FindAllStringSubmatch(string(text), -1) {
		want = append(want, fmt.Sprintf("%s = %s", m[1], m[2]))
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(want) < 700 {
		t.Errorf("the headers have %d calls", len(want))
	}
	same(t, got, want...)
}

// NVIDIA's CUPTI does not attach to a driver that is none: the program runs on.
func TestCUPTIWithoutADriver(t *testing.T) {
	library, _ := realCUPTI(t)
	box := tracetest.Start(t, tracetest.Options{})
	box.HideCUPTI()
	if err := os.Symlink(library, box.CUPTI()); err != nil {
		t.Fatal(err)
	}
	p := play(t, box, "init", "device 0", "launch k 1 1", "say on", "exit 3")
	if p.code != 3 || p.out != "on\n" || p.err != nil || len(p.Processes) != 1 {
		t.Fatalf("%d, %v: %s", p.code, p.err, p.out)
	}
	if one := p.Processes[0]; one.State != Refused || one.CUPTI < 130000 || one.Error == 0 || !strings.HasPrefix(one.Why, "CUPTI does not attach: CUPTI_ERROR_") {
		t.Errorf("%+v", one)
	}
}
