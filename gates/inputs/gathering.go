package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxDepFiles bounds how many dependency files one look reads; a target
// directory with the crates of a large workspace in a few variants has 2000.
const maxDepFiles = 20_000

// gathering collects what dependency files say.
type gathering struct {
	root, target string
	dirs         []string

	files map[string]bool        // absolute
	told  map[string]bool        // languages
	own   map[string][]string    // by product
	env   map[string][]string    // by product
	times map[string]time.Time   // of a product's dependency files, the newest
	real  map[string]string      // directories with their links resolved
	read  map[string]bool        // directories of cargo's that are done
	names map[string][]string    // of a file: as it is named, and where its links lead
	dated map[string][]time.Time // when the dependency files that name a file were written
	here  map[string]time.Time   // of a product's dependency files that were written for it where it lies, the newest
	many  int                    // dependency files read
}

// named takes a dependency file that stands among the products, and says what
// is wrong with it.
func (g *gathering) named(path string) []string {
	d, err := readDeps(path)
	if err != nil {
		return []string{err.Error()}
	}
	for _, r := range d.Rules {
		sources, ok := g.resolve(path, r.Inputs)
		if !ok {
			return []string{"not all that " + g.display(path) + " names is there: was it built by something else?"}
		}
		g.add(path, sources, languageOf(r.Inputs))
	}
	return nil
}

// product takes the dependency files of a product, and says whether they tell
// all of it. Those of an object do. Those of a program do if cargo has put it
// together; else something may be linked in of which they say nothing.
func (g *gathering) product(path string) bool {
	profile, ours := cargoProfile(path)
	whole, unit := false, !ours || hashed(filepath.Base(path))
	for _, dep := range beside(path, profile) {
		d, err := readDeps(dep)
		if err != nil {
			continue
		}
		for _, r := range d.Rules {
			copied := ours && makesUnit(r, path)
			if !makes(r, path) && !copied {
				continue
			}
			sources, ok := g.resolve(dep, r.Inputs)
			if !ok {
				return false
			}
			g.own[path] = append(g.own[path], sources...)
			g.times[path] = later(g.times[path], written(dep))
			if inPlace(r, dep, path) {
				g.here[path] = later(g.here[path], written(dep))
			}
			g.add(dep, sources, ruleLanguage(ours, r))
			whole, unit = ours || filepath.Ext(path) == ".o", unit || copied
		}
		for _, value := range d.Env {
			g.env[path] = append(g.env[path], value)
		}
	}
	// What cargo writes itself, beside the copy, is of the last cargo build: a
	// cargo test renews the copy alone.
	if whole = whole && unit; whole && ours {
		g.workspace(profile)
	}
	return whole
}

// beside lists the dependency files that may be a product's own.
func beside(path, profile string) []string {
	dir, base := filepath.Split(path)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	places := []string{path + ".d", dir + stem + ".d", dir + strings.TrimPrefix(stem, "lib") + ".d"}
	if profile != "" && !hashed(base) {
		places = append(places, units(path, profile)...)
	}
	places = slices.DeleteFunc(places, func(p string) bool { return !isRegular(p) })
	slices.Sort(places)
	return slices.Compact(places)
}

// makes says whether a rule is for a product. Directories are not compared: a
// target directory can be moved, and reached through a link.
func makes(r Rule, product string) bool {
	return slices.ContainsFunc(r.Outputs, func(out string) bool { return filepath.Base(out) == filepath.Base(product) })
}

// resolve makes the inputs of a rule absolute. A relative one counts from where
// the compiler ran, which the file does not say (cargo runs rustc in the
// workspace's root): from each directory at which all of them are. ok is false
// when there is none.
func (g *gathering) resolve(dep string, inputs []string) (sources []string, ok bool) {
	var relative []string
	for _, in := range inputs {
		if filepath.IsAbs(in) {
			sources = append(sources, filepath.Clean(in))
		} else {
			relative = append(relative, in)
		}
	}
	if len(relative) == 0 {
		return sources, true
	}
	for _, base := range g.bases(dep) {
		if n, at := g.present(base, relative); n == len(relative) {
			sources, ok = append(sources, at...), true
		}
	}
	return sources, ok
}

// present counts which of some relative paths are at a directory, and names all.
func (g *gathering) present(base string, relative []string) (n int, at []string) {
	for _, in := range relative {
		path := filepath.Join(base, in)
		if _, err := os.Stat(path); err == nil {
			n++
		}
		at = append(at, path)
	}
	return n, at
}

// bases are the directories a build may have run in: those given and the
// dependency file's, up to the lane's root.
func (g *gathering) bases(dep string) []string {
	bases := []string{g.root}
	for _, dir := range append(slices.Clone(g.dirs), filepath.Dir(dep)) {
		for at := dir; ; at = filepath.Dir(at) {
			if _, inside := below(g.root, at); !inside {
				break
			}
			bases = append(bases, at)
		}
	}
	slices.Sort(bases)
	return slices.Compact(bases)
}

// isRegular says whether a path leads to a plain file.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
