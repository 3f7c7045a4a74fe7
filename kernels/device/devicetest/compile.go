package devicetest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

//go:embed standin/nvml.c
var source []byte

// built are the two programs, compiled once in a test binary.
type built struct {
	library, smi []byte
}

var compiled = sync.OnceValues(compile)

func compile() (b built, err error) {
	dir, err := os.MkdirTemp("", "gpuci-standin-")
	if err != nil {
		return b, err
	}
	defer os.RemoveAll(dir)
	c := filepath.Join(dir, "standin.c")
	if err := os.WriteFile(c, source, 0o600); err != nil {
		return b, err
	}
	if b.library, err = gcc(c, dir+"/library", "-fPIC", "-shared"); err != nil {
		return b, err
	}
	b.smi, err = gcc(c, dir+"/smi", "-DSMI")
	return b, err
}

func gcc(c, out string, flags ...string) ([]byte, error) {
	args := append([]string{"-O1", "-w", "-o", out}, append(flags, c)...)
	if text, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile the stand-in driver: %w\n%s", err, text)
	}
	return os.ReadFile(out)
}
