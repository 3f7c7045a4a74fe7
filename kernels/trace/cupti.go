package trace

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// FindCUPTI looks for a CUPTI where the program's loader may not: in the environment of
// VIRTUAL_ENV, that of the program's Python, CONDA_PREFIX, in CUDA_HOME and CUDA_PATH, and
// in /usr/local/cuda*, the newest first. One that GPUCI_TRACE_CUPTI names is taken as it
// is. Python is a path, or a name that is looked up in PATH, or "". It is not run: what it
// has is read off the directories around it.
//
// Where there is none, one may still be found in the program: a copy that it has loaded
// comes before all others, and LD_LIBRARY_PATH and the loader's cache are the loader's to
// know.
func FindCUPTI(env []string, python string) (path string, found bool) {
	if path := variable(env, traceCUPTI); path != "" {
		return path, true
	}
	return cuptiSearch{env: env}.find(python)
}

// cuptiSearch looks below root, which tests set.
type cuptiSearch struct {
	env  []string
	root string
}

func (s cuptiSearch) find(python string) (string, bool) {
	var places [][]string
	for _, env := range append([]string{variable(s.env, "VIRTUAL_ENV")}, append(s.environments(python), variable(s.env, "CONDA_PREFIX"))...) {
		if env != "" {
			places = append(places, inEnvironment(env))
		}
	}
	for _, home := range []string{variable(s.env, "CUDA_HOME"), variable(s.env, "CUDA_PATH"), "/usr/local/cuda", "/usr/local/cuda-*"} {
		if home != "" {
			places = append(places, inToolkit(home))
		}
	}
	for _, dirs := range places {
		if path, ok := s.newest(dirs); ok {
			return path, true
		}
	}
	return "", false
}

// environments are those that a Python is of: the one it stands in, and the one that a
// link of a virtual environment leads to.
func (s cuptiSearch) environments(python string) []string {
	if python != "" && !strings.Contains(python, "/") {
		python = s.onPath(python)
	}
	if python == "" {
		return nil
	}
	if s.root == "" {
		python, _ = filepath.Abs(python) // an error is of a directory that is gone, and leaves ""
	}
	envs := []string{filepath.Dir(filepath.Dir(python))}
	if real, err := filepath.EvalSymlinks(filepath.Join(s.root, python)); err == nil {
		if env := "/" + strings.TrimPrefix(strings.TrimPrefix(filepath.Dir(filepath.Dir(real)), s.root), "/"); env != envs[0] {
			envs = append(envs, env)
		}
	}
	if home := variable(s.env, "HOME"); home != "" {
		envs = append(envs, filepath.Join(home, ".local"))
	}
	return envs
}

func (s cuptiSearch) onPath(name string) string {
	for _, dir := range filepath.SplitList(variable(s.env, "PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(filepath.Join(s.root, path)); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// inEnvironment are where NVIDIA's packages of PyPI, and Conda's, lay it.
func inEnvironment(env string) (dirs []string) {
	for _, site := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages"} {
		dirs = append(dirs, filepath.Join(env, site, "nvidia/cu[0-9]*/lib"), filepath.Join(env, site, "nvidia/cuda_cupti/lib"))
	}
	return append(dirs, filepath.Join(env, "lib"), filepath.Join(env, "targets/*/lib"))
}

// inToolkit are where a toolkit lays it.
func inToolkit(home string) []string {
	return []string{filepath.Join(home, "lib64"), filepath.Join(home, "extras/CUPTI/lib64"), filepath.Join(home, "targets/*/lib"), filepath.Join(home, "lib")}
}

// majors are the CUPTIs whose calls the library knows.
var majors = []string{"libcupti.so.13", "libcupti.so.12"}

// newest gives the file in directories of a pattern by the numbers in its path, the highest
// first: a toolkit's and the library's own. Files of other majors are none.
func (s cuptiSearch) newest(dirs []string) (string, bool) {
	var files []string
	for _, dir := range dirs {
		found, _ := filepath.Glob(filepath.Join(s.root, dir, "libcupti.so*")) // only a bad pattern is an error
		files = append(files, found...)
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		info, err := os.Stat(f)
		return !slices.Contains(majors, filepath.Base(f)) || err != nil || info.IsDir()
	})
	if len(files) == 0 {
		return "", false
	}
	best := slices.MaxFunc(files, func(a, b string) int { return slices.Compare(digits(a), digits(b)) })
	return "/" + strings.TrimPrefix(strings.TrimPrefix(best, s.root), "/"), true
}

// digits are the numbers of a path below the root, in their order.
func digits(path string) (all []int) {
	for _, f := range strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(f); err == nil {
			all = append(all, n)
		}
	}
	return all
}
