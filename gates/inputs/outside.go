package inputs

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// maxOutside bounds how many inputs outside of the lane are kept: each is hashed
// when an outcome is kept, 2000 sources in some 20 ms.
const maxOutside = 2000

// systems are where a machine keeps what is nobody's work in hand.
var systems = []string{"/usr", "/lib", "/lib64", "/opt", "/nix", "/gnu", "/snap", "/proc", "/dev"}

// beyond is what is held against besides files with content.
type beyond struct {
	absent []string // paths at which cargo looks for a file, and none is
	crates []string // directories of crates, in which it finds targets by their place
	trees  []string // directories that a build script asked to be watched
}

// places adds to the files outside of the lane what is not there and what lies in
// directories.
func (b beyond) places(m byPath[File]) byPath[File] {
	if m == nil && len(b.absent)+len(b.crates)+len(b.trees) > 0 {
		m = make(byPath[File])
	}
	for _, path := range b.absent {
		m[Path(path)] = File{Kind: Absent}
	}
	for kind, dirs := range map[Kept][]string{Targets: b.crates, Names: b.trees} {
		for _, dir := range dirs {
			m[Path(dir)] = File{Kind: kind, SHA256: names(dir, kind)}
		}
	}
	return m
}

// outside are the gathered files that are not in the lane, nor of the machine or
// a registry: a path dependency beside it. With a Rust source goes what no
// dependency file names, of its crate: the manifests, the build script, whatever
// that asked to be watched, and which targets there are.
func (g *gathering) outside() ([]string, beyond) {
	o := outside{g, make(map[string]bool), make(map[string]bool), make(map[string]bool)}
	crates, all := make(map[string]bool), make(map[string]bool) // their directories: outside, and anywhere
	manifests := make(map[string]string)                        // by directory
	for path := range g.files {
		real := path
		if g.foreign(path) {
			resolved, err := filepath.EvalSymlinks(path)
			if err != nil || !g.foreign(resolved) {
				continue
			}
			real = resolved
			o.found[real] = true
		} else if !g.ownSource(path) {
			continue
		}
		if filepath.Ext(real) != ".rs" {
			continue
		}
		if m := manifest(filepath.Dir(real), manifests); m != "" {
			dir := filepath.Dir(m)
			all[dir] = true
			if real != path || g.foreign(real) {
				crates[dir] = true
			}
		}
	}
	for dir := range crates {
		o.crate(dir)
	}
	for _, path := range g.watched(all) {
		o.watch(path)
	}
	return slices.Sorted(maps.Keys(o.found)), beyond{slices.Sorted(maps.Keys(o.absent)), slices.Sorted(maps.Keys(crates)), slices.Sorted(maps.Keys(o.trees))}
}

// outside is what was found outside of the lane.
type outside struct {
	*gathering
	found, absent, trees map[string]bool
}

// take takes a file in, if it is one of those.
func (o outside) take(path string) {
	switch {
	case !o.foreign(path):
	case isRegular(path):
		o.found[path] = true
	default:
		o.absent[path] = true
	}
}

// crate takes in what cargo reads of a crate whatever its sources say.
func (o outside) crate(dir string) {
	o.found[filepath.Join(dir, "Cargo.toml")] = true
	o.take(filepath.Join(dir, "build.rs"))
	if w := workspaceOf(dir); w != "" {
		o.take(w)
	}
}

// watch takes in what a build script asked to be watched: of a directory all that
// lies in it.
func (o outside) watch(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || !o.foreign(path) {
		o.take(path)
		return
	}
	o.trees[path] = true
	for _, file := range filesIn(path) {
		o.take(filepath.Join(path, file))
	}
}

// ownSource says whether a path is in the lane, and no build made it.
func (g *gathering) ownSource(path string) bool {
	_, inside := below(g.root, path)
	return inside && !g.built(path)
}

// foreign says whether a path is outside of the lane and somebody's work. A lane
// in /opt has neighbours there that count.
func (g *gathering) foreign(path string) bool {
	if _, inside := below(g.root, path); inside || path == g.root || g.built(path) {
		return false
	}
	for _, dir := range systems {
		_, here := below(dir, g.root)
		if _, of := below(dir, path); of && !here {
			return false
		}
	}
	for _, dir := range homes() {
		if _, of := below(dir, path); of {
			return false
		}
	}
	return true
}

// homes are the directories of cargo and rustup: sources of a registry do not
// change, and a toolchain is told of by its version.
func homes() (dirs []string) {
	home, _ := os.UserHomeDir()
	for name, usual := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"} {
		dir := os.Getenv(name)
		if dir == "" && home != "" {
			dir = filepath.Join(home, usual)
		}
		if !filepath.IsAbs(dir) {
			continue
		}
		dirs = append(dirs, filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dirs = append(dirs, real)
		}
	}
	return dirs
}
