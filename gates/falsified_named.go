package gates

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/falsify/plant"
	"gpuci/gates/inputs"
)

// manifests are what says how the sources below a directory are built. No compiler
// names them among what it has read.
var manifests = []string{
	"Cargo.toml", "Cargo.lock", "build.rs", "rust-toolchain", "rust-toolchain.toml", ".cargo/config.toml", ".cargo/config",
	"CMakeLists.txt", "CMakePresets.json", "Makefile", "makefile", "GNUmakefile", "meson.build", "build.ninja", "BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel",
	"go.mod", "go.sum", "setup.py", "setup.cfg", "pyproject.toml", "requirements.txt",
}

// named are the paths, from the lane's root, that belong to a gate by name: files that
// its commands name, files that its faults change, and the manifests above what its
// compilers have read. Sorted.
func (f *flow) named(ctx context.Context, read []inputs.Path) (out []inputs.Path) {
	for _, p := range plant.Touched(ctx, f.opt.Lane, f.opt.Root, f.opt.Gate) {
		out = append(out, inputs.Path(p))
	}
	dirs := map[string]bool{".": true}
	at := func(file string) { // from the directory of gpuci.toml
		if rel, err := filepath.Rel(f.opt.Lane.Root, filepath.Join(f.opt.Root, file)); err == nil && filepath.IsLocal(rel) {
			out = append(out, inputs.Path(filepath.ToSlash(rel)))
		}
	}
	for _, w := range wordsOf(f.opt.Gate) {
		at(filepath.Join(f.opt.Gate.Dir, w))
	}
	for _, p := range read {
		for dir := path.Dir(string(p)); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		for _, name := range manifests {
			out = append(out, inputs.Path(path.Join(dir, name)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// wordsOf are the words of a gate's commands that can be paths in the workspace.
func wordsOf(g config.Gate) (words []string) {
	for _, c := range slices.Concat(g.Build, g.Run) {
		list := c.Argv
		if c.Shell != "" {
			list = strings.FieldsFunc(c.Shell, func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()'\"", r) })
		}
		words = append(words, list...)
	}
	return slices.DeleteFunc(words, func(w string) bool { return !filepath.IsLocal(w) || strings.HasPrefix(w, "-") })
}
