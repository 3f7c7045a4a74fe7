package inputs

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxFiles bounds how many inputs, and how many changed paths, are kept for one
// outcome: 20,000 paths are about 1 MB in the run's directory.
const maxFiles = 20_000

// Inputs is what the build of some products read.
type Inputs struct {
	// Known says that dependency files tell of every product. Where they do not,
	// the whole lane counts as read.
	Known bool
	// Why says what is missing when they do not.
	Why string
	// Told are the languages that they tell of: "rust", "c" (with C++ and CUDA).
	Told []string
	// Files are the paths read, from the lane's root with slashes, sorted. What
	// is outside the lane or in its target directory is not among them.
	Files []string
	// Outside are the paths read that are elsewhere, absolute and sorted: another
	// crate beside the lane. What the machine, its toolchains and cargo's registry
	// hold is not among them.
	Outside []string

	sources map[string][]string    // a product's, which its own dependency file names; absolute
	env     map[string][]string    // and the values of variables built into it
	written map[string]time.Time   // and when a dependency file of it was written last
	here    map[string]time.Time   // the same of those written for where it lies
	dated   map[string][]time.Time // when the dependency files that name a source were written, by its absolute path
	beyond  beyond                 // what Outside has besides
}

// Of finds the dependency files of products, which are absolute paths, and reads
// them. root is the lane's, target cargo's target directory, and dirs are where
// builds may have run besides; relative paths count from there.
//
// A product that cargo built has NAME-HASH.d beside it in deps, and cargo's own
// NAME.d beside the copy in the profile's directory. Which libraries of the
// workspace it was linked with no file says: those of all that lie there count,
// and so do the programs of the workspace that a test may start, the examples
// and the build scripts. Of other compilers NAME.d beside NAME.o tells of that
// object. Nothing tells what a program was linked from: there a product that is
// named and ends in .d is a dependency file itself, and the word of whoever named
// it is taken that such files together tell all.
func Of(products []string, root, target string, dirs ...string) Inputs {
	g := &gathering{
		root: root, target: target, dirs: dirs,
		files: make(map[string]bool), told: make(map[string]bool),
		own: make(map[string][]string), env: make(map[string][]string),
		times: make(map[string]time.Time), real: make(map[string]string), read: make(map[string]bool),
		names: make(map[string][]string), dated: make(map[string][]time.Time), here: make(map[string]time.Time),
	}
	named, missing := false, []string(nil)
	for _, p := range products {
		if filepath.Ext(p) == ".d" {
			named = true
			missing = append(missing, g.named(p)...)
		}
	}
	for _, p := range products {
		if filepath.Ext(p) != ".d" && !g.product(p) && !named {
			missing = append(missing, fmt.Sprintf("no dependency file tells what %s was built from", g.display(p)))
		}
	}
	in := Inputs{Told: slices.Sorted(maps.Keys(g.told)), Files: g.inLane(), sources: g.own, env: g.env, written: g.times, here: g.here, dated: g.dated}
	in.Outside, in.beyond = g.outside()
	switch {
	case len(products) == 0:
		in.Why = "no build product is known"
	case len(missing) > 0:
		in.Why = missing[0]
	case len(in.Files) > maxFiles || len(in.Outside) > maxOutside || g.many > maxDepFiles:
		in.Why = fmt.Sprintf("the dependency files name more than %d files, or %d outside of the lane, or are more than %d", maxFiles, maxOutside, maxDepFiles)
	}
	if in.Known = in.Why == ""; !in.Known {
		in.Files, in.Told = nil, nil
		in.Outside = in.Outside[:min(len(in.Outside), maxOutside)] // the lane as a whole says nothing of them
	}
	return in
}

// inLane are the gathered files that can be in the lane's git tree.
func (g *gathering) inLane() []string {
	var files []string
	for path := range g.files {
		if rel, ok := below(g.root, path); ok && !g.built(path) {
			files = append(files, filepath.ToSlash(rel))
		}
	}
	slices.Sort(files)
	return files
}

// built says whether a path is in the target directory: the build made it.
func (g *gathering) built(path string) bool {
	if g.target == "" || g.target == g.root {
		return false
	}
	_, inside := below(g.target, path)
	return inside
}

// display is a path as a reader of the lane would say it.
func (g *gathering) display(path string) string {
	if rel, ok := below(g.root, path); ok {
		return rel
	}
	return path
}

// below returns the path from dir, if it is inside.
func below(dir, path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	if !ok || len(rest) < 2 || rest[0] != '/' {
		return "", false
	}
	return rest[1:], true
}
