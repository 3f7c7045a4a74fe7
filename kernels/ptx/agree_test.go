package ptx

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/cubin"
	"gpuci/kernels/entry"
)

// nvcc is the compiler's path; the test ends where there is none.
func nvcc(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("nvcc")
	if err != nil && os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs nvcc")
	}
	if err != nil {
		t.Skip("needs nvcc")
	}
	return path
}

// both compiles a source of kernels/cubin/testdata for an architecture, "90", and gives
// the cubin and the PTX that it was made from.
func both(t *testing.T, source, arch string, flags ...string) (code, text entry.Module) {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"-cubin", "-std=c++17", "-arch=sm_" + arch, "-keep", "-keep-dir", dir, "-o", filepath.Join(dir, "out"), "../cubin/testdata/" + source}, flags...)
	if said, err := exec.CommandContext(t.Context(), nvcc(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("nvcc: %v\n%s", err, said)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	code, err := cubin.Parse(read("out"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err = Parse(read(strings.TrimSuffix(source, ".cu") + ".ptx")); err != nil {
		t.Fatal(err)
	}
	return code, text
}

// verdicts are what there is to be found of float atomics, by source and kernel: in
// PTX and in a cubin, where these differ. An addition in shared memory is a loop of
// compare-and-swap in a cubin.
var verdicts = map[string]map[string]string{
	"calls.cu": {
		"quiet": "none", "prints": "none", "asserts": "none", "allocates": "none", "divides": "none", "direct": "none",
		"recurs": "none", "logs": "none", "counts": "none", "adds": "some", "logsandadds": "some", "swaps": "unknown",
		"sharesfloats": "some",
	},
	"pointers.cu":  {"bytable": "some", "quiet": "none"},
	"objects.cu":   {"byobject": "none", "makes": "none"},
	"arguments.cu": {"byargument": "unknown", "byobject": "unknown"},
}

func verdict(k entry.Kernel) string {
	switch {
	case len(k.Atomics) > 0:
		return "some"
	case k.AtomicsKnown:
		return "none"
	}
	return "unknown"
}

// TestSameOfBothKinds: of one source, PTX and the cubin made from it say the same of
// float atomics, on every architecture, whatever else of the module prints, divides,
// allocates, or calls through a pointer.
func TestSameOfBothKinds(t *testing.T) {
	known, err := exec.CommandContext(t.Context(), nvcc(t), "--list-gpu-code").Output()
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, arch := range []string{"75", "80", "90", "100", "120"} {
		if !bytes.Contains(known, []byte("sm_"+arch+"\n")) {
			continue
		}
		tried++
		for source, kernels := range verdicts {
			code, text := both(t, source, arch)
			for i, m := range []entry.Module{text, code} {
				if len(m.Kernels) != len(kernels) || len(m.Unread) > 0 || m.ToLink {
					t.Errorf("%s of %s for sm_%s: %d kernels, unread %q, to link %v", m.Kind, source, arch, len(m.Kernels), m.Unread, m.ToLink)
				}
				for _, k := range m.Kernels {
					words := strings.Fields(kernels[k.Name])
					if want := words[min(i, len(words)-1)]; verdict(k) != want || k.AtomicsKnown == (k.AtomicsWhy != "") {
						t.Errorf("%s of %s for sm_%s: %s has %s float atomics %v, known %v %q; want %s", m.Kind, source, arch, k.Name, verdict(k), k.Atomics, k.AtomicsKnown, k.AtomicsWhy, want)
					}
				}
			}
		}
	}
	if tried < 3 {
		t.Errorf("%d architectures were tried", tried)
	}
}

// TestSameBeforeLinking: in code that is to be linked, a pointer may mean what another
// file brings, and what a function does is known where it is at hand.
func TestSameBeforeLinking(t *testing.T) {
	for source, want := range map[string]map[string]string{
		"calls.cu": verdicts["calls.cu"], "pointers.cu": {"bytable": "unknown", "quiet": "none"}, "arguments.cu": verdicts["arguments.cu"],
	} {
		code, text := both(t, source, "90", "-rdc=true")
		if !code.ToLink {
			t.Errorf("%s: the cubin is not said to be linked yet", source)
		}
		for i, m := range []entry.Module{text, code} {
			for _, k := range m.Kernels {
				words := strings.Fields(want[k.Name])
				got := verdict(k)
				if !k.AtomicsKnown && words[0] == "unknown" {
					got = "unknown" // beside those that are found
				}
				if got != words[min(i, len(words)-1)] {
					t.Errorf("%s of %s: %s has %s float atomics, %q; want %s", m.Kind, source, k.Name, got, k.AtomicsWhy, want[k.Name])
				}
			}
		}
	}
}

// TestAgreesWithTheCubin compiles one source both ways: the parameters that PTX
// declares must be those that the cubin has, and bounds and float atomics too.
func TestAgreesWithTheCubin(t *testing.T) {
	code, text := both(t, "plain.cu", "80")
	if len(text.Kernels) != len(code.Kernels) || len(text.Kernels) < 15 || !strings.HasPrefix(text.Tool, "nvcc V") {
		t.Errorf("%d kernels in PTX of %q, %d in the cubin", len(text.Kernels), text.Tool, len(code.Kernels))
	}
	by := map[string]entry.Kernel{}
	for _, k := range code.Kernels {
		by[k.Name] = k
	}
	for _, k := range text.Kernels {
		if got, want := plain(k), plain(by[k.Name]); got != want {
			t.Errorf("%s\nPTX   %s\ncubin %s", k.Name, got, want)
		}
	}
}

// TestClustersAgree holds both against the source.
func TestClustersAgree(t *testing.T) {
	code, text := both(t, "clusters.cu", "90")
	want := map[string]string{"fixed": "[2 4 1] true 0", "any": "[] true 0", "ranked": "[] false 4", "alone": "[] false 0"}
	for _, m := range []entry.Module{text, code} {
		if len(m.Kernels) != len(want) {
			t.Errorf("%s: %d kernels", m.Kind, len(m.Kernels))
		}
		for _, k := range m.Kernels {
			if got := fmt.Sprintf("%v %v %d", k.Cluster, k.InClusters, k.MaxCluster); got != want[k.Name] {
				t.Errorf("%s: %s in clusters %s, want %s", m.Kind, k.Name, got, want[k.Name])
			}
		}
	}
}

// plain is what a kernel has in both, as text.
func plain(k entry.Kernel) string {
	var b bytes.Buffer
	for _, p := range k.Params {
		fmt.Fprintf(&b, "%d+%d ", p.Offset, p.Size)
	}
	fmt.Fprint(&b, *k.ParamBytes, k.ParamsKnown, k.MaxThreads, len(k.Atomics), k.AtomicsKnown)
	return b.String()
}
