package propose

import (
	"path"
	"slices"
	"strings"
)

// hostWords are what stands in a source that looks kernels up, by its extension.
var hostWords = map[string][]string{
	".rs":  {`.ptx"`, `.cubin"`, `.fatbin"`, "load_function(", "get_func(", "load_ptx(", "get_or_load_func(", "launch_builder(", "Module::from_"},
	".cpp": {"cuModuleGetFunction(", "cuLibraryGetKernel(", "cudaLibraryGetKernel("},
	".py":  {"get_function(", "get_kernel(", "RawModule(", "cuModuleGetFunction("},
}

// hosts gives each set the sources that look names up: those of its package, or of the
// packages around it, or of the only set there is.
func (s *survey) hosts() {
	read := 0
	for _, d := range s.tree.dirs {
		seen := make(map[string]bool)
		for _, n := range d.hosts {
			ext := path.Ext(n)
			words := hostWords[ext]
			if words == nil {
				words = hostWords[".cpp"]
			}
			if read++; seen[ext] || read > maxKernelSources {
				continue
			}
			text, err := readFile(s.path(d.file(n)), maxSourceText)
			if err != nil || !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(string(text), w) }) {
				continue
			}
			seen[ext] = true
			if k := s.setFor(d.path); k != nil {
				k.Host = append(k.Host, path.Join(glob(d.path), "*"+ext))
			} else {
				s.leave(d.file(n), "it looks kernels up, and there are several sets: add it to host of the one that it loads")
			}
		}
	}
}

// setFor is the set that a host in a directory is likely to load.
func (s *survey) setFor(at string) *Kernels {
	if len(s.kernels) == 1 {
		return s.kernels[0]
	}
	var best *Kernels
	for _, k := range s.kernels {
		if under(at, k.owner) && (best == nil || len(k.owner) > len(best.owner)) {
			best = k
		}
	}
	return best
}
