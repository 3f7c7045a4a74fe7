package propose

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// Kernels is a [[kernels]] set that Look proposes: the CUDA sources of a package of the
// workspace, the device code that is committed beside them, and what loads it.
type Kernels struct {
	Name     string
	Sources  []string // patterns, as the others are
	Arch     []string
	Include  []string // directories that headers are found in
	Prebuilt []string
	Host     []string
	Remarks  []string // lines of a comment above it

	owner string // the directory of the package
	files int    // sources
}

// Bounds of what is read to find headers and hosts: some thousand files are the largest
// trees of kernels there are, and what is of interest stands in their beginning.
const (
	maxKernelSources = 4000
	maxSourceText    = 256 << 10 // bytes
)

// packages are the files that make a directory a package, with sources of its own. Of
// CMake's and make's there is one in each directory of a project.
var packages = []string{"Cargo.toml", "pyproject.toml", "setup.py", "go.mod", "package.json"}

// cuda proposes a set for the CUDA sources of each package, and for device code that is
// committed without any.
func (s *survey) cuda(ctx context.Context) {
	committed := s.committed(ctx)
	for _, d := range s.tree.dirs {
		if len(d.cu) > 0 {
			k := s.kernelsOf(s.owner(d.path))
			k.Sources = append(k.Sources, path.Join(glob(d.path), "*.cu"))
			k.files += len(d.cu)
			s.includes(k, d)
		}
		for _, ext := range []string{".cubin", ".ptx", ".fatbin"} {
			if slices.ContainsFunc(d.device, func(n string) bool { return path.Ext(n) == ext && committed(d.file(n)) }) {
				k := s.kernelsOf(s.owner(d.path))
				k.Prebuilt = append(k.Prebuilt, path.Join(glob(d.path), "*"+ext))
			}
		}
	}
	if len(s.kernels) == 0 {
		return
	}
	s.hosts()
	taken := make(map[string]bool)
	for _, k := range s.kernels {
		k.Name = free(taken, s.kernelNames(k))
		taken[k.Name] = true
		if len(k.Sources) > 0 {
			k.Arch = s.archs()
		}
	}
}

// kernelsOf is the set of a package.
func (s *survey) kernelsOf(owner string) *Kernels {
	for _, k := range s.kernels {
		if k.owner == owner {
			return k
		}
	}
	s.kernels = append(s.kernels, &Kernels{owner: owner})
	return s.kernels[len(s.kernels)-1]
}

// owner is the package that a directory is of; the workspace's own is ".".
func (s *survey) owner(at string) string {
	for ; at != "."; at = path.Dir(at) {
		if slices.ContainsFunc(packages, func(mark string) bool { return s.tree.has(at, mark) }) {
			return at
		}
	}
	return at
}

// kernelNames are the names that a set wishes for: of the directory that its sources
// have in common, of its package.
func (s *survey) kernelNames(k *Kernels) []string {
	var wish []string
	common, list := "", k.Sources
	if len(list) == 0 {
		list = k.Prebuilt
	}
	for i, p := range list {
		dir := path.Dir(p)
		for i > 0 && !under(dir, common) {
			common = path.Dir(common)
		}
		if i == 0 {
			common = dir
		}
	}
	for _, at := range []string{common, k.owner} {
		if base := path.Base(at); base != "." && base != "src" && base != "source" {
			wish = append(wish, base)
		}
	}
	return append(wish, "kernels")
}

// archs are the architectures of the cards that the machine is said to have, or one that
// is common.
func (s *survey) archs() (out []string) {
	for _, c := range s.opt.Cards {
		if a := "sm_" + strings.ReplaceAll(c, ".", ""); !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return []string{"sm_90"}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return out
}

// glob is a directory as a pattern: what is special in it is taken as it stands.
func glob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// committed says of device code whether git tracks it; outside of git all counts.
func (s *survey) committed(ctx context.Context) func(file string) bool {
	var all []string
	for _, d := range s.tree.dirs {
		for _, n := range d.device {
			if len(all) < maxAsked {
				all = append(all, d.file(n))
			}
		}
	}
	if len(all) == 0 {
		return func(string) bool { return false }
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // it takes git some milliseconds
	defer cancel()
	out, err := s.ask(ctx, s.opt.Root, []string{"GIT_OPTIONAL_LOCKS=0"}, append([]string{"git", "--literal-pathspecs", "ls-files", "-z", "--"}, all...)...)
	if err != nil {
		return func(string) bool { return true }
	}
	tracked := strings.Split(string(out), "\x00")
	for _, file := range all {
		if !slices.Contains(tracked, file) {
			s.leave(file, "device code that git does not track: commit it, and add it to prebuilt, if hosts load it from there")
		}
	}
	return func(file string) bool { return slices.Contains(tracked, file) }
}

// kernelSet writes a set.
func (w *writer) kernelSet(k *Kernels, cards bool) {
	w.linef("")
	what := plural(k.files, "CUDA source") + ", compiled and checked without a GPU"
	if k.files == 0 {
		what = "Device code that is committed, checked without a GPU"
	}
	w.linef("# %s: gpuci kernels check %s", what, k.Name)
	w.linef("# In a gate, kernels = %s does so before anything is launched.", tomlStrings([]string{k.Name}))
	for _, r := range k.Remarks {
		w.linef("# %s", printable(r))
	}
	w.linef("[[kernels]]")
	w.key("name", fmt.Sprintf("%q", k.Name), "")
	list := func(key string, values []string, comment string) {
		if len(values) > 0 {
			w.key(key, tomlStrings(values), comment)
		}
	}
	list("sources", k.Sources, "")
	archWhy := `an example: nvidia-smi --query-gpu=compute_cap --format=csv says 9.0 of a card for sm_90`
	if cards {
		archWhy = "of the cards that /etc/gpuci.toml names"
	}
	list("arch", k.Arch, archWhy)
	list("include", k.Include, "where the headers are that stand beside no source")
	list("prebuilt", k.Prebuilt, "committed: held against a fresh build where there is a source of that name")
	list("host", k.Host, "they look kernels up: names and arguments are held against the device code")
}
