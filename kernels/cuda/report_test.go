package cuda_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// The reports in testdata/report that end in -h200 are those of compute-sanitizer 2025.3.1
// on an H200: `compute-sanitizer --tool TOOL --log-file FILE gpuci-cuda` around the
// canaries, of synccheck around a program with the same kernel; of initcheck's 72 errors
// two are left. The others are written
// after the samples of NVIDIA's Compute Sanitizer User Manual.
func TestParseReport(t *testing.T) {
	for file, want := range map[string][]string{
		"memcheck-clean": {}, "racecheck-clean": {}, "memcheck-calls": {}, // calls that failed are no accesses
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
			"divergent-barrier kda_forward kda_forward.cu:60 1 synccheck: Barrier error detected. Divergent thread(s) in block in kda_forward at kda_forward.cu:60, thread (32,0,0) of block (0,0,0)",
		},
		"memcheck-h200": {
			"out-of-bounds canary_out_of_bounds canary.cu:55 1 memcheck: Invalid __global__ read of size 4 bytes in canary_out_of_bounds at canary.cu:55, thread (63,0,0) of block (0,0,0), Access to 0x7f549c800100 is out of bounds",
		},
		"racecheck-h200": {
			"race canary_race canary.cu:8 256 racecheck: Error: Race reported between Write access at canary_race+0xe0 in canary.cu:8, and canary.cu:9, 256 times",
		},
		"initcheck-h200": {
			"uninitialised canary_uninitialised canary.cu:36 1 initcheck: Uninitialized __global__ memory read of size 4 bytes in canary_uninitialised at canary.cu:36, thread (0,0,0) of block (0,0,0), Address 0x7f3bc4800200",
			"uninitialised canary_uninitialised canary.cu:36 1 initcheck: Uninitialized __global__ memory read of size 4 bytes in canary_uninitialised at canary.cu:36, thread (1,0,0) of block (0,0,0), Address 0x7f3bc4800204",
		},
		"memcheck-unknown": {"out-of-bounds   3 memcheck: 3 errors, which its report names in words that are not known here"},
		"synccheck-h200":   halfWarp(),
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
		"no head":         "========= ERROR SUMMARY: 0 errors\n",
		"two heads":       "========= COMPUTE-SANITIZER\n========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n",
		"not looked at":   "========= COMPUTE-SANITIZER\n========= Unable to patch module, kernel not instrumented\n========= ERROR SUMMARY: 0 errors\n",
		"nor here":        "========= COMPUTE-SANITIZER\n=========     Failed to instrument kernel kda_bk1\n========= ERROR SUMMARY: 1 error\n",
		"unknown":         "========= COMPUTE-SANITIZER\n========= Something new of a later version\n========= ERROR SUMMARY: 0 errors\n",
		"and behind it":   "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n========= Something new of a later version\n",
		"another tool's":  "========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n",
		"of the program":  "========= COMPUTE-SANITIZER\nERROR SUMMARY: 0 errors\n",
	} {
		if list, err := cuda.ParseReport(cuda.Memcheck, text); !errors.As(err, new(*cuda.ReportError)) {
			t.Errorf("%s: %v, %v; want an error", name, list, err)
		}
	}
	for _, text := range []string{read(t, "memcheck-clean"), read(t, "memcheck-clean") + "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"} {
		if _, err := cuda.ParseReport(cuda.Racecheck, text); !errors.As(err, new(*cuda.ReportError)) {
			t.Errorf("another tool's report is taken for racecheck's: %v", err)
		}
	}
}

// TestParseReportSummaries: of two summaries the worse one counts, whichever comes last.
func TestParseReportSummaries(t *testing.T) {
	const some, none = "========= ERROR SUMMARY: 3 errors\n", "========= ERROR SUMMARY: 0 errors\n"
	const race, calm = "========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)\n", "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"
	for text, count := range map[string]int{some + none: 3, none + some: 3, race + calm: 2, calm + race: 2} {
		tool := cuda.Memcheck
		if count == 2 {
			tool = cuda.Racecheck
		}
		list, err := cuda.ParseReport(tool, "========= COMPUTE-SANITIZER\n"+text)
		if err != nil || len(list) != 1 || list[0].Count != count {
			t.Errorf("%q: %v, %v", text, list, err)
		}
	}
}

// halfWarp are the findings of half a warp at a barrier, one for each of its threads.
func halfWarp() (list []string) {
	for n := 16; n < 32; n++ {
		list = append(list, fmt.Sprintf("divergent-barrier half_warp_misses sync.cu:9 1 synccheck: Barrier error detected. Divergent thread(s) in warp in half_warp_misses at sync.cu:9, thread (%d,0,0) of block (0,0,0)", n))
	}
	return list
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
			if err == nil && (!strings.Contains(text, "SUMMARY: ") || !strings.Contains(text, "COMPUTE-SANITIZER")) {
				t.Errorf("%s: read without a head or a summary: %q", tool, text)
			}
			for _, f := range list {
				if f.Count < 1 || f.Kind == "" || f.Text == "" || f.Line < 0 {
					t.Errorf("%s: finding %+v", tool, f)
				}
			}
		}
	})
}
