package tracetest

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
)

//go:embed standin/*.c standin/*.h
var sources embed.FS

// Options are how the stand-in is compiled.
type Options struct {
	CC      string   // "": gcc
	Flags   []string // more of them, as -fsanitize=thread
	Include string   // the directory that has nvtx3/nvToolsExt.h; "": there are no ranges
}

// parts are the files, and what makes them.
var parts = []struct {
	to, from string
	flags    []string
}{
	{"lib/libcuda.so.1", "driver*.c", []string{"-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-soname,libcuda.so.1"}},
	{"lib/libcupti.so.13", "cupti*.c", []string{"-fPIC", "-shared", "-fvisibility=hidden"}},
	{"play", "play*.c", nil},
}

// compiled are what was made in this test binary, by its options.
var compiled sync.Map

// built is made once: each box has a copy, which a test may take apart.
func (o Options) built() (map[string][]byte, error) {
	once, _ := compiled.LoadOrStore(fmt.Sprintf("%q", o), sync.OnceValues(func() (map[string][]byte, error) {
		dir, err := os.MkdirTemp("", "gpuci-standin-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if err := o.compile(dir); err != nil {
			return nil, err
		}
		files := map[string][]byte{}
		for _, p := range parts {
			if files[p.to], err = os.ReadFile(filepath.Join(dir, p.to)); err != nil {
				return nil, err
			}
		}
		return files, nil
	}))
	return once.(func() (map[string][]byte, error))()
}

// compile fills a directory.
func (o Options) compile(dir string) error {
	if o.CC == "" {
		o.CC = "gcc"
	}
	if err := os.CopyFS(dir, sources); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "lib"), 0o755); err != nil {
		return err
	}
	for _, p := range parts {
		files, err := filepath.Glob(filepath.Join(dir, "standin", p.from))
		if err != nil {
			return err
		}
		args := slices.Concat([]string{"-std=gnu11", "-O1"}, p.flags, o.Flags, []string{"-o", filepath.Join(dir, p.to)}, files, []string{"-pthread", "-ldl"})
		if o.Include != "" {
			args = append(args, "-I"+o.Include)
		}
		if text, err := exec.Command(o.CC, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("compile the stand-in for CUDA: %w\n%s", err, text)
		}
	}
	return nil
}
