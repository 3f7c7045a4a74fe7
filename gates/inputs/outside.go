package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxOutside bounds how many inputs outside of the lane are kept: each is hashed
// when an outcome is kept, 2000 sources in some 20 ms.
const maxOutside = 2000

// systems are where a machine keeps what is nobody's work in hand.
var systems = []string{"/usr", "/lib", "/lib64", "/opt", "/nix", "/gnu", "/snap", "/proc", "/dev"}

// outside are the gathered files that are not in the lane, nor of the machine or
// a registry: a path dependency beside it. With a Rust source goes the manifest of
// its crate, which no dependency file names.
func (g *gathering) outside() []string {
	found := make(map[string]bool)
	manifests := make(map[string]string) // by directory
	for path := range g.files {
		if !g.foreign(path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !g.foreign(real) {
			continue
		}
		found[real] = true
		if filepath.Ext(real) == ".rs" {
			if m := manifest(filepath.Dir(real), manifests); m != "" {
				found[m] = true
			}
		}
	}
	list := make([]string, 0, len(found))
	for path := range found {
		list = append(list, path)
	}
	slices.Sort(list)
	return list
}

// foreign says whether a path is outside of the lane and somebody's work. A lane
// in /opt has neighbours there that count.
func (g *gathering) foreign(path string) bool {
	if _, inside := below(g.root, path); inside || g.built(path) {
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

// manifest is the Cargo.toml of the crate that a directory is in, "" for none.
func manifest(dir string, known map[string]string) string {
	if m, ok := known[dir]; ok {
		return m
	}
	m := filepath.Join(dir, "Cargo.toml")
	if !isRegular(m) {
		m = ""
		if up := filepath.Dir(dir); up != dir && strings.Count(dir, "/") > 1 {
			m = manifest(up, known)
		}
	}
	known[dir] = m
	return m
}
