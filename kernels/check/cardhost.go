package check

import "gpuci/kernels/host"

// named are the modules that hosts name: what is loaded is one of these, and what else
// is built is for others to load.
func (s *set) named(files []host.File) map[int]bool {
	all := make(map[int]bool)
	for _, f := range files {
		for _, m := range f.Modules {
			if m.Off {
				continue
			}
			for _, i := range s.load(f, m).modules {
				all[i] = true
			}
		}
	}
	return all
}
