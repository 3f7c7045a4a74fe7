package nvcc

import (
	"os"
	"path/filepath"
)

// packages are the compilers of NVIDIA's PyPI packages in the environments.
func (l *look) packages() []place {
	var all []place
	for _, e := range []struct{ dir, why string }{
		{l.o.Environment, "in the environment that was named"},
		{l.variable("VIRTUAL_ENV"), "in the environment of VIRTUAL_ENV"},
		{l.variable("CONDA_PREFIX"), "in the environment of CONDA_PREFIX"},
	} {
		if e.dir != "" {
			all = append(all, l.environment(e.dir, e.why)...)
		}
	}
	return all
}

// environment are the compilers of one. Those packages of CUDA 13 lay their files in
// one directory, nvidia/cu13, and those of 12 in one for each package. Those of 12
// have had no nvcc so far: their nvidia-cuda-nvcc-cu12 is ptxas and libnvvm, which is
// said, since its name promises more.
func (l *look) environment(env, why string) []place {
	all := l.add(nil, filepath.Join(env, "bin", "nvcc"), why)
	for _, dir := range l.newest(filepath.Join(env, "lib", "python3*", "site-packages", "nvidia", "cu[0-9]*")) {
		all = l.add(all, filepath.Join(dir, "bin", "nvcc"), why)
	}
	for _, dir := range l.newest(filepath.Join(env, "lib", "python3*", "site-packages", "nvidia", "cuda_nvcc")) {
		path := filepath.Join(dir, "bin", "nvcc")
		if _, err := os.Stat(l.real(path)); err == nil {
			all = l.add(all, path, why)
		} else if _, err := os.Stat(l.real(filepath.Join(dir, "bin", "ptxas"))); err == nil {
			all = append(all, place{path: path, why: why, fault: why + ": not there: the package of this CUDA has ptxas and no nvcc: " + Install})
		}
	}
	return all
}

// siblings are the include directories of the packages beside the compiler's own,
// which its profile does not know of where each package has a directory.
func (l *look) siblings(compiler string) []string {
	nvidia := filepath.Dir(filepath.Dir(filepath.Dir(compiler)))
	if filepath.Base(nvidia) != "nvidia" {
		return nil
	}
	var dirs []string
	for _, name := range []string{"cuda_runtime", "cuda_nvcc", "cuda_cccl"} {
		dir := filepath.Join(nvidia, name, "include")
		if _, err := os.Stat(l.real(dir)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
