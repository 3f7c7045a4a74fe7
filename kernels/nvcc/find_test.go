package nvcc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plant lays out a compiler below the root, whole but for the parts left out.
func plant(t *testing.T, root, toolkit string, without ...string) {
	t.Helper()
	for _, name := range []string{"bin/nvcc", "bin/ptxas", "nvvm/bin/cicc", "include/cuda_runtime.h", "include/crt/host_config.h", "include/nv/target"} {
		skip := false
		for _, w := range without {
			skip = skip || w == name
		}
		if !skip {
			write(t, filepath.Join(root, toolkit, name))
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// answers plays every compiler below the root: each says the version that is in its
// path, or 13.0.88.
func answers(root string) Exec {
	return func(ctx context.Context, c Command) error {
		path := strings.TrimPrefix(c.Argv[0], root)
		switch {
		case strings.Contains(path, "hung"):
			<-ctx.Done()
			return ctx.Err()
		case strings.Contains(path, "broken"):
			fmt.Fprintln(c.Stderr, "exec format error")
			return errors.New("exit status 1")
		case strings.Contains(path, "mute"):
			return nil
		}
		version := "13.0.88"
		if strings.Contains(path, "12.4") {
			version = "12.4.131"
		}
		top := filepath.Dir(filepath.Dir(path))
		if c.Argv[1] == "--version" {
			fmt.Fprintf(c.Stdout, "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release %s, V%s\nBuild x\n", version[:4], version)
			return nil
		}
		fmt.Fprintf(c.Stderr, "#$ _HERE_=%[1]s/bin\n#$ CICC_PATH=%[1]s/bin/../nvvm/bin\n#$ PATH=%[1]s/bin:\n#$ INCLUDES=\"-I%[1]s/bin/..//include\"  \n#$ cicc -x=y\n", top)
		return nil
	}
}

// Every place is looked at in its order, and each says why it was taken or not.
func TestFind(t *testing.T) {
	cases := []struct {
		name     string
		plant    func(root string)
		env      []string
		o        Options
		found    string // path: version: why
		rejected []string
		err      string
	}{
		{"nothing", func(string) {}, []string{"CUDA_HOME=/opt/none"}, Options{}, "",
			[]string{"/opt/none/bin/nvcc: by CUDA_HOME: no such file"}, "no usable nvcc was found"},
		{"the flag", func(r string) { plant(t, r, "/a"); plant(t, r, "/b") }, []string{"GPUCI_NVCC=/b/bin/nvcc"}, Options{Path: "/a/bin/nvcc"},
			"/a/bin/nvcc: 13.0.88: named by the flag", []string{"/b/bin/nvcc: named by GPUCI_NVCC, behind the one that was taken"}, ""},
		{"a flag that is wrong", func(r string) { plant(t, r, "/b") }, []string{"PATH=/b/bin"}, Options{Path: "/a/bin/nvcc"},
			"", []string{"/a/bin/nvcc: named by the flag: no such file"}, "use the compiler /a/bin/nvcc, named by the flag: "},
		{"a toolkit", func(r string) { plant(t, r, "/a") }, []string{"GPUCI_NVCC=/a"}, Options{}, "/a/bin/nvcc: 13.0.88: named by GPUCI_NVCC", nil, ""},
		{"an environment", func(r string) {
			write(t, filepath.Join(r, "/v/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/nvcc"))
			plant(t, r, "/v/lib/python3.11/site-packages/nvidia/cu13")
			plant(t, r, "/b")
		}, []string{"PATH=/b/bin"}, Options{Path: "/v", Why: "by the set scan"}, "/v/lib/python3.11/site-packages/nvidia/cu13/bin/nvcc: 13.0.88: by the set scan",
			[]string{"/v/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/nvcc: by the set scan, behind the one that was taken", "/b/bin/nvcc: on PATH, behind the one that was taken"}, ""},
		{"a directory", func(r string) {
			write(t, filepath.Join(r, "/a/README"))
			plant(t, r, "/b")
		}, []string{"GPUCI_NVCC=/a", "PATH=/b/bin"}, Options{},
			"", []string{"/a: named by GPUCI_NVCC: a directory with no nvcc in it"}, "with no nvcc in it"},
		{"no cicc", func(r string) { plant(t, r, "/a", "nvvm/bin/cicc"); plant(t, r, "/b") }, []string{"PATH=/a/bin:/b/bin"}, Options{},
			"/b/bin/nvcc: 13.0.88: on PATH", []string{"/a/bin/nvcc: on PATH: has no cicc: it comes with nvidia-nvvm"}, ""},
		{"no headers", func(r string) { plant(t, r, "/a", "include/crt/host_config.h") }, []string{"PATH=/a/bin"}, Options{},
			"", []string{"/a/bin/nvcc: on PATH: has no crt/host_config.h in /a/bin/..//include: it comes with nvidia-cuda-crt"}, "no usable nvcc"},
		{"cannot run, hangs, is mute", func(r string) { plant(t, r, "/broken"); plant(t, r, "/hung"); plant(t, r, "/mute") },
			[]string{"PATH=/broken/bin:/hung/bin:/mute/bin"}, Options{Timeout: time.Millisecond}, "", []string{
				"/broken/bin/nvcc: on PATH: cannot be run: exit status 1: exec format error",
				"/hung/bin/nvcc: on PATH: cannot be run: no answer within 1ms",
				`/mute/bin/nvcc: on PATH: says no version: ""`}, "no usable nvcc"},
		{"the newest, and a version", func(r string) {
			plant(t, r, "/usr/local/cuda-13.0")
			plant(t, r, "/usr/local/cuda-12.4")
			plant(t, r, "/usr/local/cuda-9.2")
		}, nil, Options{Version: "12"}, "/usr/local/cuda-12.4/bin/nvcc: 12.4.131: in /usr/local", []string{
			"/usr/local/cuda-13.0/bin/nvcc: in /usr/local: is 13.0.88, and 12 is wanted",
			"/usr/local/cuda-9.2/bin/nvcc: in /usr/local, behind the one that was taken"}, ""},
		{"packages", func(r string) {
			write(t, filepath.Join(r, "/v/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/ptxas"))
			plant(t, r, "/c/lib/python3.12/site-packages/nvidia/cu13")
		}, []string{"VIRTUAL_ENV=/v", "CONDA_PREFIX=/c"}, Options{},
			"/c/lib/python3.12/site-packages/nvidia/cu13/bin/nvcc: 13.0.88: in the environment of CONDA_PREFIX",
			[]string{"/v/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/nvcc: in the environment of VIRTUAL_ENV: not there: the package of this CUDA has ptxas and no nvcc: " + Install}, ""},
		{"the same one by other ways", func(r string) {
			plant(t, r, "/a")
			if err := os.Symlink("a", filepath.Join(r, "/b")); err != nil {
				t.Fatal(err)
			}
		}, []string{"GPUCI_NVCC=/a/bin/nvcc", "CUDA_HOME=/b", "PATH=/b/bin:/a/bin"}, Options{}, "/a/bin/nvcc: 13.0.88: named by GPUCI_NVCC", nil, ""},
		{"a shim", func(r string) {
			write(t, filepath.Join(r, "/shims/gpuci-link"))
			if err := os.Symlink("gpuci-link", filepath.Join(r, "/shims/nvcc")); err != nil {
				t.Fatal(err)
			}
			plant(t, r, "/a")
		}, []string{"PATH=/shims:/a/bin"}, Options{}, "/a/bin/nvcc: 13.0.88: on PATH",
			[]string{"/shims/nvcc: on PATH: gpuci-link under the compiler's name: the next one on PATH is the compiler"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			c.plant(root)
			c.o.Root, c.o.Exec = root, answers(root)
			f, rejected, err := Find(t.Context(), c.env, c.o)
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			got := ""
			if f.Path != "" {
				got = f.Path + ": " + f.Version + ": " + f.Why
			}
			if got != c.found {
				t.Errorf("found %q, want %q", got, c.found)
			}
			var all []string
			for _, r := range rejected {
				if all = append(all, r.Path+": "+r.Why); r.Behind {
					all[len(all)-1] += ", behind the one that was taken"
				}
			}
			if d := cmp.Diff(c.rejected, all); d != "" {
				t.Error(d)
			}
		})
	}
}

// A variable that changes what the compiler runs changes the sum of its plan; another
// temporary file, or place of a program, does not.
func TestPlan(t *testing.T) {
	const said = "#$ PATH=/a:/b\n#$ PTXAS_FLAGS=\n#$ ptxas  \"/tmp/tmpxft_0001_00000000-6_x.ptx\"  -o \"/dev/null\" \n"
	sum := planSum(said)
	if other := planSum(strings.NewReplacer("/a:", "/shims:/a:", "/tmp/tmpxft_0001_", "/var/tmp/tmpxft_0a02_").Replace(said)); other != sum {
		t.Error("what is of one call alone counts")
	}
	if planSum(strings.Replace(said, "ptxas  ", "ptxas -O0 ", 1)) == sum {
		t.Error("an option does not count")
	}
	plain := realNVCC(t).Plan
	if plain == "" {
		t.Skip("needs nvcc")
	}
	for _, name := range []string{"PTXAS_FLAGS", "CUDAFE_FLAGS", "INCLUDES", "SYSTEM_INCLUDES", "OCG_FLAGS", "NVVM_FLAGS"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "-DX")
			if realNVCC(t).Plan == plain {
				t.Error("it does not count")
			}
		})
	}
}

