package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/kernels/cache"
	"gpuci/kernels/nvcc"
)

// executables are the files of these names in the directories, links followed,
// each once. Shims and launchers are passed over: they change with gpuci, and not
// with the compiler.
func executables(dirs, names []string) []string {
	var all []string
	for _, dir := range dirs {
		for _, name := range names {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				continue
			}
			if _, ok := nvcc.StandIn(path); ok {
				continue
			}
			if real, err := filepath.EvalSymlinks(path); err == nil && !slices.Contains(all, real) {
				all = append(all, real)
			}
		}
	}
	return all
}

// trusty are the directories of the system's headers and of the compiler's own.
func trusty(c nvcc.Found) []string {
	dirs := []string{"/usr/"}
	for _, path := range []string{c.Path, real(c.Path)} {
		top := filepath.Dir(filepath.Dir(path))
		dirs = append(dirs, filepath.Join(top, "include")+"/", filepath.Join(top, "targets")+"/")
	}
	for _, a := range c.Args {
		if dir, ok := strings.CutPrefix(a, "-I"); ok {
			dirs = append(dirs, filepath.Clean(dir)+"/")
		}
	}
	return dirs
}

// identity is the text of what every unit of a set depends on, a line for each
// thing: the compiler's files by content, the host compilers, the environment, and
// the files of options.
func (b *builder) identity() (string, error) {
	var text strings.Builder
	fmt.Fprintln(&text, "compiler", b.o.Compiler.Version)
	for _, path := range b.o.Compiler.Tools {
		sum, err := b.tree.sum(path)
		if err != nil {
			return "", fmt.Errorf("read the compiler: %w", err)
		}
		fmt.Fprintln(&text, "tool", filepath.Base(path), sum)
	}
	for _, path := range b.hosts {
		sum, err := b.tree.sum(path)
		if err != nil {
			return "", fmt.Errorf("read the host compiler: %w", err)
		}
		fmt.Fprintln(&text, "host", path, sum)
	}
	if b.o.Compiler.Plan != "" {
		fmt.Fprintln(&text, "plan", b.o.Compiler.Plan)
	}
	for _, name := range tells(b.env(), b.orders.names) {
		if v := variable(b.env(), name); v != "" {
			fmt.Fprintf(&text, "variable %s=%q\n", name, v)
		}
	}
	for line := range strings.Lines(b.orders.files.String()) {
		fmt.Fprint(&text, "options ", line)
	}
	if embedsPaths(b.orders.text()) {
		fmt.Fprintln(&text, "root", b.set.Root)
	}
	for _, a := range b.o.Compiler.Args {
		fmt.Fprintf(&text, "compiler-argument %q\n", a)
	}
	return text.String(), nil
}

// text is all that a unit depends on besides the content of files, and its key.
func (b *builder) text(u unit) string {
	var text strings.Builder
	text.WriteString("unit 3\n") // of what records hold: another number finds none of the old
	text.WriteString(b.common)
	for _, dir := range b.tree.chain.dirs() {
		fmt.Fprintln(&text, "search", dir)
	}
	fmt.Fprintln(&text, "host-version", b.tree.chain.host)
	for _, a := range b.set.argv(u) {
		fmt.Fprintf(&text, "argument %q\n", a)
	}
	return text.String()
}

// lane is the key of something that is one set's in one root.
func (b *builder) lane(what string) cache.Key {
	return cache.KeyOf(fmt.Sprintf("%s\n%q\n%q\n", what, b.set.Root, b.set.Name))
}
