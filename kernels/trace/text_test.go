package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// pretended forges a training run of many kernels: forward, backward and an optimiser that
// launches two small kernels for each parameter.
func pretended(t testing.TB, planted bool) *forge {
	f := newForge(t)
	f.name("D", "1\t0\tGPU-1\tNVIDIA H200")
	long := f.kernel("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_", 1024)
	gemm, norm := f.kernel("ampere_sgemm_128x64_nn", 96), f.kernel("triton_per_fused_native_layer_norm_0", 512)
	mul, decay := f.kernel("_Z9adam_stepPfS_fi", 12), f.kernel("_Z12weight_decayPffi", 12)
	g := f.graph(55)
	f.event(Instantiate, 0, g, 0, 1)
	f.alloc(2 << 30)
	for step := range 30 {
		f.push(fmt.Sprintf("step %d", step))
		for layer := range 6 {
			for range 2 {
				f.launch(norm)
				f.wait(5 * time.Microsecond)
				f.launch(gemm)
				f.wait(time.Duration(6+(step+layer)%5) * time.Microsecond)
			}
			f.launch(long)
			f.wait(7 * time.Microsecond)
		}
		f.longer(20*time.Microsecond, func() { f.event(GraphLaunch, 0, g, 7, 1) })
		for range 24 {
			f.launch(mul)
			f.wait(8 * time.Microsecond)
			f.launch(decay)
			f.wait(8 * time.Microsecond)
		}
		if planted {
			f.alloc(1 << 16)
			f.launch(long)
		}
		f.copy("cuMemcpyDtoHAsync_v2", 4)
		f.sync(time.Duration(200+step) * time.Microsecond)
		f.pop()
		if step%10 == 9 {
			f.push("eval")
			f.launch(gemm)
			f.sync(90 * time.Microsecond)
			f.pop()
		}
	}
	return f
}

// golden holds a text against the file that has it; GPUCI_GOLDEN=write writes it.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "text", name)
	if os.Getenv("GPUCI_GOLDEN") == "write" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s is otherwise; it is now:\n%s", path, text)
	}
}

// runOf is a recording with what was run.
func runOf(t *testing.T, f *forge) Report {
	r := f.report(Counting{})
	r.Dir = "traces/7"
	began := time.Date(2026, 12, 1, 2, 0, 0, 0, time.Local)
	r.Run = &Meta{Command: []string{"python3", "train.py", "--small"}, Began: began, Ended: began.Add(12 * time.Second), Lane: "main", Commit: "0123456789abcdef", Host: "box"}
	return r
}

func TestText(t *testing.T) {
	r := runOf(t, pretended(t, false))
	for name, page := range map[string]Page{"report.txt": {}, "wide.txt": {Width: 140}, "brief.txt": {Brief: true}} {
		var b strings.Builder
		if err := r.Text(&b, page); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > page.width() {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}

func TestDiffText(t *testing.T) {
	a, b := runOf(t, pretended(t, false)), runOf(t, pretended(t, true))
	b.Dir, b.Run.Lane = "traces/8", "leaky"
	var text strings.Builder
	if err := Diff(a, b).Text(&text, Page{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "diff.txt", text.String())
}

func TestUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 999: "999 ns", 4120: "4.12 us", 99949: "99.9 us", 99951: "100 us", 1500 * time.Microsecond: "1.50 ms", 90 * time.Second: "90.0 s", -4100: "-4.10 us",
	} {
		if got := short(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 4: "4 B", 1023: "1023 B", 4096: "4 KiB", 5000: "4.88 KiB", 1 << 30: "1 GiB", 3 << 29: "1.50 GiB", -1 << 20: "-1 MiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 113: "113th"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if got := fit("abcdefghijklmnop", 9); got != "abcde…nop" {
		t.Error(got)
	}
	if a, b := perStep(12, 3), perStep(13, 4); a != "4" || b != "3.25" {
		t.Error(a, b)
	}
}