func realNVCC(t *testing.T) Found {
	t.Helper()
	execute := func(ctx context.Context, c Command) error {
		cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Dir, c.Env, c.Stdout, c.Stderr, time.Second
		return cmd.Run()
	}
	f, _, err := Find(t.Context(), os.Environ(), Options{Exec: execute})
	if err != nil && os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs nvcc: ", err)
	}
	return f
}

// Where each package has a directory of its own, the compiler is told of the
// others'.
func TestSiblings(t *testing.T) {
	root := t.TempDir()
	nvidia := "/v/lib/python3.11/site-packages/nvidia/"
	plant(t, root, nvidia+"cuda_nvcc", "include/cuda_runtime.h", "include/nv/target")
	write(t, filepath.Join(root, nvidia, "cuda_runtime/include/cuda_runtime.h"))
	write(t, filepath.Join(root, nvidia, "cuda_cccl/include/nv/target"))
	f, _, err := Find(t.Context(), nil, Options{Root: root, Environment: "/v", Exec: answers(root)})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"-I" + nvidia + "cuda_runtime/include", "-I" + nvidia + "cuda_cccl/include"}, f.Args); d != "" {
		t.Error(d)
	}
}

// The real one, if there is one, makes a cubin with what Find says, and its tools
// are files.
func TestReal(t *testing.T) {
	execute := func(ctx context.Context, c Command) error {
		cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Dir, c.Env, c.Stdout, c.Stderr, time.Second
		return cmd.Run()
	}
	f, _, err := Find(t.Context(), os.Environ(), Options{Exec: execute})
	if err != nil && os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs nvcc: ", err)
	} else if err != nil {
		t.Skip("needs nvcc")
	}
	if len(f.Tools) < 3 {
		t.Errorf("tools %v", f.Tools)
	}
	source := filepath.Join(t.TempDir(), "a.cu")
	if err := os.WriteFile(source, []byte("#include <cuda_fp16.h>\n__global__ void f(__half* a) { a[0] = a[1]; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	args := append(append([]string{f.Path}, f.Args...), "-cubin", source, "-o", source+"bin")
	if err := execute(t.Context(), Command{Argv: args, Env: append(os.Environ(), f.Env...), Stdout: &said, Stderr: &said}); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
}
