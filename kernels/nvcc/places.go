package nvcc

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// place is where a compiler may be.
type place struct {
	path  string
	why   string // how we came to look there
	named bool   // somebody asked for this one
	fault string // why it need not be run; "" if it must be
}

// launchers stand in for a compiler under its own name: what they lead to is
// elsewhere on PATH.
var launchers = []string{"gpuci", "gpuci-link", "ccache", "sccache", "distcc", "icecc"}

// places lists every place in the order of their rank. A place that has no file is
// listed only where somebody pointed at it.
func (l *look) places() []place {
	var all []place
	if l.o.Path != "" {
		all = append(all, l.named(l.o.Path, cmp.Or(l.o.Why, "named by the flag"))...)
	}
	if p := l.variable("GPUCI_NVCC"); p != "" {
		all = append(all, l.named(p, "named by GPUCI_NVCC")...)
	}
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := l.variable(name); dir != "" {
			all = append(all, l.pointed(filepath.Join(dir, "bin", "nvcc"), "by "+name, false))
		}
	}
	for _, dir := range filepath.SplitList(l.variable("PATH")) {
		all = l.add(all, filepath.Join(dir, "nvcc"), "on PATH")
	}
	for _, dir := range l.newest("/usr/local/cuda*") {
		all = l.add(all, filepath.Join(dir, "bin", "nvcc"), "in /usr/local")
	}
	return append(all, l.packages()...)
}

// named are the places that somebody named: a compiler, or those of a directory,
// one of which must do.
func (l *look) named(path, why string) []place {
	if info, err := os.Stat(l.real(path)); err != nil || !info.IsDir() {
		return []place{l.pointed(path, why, true)}
	}
	all := l.environment(path, why)
	if len(all) == 0 {
		return []place{{path: path, why: why, named: true, fault: why + ": a directory with no nvcc in it"}}
	}
	all[len(all)-1].named = true
	return all
}

// pointed is a place that somebody said, and that is listed whatever is there.
func (l *look) pointed(path, why string, named bool) place {
	p := place{path: path, why: why, named: named}
	info, err := os.Stat(l.real(path))
	switch {
	case err != nil:
		p.fault = why + ": no such file"
	case info.IsDir():
		p.fault = why + ": a directory: name its bin/nvcc"
	case info.Mode()&0o111 == 0:
		p.fault = why + ": not executable"
	}
	return p
}

// add appends the place if there is a file.
func (l *look) add(all []place, path, why string) []place {
	if info, err := os.Stat(l.real(path)); err != nil || info.IsDir() {
		return all
	}
	p := l.pointed(path, why, false)
	if name, ok := StandIn(l.real(path)); ok {
		p.fault = why + ": " + name + " under the compiler's name: the next one on PATH is the compiler"
	}
	return append(all, p)
}

// StandIn is whether the file is a shim or a compiler launcher under a compiler's
// name, and which. Its content says nothing of the compiler behind it.
func StandIn(path string) (string, bool) {
	real, err := filepath.EvalSymlinks(path)
	name := filepath.Base(real)
	return name, err == nil && slices.Contains(launchers, name)
}

// same is whether two paths lead to one file.
func (l *look) same(a, b string) bool {
	x, err := os.Stat(l.real(a))
	y, err2 := os.Stat(l.real(b))
	return a == b || err == nil && err2 == nil && os.SameFile(x, y)
}

// real is where the path is in the file system that is looked at.
func (l *look) real(path string) string { return filepath.Join(l.o.Root, path) }

// newest are the directories of a pattern by the numbers in their names, highest
// first; one with no number, which is a link to one of the others, comes first.
func (l *look) newest(pattern string) []string {
	found, _ := filepath.Glob(l.real(pattern)) // only a bad pattern is an error
	slices.SortFunc(found, func(a, b string) int {
		na, nb := numbers(filepath.Base(a)), numbers(filepath.Base(b))
		if (len(na) == 0) != (len(nb) == 0) {
			return cmp.Compare(len(na), len(nb))
		}
		return cmp.Or(slices.Compare(nb, na), cmp.Compare(a, b))
	})
	for i := range found {
		found[i] = "/" + strings.TrimPrefix(strings.TrimPrefix(found[i], l.o.Root), "/")
	}
	return found
}

// numbers are those of a name: 13, 0 of cuda-13.0.
func numbers(name string) []int {
	var all []int
	for _, f := range strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.Atoi(f)
		if err != nil {
			continue
		}
		all = append(all, n)
	}
	return all
}

// variable is the value of an environment variable; the last one of a name holds.
func (l *look) variable(name string) string {
	for _, e := range slices.Backward(l.env) {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}
