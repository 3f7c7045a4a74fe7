package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// The reports in testdata/report are written after the samples of NVIDIA's Compute
// Sanitizer User Manual; none of them was taken from a card.
func TestParseReport(t *testing.T) {
	for file, want := range map[string][]string{
		"memcheck-clean": {}, "racecheck-clean": {},
		"memcheck": {
			"out-of-bounds kda_forward kda_forward.cu:41 1 memcheck: Invalid __global__ read of size 4 bytes in kda_forward at kda_forward.cu:41, thread (255,0,0) of block (3,0,0), Address 0x7f0a5be00400 is out of bounds",
			"out-of-bounds kda_bk2  1 memcheck: Invalid __shared__ write of size 16 bytes in kda_bk2, thread (0,1,0) of block (0,0,0), Address 0x1f000 is out of bounds",
		},
		"racecheck": {
			"race kda_bk1 kda_bk1.cu:88 31 racecheck: Error: Race reported between Write access at kda_bk1+0x9c0 in kda_bk1.cu:88, and kda_bk1.cu:97, 31 times",
		},
		"initcheck": {
			"uninitialised kda_bk2 kda_bk2.cu:20 1 initcheck: Uninitialized __global__ memory read of size 4 bytes in kda_bk2 at kda_bk2.cu:20, thread (3,0,0) of block (1,0,0), Address 0x7f0a5be01000",
		},
		"synccheck": {
			"divergent-barrier kda_forward kda_forward.cu:60 1 synccheck: Barrier error detected. Divergent thread(s) in block. in kda_forward at kda_forward.cu:60, thread (32,0,0) of block (0,0,0)",
		},
		"memcheck-unknown": {"out-of-bounds   3 memcheck: 3 errors, which its report names in words that are not known here"},
	} {
		tool, _, _ := strings.Cut(file, "-")
		list, err := cuda.ParseReport(cuda.Tool(tool), read(t, file))
		if err != nil || len(list) != len(want) {
			t.Errorf("%s: %d findings %v, want %d; %v", file, len(list), list, len(want), err)
			continue
		}
		for i, f := range list {
			if got := line(f); got != want[i] {
				t.Errorf("%s: finding %d is\n%q, want\n%q", file, i+1, got, want[i])
			}
		}
	}
}

// TestParseReportBroken: what breaks off, is empty or speaks of the tool itself proves
// nothing.
func TestParseReportBroken(t *testing.T) {
	whole := read(t, "memcheck")
	for name, text := range map[string]string{
		"empty": "", "of a program that printed": "hello\n",
		"cut off":         whole[:strings.Index(whole, "========= ERROR SUMMARY")],
		"its own failure": "========= COMPUTE-SANITIZER\n========= Internal Sanitizer Error: The Sanitizer encountered an error while loading\n========= ERROR SUMMARY: 0 errors\n",
		"no card":         "========= COMPUTE-SANITIZER\n========= Error: No attached devices\n========= ERROR SUMMARY: 0 errors\n",
		"never began":     "========= COMPUTE-SANITIZER\n========= Error: Target application terminated before first instrumented API call\n========= ERROR SUMMARY: 0 errors\n",
	} {
		if list, err := cuda.ParseReport(cuda.Memcheck, text); !errors.As(err, new(*cuda.ReportError)) {
			t.Errorf("%s: %v, %v; want an error", name, list, err)
		}
	}
	if _, err := cuda.ParseReport(cuda.Racecheck, read(t, "memcheck-clean")); !errors.As(err, new(*cuda.ReportError)) {
		t.Errorf("another tool's report is taken for racecheck's: %v", err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "report", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func line(f launch.Finding) string {
	at := ""
	if f.File != "" {
		at = f.File + ":" + strconv.Itoa(f.Line)
	}
	return strings.Join([]string{string(f.Kind), f.Kernel, at, strconv.Itoa(f.Count), f.Text}, " ")
}

// FuzzParseReport: no text panics, none without a summary is clean, and counts are
// positive.
func FuzzParseReport(f *testing.F) {
	names, err := filepath.Glob("testdata/report/*.txt")
	if err != nil || len(names) == 0 {
		f.Fatalf("reports: %v, %v", names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range cuda.Tools() {
			list, err := cuda.ParseReport(tool, text)
			if err == nil && !strings.Contains(text, "SUMMARY: ") {
				t.Errorf("%s: clean without a summary: %q", tool, text)
			}
			for _, f := range list {
				if f.Count < 1 || f.Kind == "" || f.Text == "" || f.Line < 0 {
					t.Errorf("%s: finding %+v", tool, f)
				}
			}
		}
	})
}
