package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/reaper/proc"
)

// uses are the tools that a workspace names, by name, and who names each.
type uses map[string]string

func (u uses) add(by string, names ...string) {
	for _, name := range names {
		if _, ok := u[name]; !ok {
			u[name] = by
		}
	}
}

// usesOf finds them in the gates' commands and by the files at the root.
func (d *doctor) usesOf() uses {
	u := make(uses)
	known := make(map[string]bool)
	for _, k := range kits() {
		known[k.name] = true
	}
	for _, g := range d.place.config.Gates {
		by := fmt.Sprintf("gate %s names it", g.Name)
		u.add("of a gate that hangs it tells the stacks", "gdb")
		for _, c := range slices.Concat(g.Build, g.Run) {
			for _, name := range wordsOf(c) {
				if known[name] || name == "nvcc" {
					u.add(by, name)
				}
			}
		}
		if g.Backend == "cuda" || len(g.Needs) > 0 {
			u.add(fmt.Sprintf("gate %s is for a card", g.Name), "nvcc")
		}
	}
	for _, k := range d.place.config.Kernels {
		if len(k.Sources) > 0 {
			u.add(fmt.Sprintf("set %s of kernels is compiled by it", k.Name), "nvcc")
		}
	}
	if d.file != "" || d.place.lane.Root != "" {
		u.byFiles(d.root())
	}
	return u
}

// wordsOf are the programs that a command may name: the first word of an argv,
// every word of a string, and the shell that runs that.
func wordsOf(c config.Command) []string {
	if c.Shell == "" {
		return c.Argv[:min(1, len(c.Argv))]
	}
	return append(strings.FieldsFunc(c.Shell, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()`$\"'<>", r) }), "bash")
}

// byFiles adds what the build systems at a root are made with.
func (u uses) byFiles(root string) {
	for _, kind := range []struct {
		file  string
		tools []string
	}{
		{"Cargo.toml", []string{"cargo", "rustc", "cc"}},
		{"go.mod", []string{"go"}},
		{"CMakeLists.txt", []string{"cmake", "ctest", "c++"}},
		{"meson.build", []string{"meson", "ninja", "cc"}},
		{"build.ninja", []string{"ninja"}},
		{"Makefile", []string{"make"}}, {"GNUmakefile", []string{"make"}}, {"makefile", []string{"make"}},
		{"pytest.ini", []string{"python3", "pytest"}}, {"conftest.py", []string{"python3", "pytest"}},
		{"pyproject.toml", []string{"python3"}}, {"setup.py", []string{"python3"}},
	} {
		if info, err := os.Stat(filepath.Join(root, kind.file)); err == nil && info.Mode().IsRegular() {
			u.add("there is a "+kind.file, kind.tools...)
		}
	}
	if data, err := readSmall(filepath.Join(root, ".gitattributes")); err == nil && strings.Contains(string(data), "filter=lfs") {
		u.add(".gitattributes names it", "git-lfs")
	}
}

// unfound are the programs that gates name and that are not here, beside those
// that doctor knows.
func (d *doctor) unfound() (out []check) {
	seen := make(map[string]bool)
	for _, g := range d.place.config.Gates {
		env := d.env
		for k, v := range g.Env {
			env = append(slices.Clip(env), k+"="+v)
		}
		for _, c := range slices.Concat(g.Build, g.Run) {
			if c.Shell != "" || len(c.Argv) == 0 || strings.Contains(c.Argv[0], "/") || seen[c.Argv[0]] {
				continue // a path may be what the build makes
			}
			name := c.Argv[0]
			seen[name] = true
			if _, known := d.answers[name]; known {
				continue
			}
			if _, err := proc.LookPath(name, filepath.Join(d.root(), g.Dir), env); err != nil {
				out = append(out, lost(name, "not on PATH", fmt.Sprintf("gate %s names it and cannot run", g.Name), "install it, or put its directory on PATH"))
			}
		}
	}
	return out
}
