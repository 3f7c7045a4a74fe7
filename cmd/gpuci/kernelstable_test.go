package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gpuci/kernels/entry"
)

// longKernels differ in their middle, in their ends, and in letters that move tables.
func longKernels() []entry.Kernel {
	n := func(i int) *int { return &i }
	var list []entry.Kernel
	for i, name := range []string{
		"void cutlass::device_kernel<cutlass::gemm::kernel::Gemm<float, 128, 64> >(Params)",
		"void cutlass::device_kernel<cutlass::gemm::kernel::Gemm<double, 128, 64> >(Params)",
		"void cutlass::device_kernel<cutlass::conv::kernel::Conv<float, 32> >(Params)", "step", "tab\there", "c1\u009bhere", "bell\ahere",
	} {
		list = append(list, entry.Kernel{
			Name: fmt.Sprint("_Z", i), Readable: name, Registers: n(i), Stack: n(0), Shared: n(49152), Barriers: n(1), Code: n(10 - i),
			ParamsKnown: true, ParamBytes: n(4096), MaxThreads: []int{1024, 1, 1}, SpillStores: n(2 * i), SpillLoads: n(0), AtomicsKnown: true,
		})
	}
	return list
}

// A table fits the terminal, each of its rows is another, and a pipe gets whole names.
func TestKernelTable(t *testing.T) {
	list := longKernels()
	for _, width := range []int{0, leastWidth, 60, 80, 120, 200} {
		text := kernelView{width: width}.table(list)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) != len(list)+1 {
			t.Fatalf("%d columns: %d lines of %d kernels:\n%s", width, len(lines), len(list), text)
		}
		names := make(map[string]bool)
		for i, line := range lines[1:] {
			if width > 0 && utf8.RuneCountInString(line) > width {
				t.Errorf("%d columns: a line of %d:\n%s", width, utf8.RuneCountInString(line), line)
			}
			if width == 0 && i < 4 && !strings.Contains(line, list[i].Readable) {
				t.Errorf("a name is cut in a pipe: %s", line)
			}
			name, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			names[name] = true
			if strings.ContainsAny(line, "\t\a\u009b") {
				t.Errorf("a letter that moves the terminal: %q", line)
			}
		}
		if !strings.Contains(lines[0], "regs") || !strings.Contains(lines[0], "spill") {
			t.Errorf("%d columns: %s", width, lines[0])
		}
		if len(names) != len(list) {
			t.Errorf("%d columns: rows are alike:\n%s", width, text)
		}
	}
}

// The largest is the first, and what is not known the last.
func TestKernelOrder(t *testing.T) {
	list := append(longKernels(), entry.Kernel{Name: "unknown"})
	for key, first := range map[string]string{"registers": "bell\ahere", "spill": "bell\ahere", "code": list[0].Readable, "shared": list[0].Readable, "name": "bell\ahere"} {
		got := kernelView{sort: key}.sorted(list)
		if shownKernel(got[0]) != first {
			t.Errorf("by %s %q is the first", key, shownKernel(got[0]))
		}
		if key != "name" && got[len(got)-1].Name != "unknown" {
			t.Errorf("by %s %q is the last", key, shownKernel(got[len(got)-1]))
		}
		if list[0].Name != "_Z0" {
			t.Errorf("sorting by %s changed the module", key)
		}
	}
	if len(kernelOrders()) != 5 {
		t.Errorf("%q", kernelOrders())
	}
}

// JSON of names that somebody chose has nothing that a terminal takes for a command.
func TestDeviceLine(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out}
	if err := a.moduleLines("s", []entry.Module{{File: "a\u0085b", Kernels: longKernels()}}); err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc([]rune(out.String()), func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 }); i >= 0 || !strings.Contains(out.String(), `c1\u009bhere`) {
		t.Errorf("a control character at %d: %q", i, out.String())
	}
}

func TestDistinct(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("void a::b<%030d, %d, %030d>(x)", 0, i, 0), strings.Repeat("x", 50)+fmt.Sprint(i%2)+strings.Repeat("y", 50))
	}
	for _, most := range []int{leastName, 20, 40} {
		seen := make(map[string]bool)
		for _, n := range distinct(names, most) {
			if seen[n] || utf8.RuneCountInString(n) > most {
				t.Errorf("%d letters: %q", most, n)
			}
			seen[n] = true
		}
	}
}

func TestShorter(t *testing.T) {
	for _, most := range []int{3, 4, 9, 10, 30} {
		got := shorter("namespace::kernel<float>", most)
		if n := utf8.RuneCountInString(got); n != min(most, 24) || most < 24 && (!strings.HasPrefix(got, "n") || !strings.HasSuffix(got, ">")) {
			t.Errorf("%d letters: %q", most, got)
		}
	}
}
