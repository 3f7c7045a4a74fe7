//go:build linux

package main_test

import (
	"path/filepath"
	"testing"
)

// Programs called by their names, out of a Makefile.

// made is a Makefile with 18 links; see testdata/matrix/make.txtar.
func made(vars ...string) project {
	return project{
		archive: "make", tools: []string{"make", "gcc"}, links: 18,
		build: append([]string{"make", "-j8"}, vars...), clean: []string{"make", "clean"},
		products: []string{"bin/*", "obj/*.o"}, did: `-o \S+`,
	}
}

func TestMatrixMake(t *testing.T) { made("CC=gcc").showSlots(t, true) }

// TestMatrixMakeAbsolute: only the ld shim, found through COMPILER_PATH, can
// see these.
func TestMatrixMakeAbsolute(t *testing.T) {
	gcc, err := lookPath(bareEnv(), "gcc")
	if err != nil {
		needs(t, "gcc")
	}
	made("CC=" + gcc).show(t)
}

func TestMatrixMold(t *testing.T) {
	p := made("CC=gcc -fuse-ld=mold")
	p.tools = append(p.tools, "mold")
	p.show(t)
}

// TestMatrixMoldRun: mold -run is no link but has every ld below it replaced,
// by the real mold's absolute path. Who calls the linker by a compiler is caught
// there; who calls ld itself below mold -run gets past us, and is left out.
func TestMatrixMoldRun(t *testing.T) {
	p := made("direct=")
	p.tools, p.links = append(p.tools, "mold"), p.links-1
	p.build = append([]string{"mold", "-run"}, p.build...)
	p.show(t)
}

func TestMatrixLTO(t *testing.T) {
	project{
		archive: "lto", tools: []string{"make", "gcc"}, links: 10,
		build: []string{"make", "-j8"}, clean: []string{"make", "clean"},
		products: []string{"bin/*"}, did: `-o \S+`,
	}.show(t)
}

func TestMatrixNVCC(t *testing.T) {
	nvcc, err := lookPath(bareEnv(), "nvcc")
	if err != nil {
		needs(t, "nvcc")
	}
	project{
		archive: "nvcc", tools: []string{"make", "g++"}, links: 4*2 + 1 + 2,
		env:   []string{"CUDA_LIB=" + filepath.Join(filepath.Dir(nvcc), "..", "lib")},
		build: []string{"make", "-j8"}, clean: []string{"make", "clean"},
		products: []string{"bin/*", "obj/*.o"}, did: `-o \S+`,
	}.show(t)
}

// TestMatrixOtherLinkers is for the long form: what is left of the linkers.
func TestMatrixOtherLinkers(t *testing.T) {
	if !soak() {
		t.Skip("the long form only: GPUCI_SOAK=1")
	}
	for linker, cc := range map[string]string{
		"ld.gold": "gcc -fuse-ld=gold", "ld.bfd": "gcc -fuse-ld=bfd", "ld.lld": "clang -fuse-ld=lld", "clang": "clang",
	} {
		t.Run(linker, func(t *testing.T) {
			p := made("CC=" + cc)
			p.tools = append(p.tools, linker, "clang")
			p.show(t)
		})
	}
}
