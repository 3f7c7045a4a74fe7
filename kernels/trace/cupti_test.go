package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes files below a root; "a -> b" is a link.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range files {
		name, to, link := strings.Cut(f, " -> ")
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if link {
			err = os.Symlink(filepath.Join(root, to), path)
		} else {
			err = os.WriteFile(path, nil, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFindCUPTI(t *testing.T) {
	const (
		toolkit12 = "/usr/local/cuda-12.9/extras/CUPTI/lib64/libcupti.so.12"
		toolkit13 = "/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcupti.so.13"
		toolkit9  = "/usr/local/cuda-9.2/lib64/libcupti.so.9.2"
		venv13    = "/v/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13"
		venv12    = "/v/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"
		base      = "/opt/py/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"
		user      = "/home/me/.local/lib/python3.11/site-packages/nvidia/cu13/lib/libcupti.so.13"
		conda     = "/conda/lib/libcupti.so.12"
	)
	for name, c := range map[string]struct {
		files       []string
		env, python string
		want        string
	}{
		"nothing":               {want: ""},
		"an old toolkit":        {files: []string{toolkit9}, want: ""},
		"the newest toolkit":    {files: []string{toolkit9, toolkit12, toolkit13}, want: toolkit13},
		"the one that is meant": {files: []string{toolkit12, toolkit13}, env: "CUDA_HOME=/usr/local/cuda-12.9", want: toolkit12},
		"the environment":       {files: []string{toolkit13, venv12}, env: "VIRTUAL_ENV=/v", want: venv12},
		"both packages":         {files: []string{venv12, venv13}, env: "VIRTUAL_ENV=/v", want: venv13},
		"the python's":          {files: []string{toolkit13, venv12, "/v/bin/python"}, python: "/v/bin/python", want: venv12},
		"the linked python's":   {files: []string{toolkit13, base, "/opt/py/bin/python3.11", "/v/bin/python -> /opt/py/bin/python3.11"}, python: "/v/bin/python", want: base},
		"the python of PATH":    {files: []string{venv12, "/v/bin/python", "/usr/bin/python"}, env: "PATH=/sbin:/v/bin:/usr/bin", python: "python", want: venv12},
		"no such python":        {files: []string{toolkit13}, env: "PATH=/sbin", python: "python", want: toolkit13},
		"the user's":            {files: []string{toolkit13, user, "/usr/bin/python3"}, env: "HOME=/home/me", python: "/usr/bin/python3", want: user},
		"conda":                 {files: []string{toolkit13, conda}, env: "CONDA_PREFIX=/conda", want: conda},
	} {
		t.Run(name, func(t *testing.T) {
			got, found := cuptiSearch{env: []string{c.env}, root: tree(t, c.files...)}.find(c.python)
			if got != c.want || found != (c.want != "") {
				t.Errorf("%q, %v; want %q", got, found, c.want)
			}
		})
	}
	if got, found := FindCUPTI([]string{"GPUCI_TRACE_CUPTI=/mine"}, ""); got != "/mine" || !found {
		t.Errorf("the named one: %q, %v", got, found)
	}
}

// That of NVIDIA's packages here is found by their environment.
func TestFindCUPTIOfPackages(t *testing.T) {
	library, _ := realCUPTI(t)
	env := here(t, "../../.cache/cuda")
	got, found := FindCUPTI([]string{"VIRTUAL_ENV=" + env}, "")
	a, err := os.Stat(library)
	b, err2 := os.Stat(got)
	if !found || err != nil || err2 != nil || !os.SameFile(a, b) {
		t.Errorf("%q, %v; want %s", got, found, library)
	}
}
