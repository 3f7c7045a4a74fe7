//go:build cgo

package device_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"strings"
	"testing"

	"gpuci/kernels/device"
)

// TestNoLooseSymbols: a program with this package in it starts where there is no
// driver, however it is linked and started.
func TestNoLooseSymbols(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	if err != nil || len(symbols) == 0 {
		t.Fatalf("%d imported symbols: %v", len(symbols), err)
	}
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "nvml") {
			t.Errorf("%s is left to the loader: add it to nvmlnames.h", s.Name)
		}
	}
	cmd := &exec.Cmd{Path: exe, Args: []string{device.Child}, Env: append(os.Environ(), "LD_BIND_NOW=1")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("with LD_BIND_NOW: %v: %.300s", err, out)
	}
}
