package crates

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packageOf finds the targets of a package where cargo would.
func packageOf(dir string, m manifest) Package {
	p := Package{Name: m.Package.Name, Dir: dir, Features: m.Features}
	p.Version, _ = m.Package.Version.(string)
	lib := target{Path: "src/lib.rs"}
	if m.Lib != nil {
		lib = target{Name: m.Lib.Name, Path: or(m.Lib.Path, lib.Path), Test: m.Lib.Test}
	}
	p.add(Lib, target{Name: or(lib.Name, strings.ReplaceAll(p.Name, "-", "_")), Path: lib.Path, Test: lib.Test}, true)
	p.all(Bin, "src/bin", m.Bin, m.Package.Autobins, true)
	if !no(m.Package.Autobins) && !p.has("src/main.rs") {
		p.add(Bin, target{Name: p.Name, Path: "src/main.rs"}, true)
	}
	p.all(Test, "tests", m.Test, m.Package.Autotests, true)
	p.all(Bench, "benches", m.Bench, m.Package.Autobenches, false)
	p.all(Example, "examples", m.Example, m.Package.Autoexamples, false)
	return p
}

// all adds the targets of a kind: those of the manifest, and those that stand where
// cargo looks for them.
func (p *Package) all(k Kind, below string, named []target, auto *bool, tested bool) {
	for _, t := range named {
		if t.Path == "" {
			t.Path = p.first(below+"/"+t.Name+".rs", below+"/"+t.Name+"/main.rs")
			if k == Bin && t.Path == "" {
				t.Path = "src/main.rs"
			}
		}
		p.add(k, t, tested)
	}
	if no(auto) {
		return
	}
	for _, pattern := range []string{"*.rs", "*/main.rs"} {
		found, _ := filepath.Glob(filepath.Join(p.Dir, below, pattern))
		for _, at := range found {
			rel, err := filepath.Rel(filepath.Join(p.Dir, below), at)
			if err != nil {
				continue
			}
			t := target{Name: strings.TrimSuffix(strings.TrimSuffix(rel, ".rs"), "/main"), Path: filepath.Join(below, rel)}
			if !p.has(t.Path) && !slices.ContainsFunc(named, func(n target) bool { return n.Name == t.Name }) {
				p.add(k, t, tested)
			}
		}
	}
}

func (p *Package) add(k Kind, t target, tested bool) {
	at := filepath.Join(p.Dir, t.Path)
	if t.Path == "" || !isFile(at) {
		return
	}
	if t.Test != nil {
		tested = *t.Test
	}
	p.Targets = append(p.Targets, Target{Package: p.Name, Kind: k, Name: t.Name, Source: at, Tested: tested, Needs: t.Needs})
}

func (p *Package) has(path string) bool {
	return slices.ContainsFunc(p.Targets, func(t Target) bool { return t.Source == filepath.Join(p.Dir, path) })
}

func (p *Package) first(paths ...string) string {
	for _, at := range paths {
		if isFile(filepath.Join(p.Dir, at)) {
			return at
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func no(b *bool) bool { return b != nil && !*b }

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
