package inputs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// unitForm is how cargo names what it builds: the crate and a hash of 64 bits.
var unitForm = regexp.MustCompile(`^(?:lib)?(.+)-[0-9a-f]{16}(?:\.[a-z.]+)?$`)

// cargoProfile is the directory of a profile (target/debug, target/TRIPLE/release)
// that a product lies in or below, when cargo made it: it holds a lock of
// cargo's, and its fingerprints where build.build-dir does not put them elsewhere.
func cargoProfile(product string) (string, bool) {
	dir := filepath.Dir(product)
	for _, at := range []string{dir, filepath.Dir(dir)} {
		for _, sign := range []string{".cargo-lock", ".fingerprint"} {
			if _, err := os.Stat(filepath.Join(at, sign)); err == nil {
				return at, true
			}
		}
	}
	return "", false
}

// hashed says whether a name has cargo's hash in it.
func hashed(base string) bool { return unitForm.MatchString(base) }

// crateName is the name of the crate that a file of cargo's is of.
func crateName(base string) string {
	if m := unitForm.FindStringSubmatch(base); m != nil {
		base = m[1]
	} else {
		base = strings.TrimPrefix(strings.TrimSuffix(base, filepath.Ext(base)), "lib")
	}
	return strings.ReplaceAll(base, "-", "_")
}

// makesUnit says whether a rule is for the unit in deps that cargo copies to a
// product: target/debug/my-tool is deps/my_tool-HASH.
func makesUnit(r Rule, product string) bool {
	base := filepath.Base(product)
	return !hashed(base) && slices.ContainsFunc(r.Outputs, func(out string) bool {
		name := filepath.Base(out)
		return hashed(name) && filepath.Ext(name) == filepath.Ext(base) && crateName(name) == crateName(base)
	})
}

// units are the dependency files of the units that cargo may have copied to a
// product: the one that is the same file, if one is.
func units(product, profile string) []string {
	var all, same []string
	info, err := os.Stat(product)
	for _, dir := range []string{"deps", "examples"} {
		found, _ := filepath.Glob(filepath.Join(literal(profile), dir, literal(crateName(filepath.Base(product)))+"-*.d"))
		for _, dep := range found {
			all = append(all, dep)
			unit, unitErr := os.Stat(strings.TrimSuffix(dep, ".d"))
			if err == nil && unitErr == nil && os.SameFile(info, unit) {
				same = append(same, dep)
			}
		}
	}
	if len(same) > 0 {
		return same
	}
	return all
}

// workspace adds what a product of a profile may have been linked with, or may
// start: the libraries, programs, examples and build scripts beside it. Build
// scripts and macros of a cross build lie in the host's profile.
func (g *gathering) workspace(profile string) {
	dirs := []string{profile}
	if up := filepath.Dir(filepath.Dir(profile)); filepath.Dir(profile) != g.target {
		dirs = append(dirs, filepath.Join(up, filepath.Base(profile)))
	}
	for _, dir := range dirs {
		if g.read[dir] {
			continue
		}
		g.read[dir] = true
		programs := programsIn(dir)
		for _, pattern := range []string{"*.d", "deps/*.d", "examples/*.d", "build/*/*.d"} {
			found, _ := filepath.Glob(filepath.Join(literal(dir), pattern)) // it fails on a bad pattern only
			for _, dep := range found {
				if g.many++; g.many > maxDepFiles {
					return
				}
				g.unit(dep, programs)
			}
		}
	}
}

// unit adds the sources of one unit, unless it is a test binary, which nothing
// links or starts. What cannot be read, or lies nowhere any more, is left over
// from an earlier build.
func (g *gathering) unit(dep string, programs map[string]bool) {
	d, err := readDeps(dep)
	if err != nil {
		return
	}
	for _, r := range d.Rules {
		if !slices.ContainsFunc(r.Outputs, func(out string) bool { return usable(out, dep, programs) }) {
			continue
		}
		var all, relative []string
		for _, in := range r.Inputs {
			if filepath.IsAbs(in) {
				all = append(all, filepath.Clean(in))
			} else {
				relative = append(relative, in)
			}
		}
		g.add(dep, append(all, g.likely(dep, relative)...), "rust")
	}
}

// likely makes relative inputs absolute, from the directories at which most of
// them are.
func (g *gathering) likely(dep string, relative []string) (all []string) {
	best := 1
	for _, base := range g.bases(dep) {
		n, at := g.present(base, relative)
		if n > best {
			best, all = n, nil
		}
		if n == best {
			all = append(all, at...)
		}
	}
	return all
}

// programsIn are the crates of the programs that a profile's directory has a
// copy of.
func programsIn(profile string) map[string]bool {
	entries, _ := os.ReadDir(profile) // without it there is none
	programs := make(map[string]bool)
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == "" {
			programs[crateName(e.Name())] = true
		}
	}
	return programs
}

// usable says whether an output is something to link with or to start: all but
// the programs in deps of which the profile's directory has no copy.
func usable(output, dep string, programs map[string]bool) bool {
	name := filepath.Base(output)
	switch {
	case filepath.Ext(name) == ".d":
		return false
	case filepath.Base(filepath.Dir(dep)) != "deps" || filepath.Ext(name) != "":
		return true
	}
	return programs[crateName(name)]
}

// literal is a path as a pattern that matches only itself.
func literal(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
