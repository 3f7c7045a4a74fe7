package inputs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxOutput bounds how much of a build script's output is read, in bytes: whatever
// it prints is there, and what cargo reads are lines.
const maxOutput = 1 << 20

// maxWatched bounds the files that are looked at in one directory.
const maxWatched = 5000

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

// workspaceTable is where a manifest begins to speak of a workspace.
var workspaceTable = regexp.MustCompile(`(?m)^\s*\[\s*workspace\s*[\].]`)

// workspaceOf is the Cargo.toml of the workspace that a crate is in, which sets
// what its members inherit; "" where there is none or it is the crate's own.
func workspaceOf(crate string) string {
	for dir := crate; ; dir = filepath.Dir(dir) {
		m := filepath.Join(dir, "Cargo.toml")
		if data, err := readSome(m, maxOutput); err == nil && workspaceTable.Match(data) {
			if dir == crate {
				return ""
			}
			return m
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// packageName finds the name that a manifest gives its package.
var packageName = regexp.MustCompile(`(?m)^\s*name\s*=\s*["']([^"'\n]+)["']`)

// watched are the paths that the build scripts of some crates asked cargo to
// watch, by what they printed into the target directory. A relative one counts
// from the crate.
func (g *gathering) watched(crates map[string]bool) (paths []string) {
	dirs := make(map[string]string) // of crates by name
	for dir := range crates {
		if data, err := readSome(filepath.Join(dir, "Cargo.toml"), maxOutput); err == nil {
			if m := packageName.FindSubmatch(data); m != nil {
				dirs[string(m[1])] = dir
			}
		}
	}
	for profile := range g.read {
		found, _ := filepath.Glob(filepath.Join(literal(profile), "build", "*", "output"))
		for _, output := range found {
			name := filepath.Base(filepath.Dir(output))
			if at := strings.LastIndexByte(name, '-'); at > 0 {
				name = name[:at]
			}
			dir, ours := dirs[name]
			data, err := readSome(output, maxOutput)
			if !ours || err != nil {
				continue
			}
			for _, path := range rerunOn(data) {
				if !filepath.IsAbs(path) {
					path = filepath.Join(dir, path)
				}
				paths = append(paths, filepath.Clean(path))
			}
		}
	}
	return paths
}

// rerunOn reads what a build script asks to be watched (the Cargo book, "Build
// Scripts").
func rerunOn(output []byte) (paths []string) {
	for line := range bytes.Lines(output) {
		text := strings.TrimRight(string(line), "\r\n")
		for _, form := range []string{"cargo::rerun-if-changed=", "cargo:rerun-if-changed="} {
			if path, ok := strings.CutPrefix(text, form); ok && path != "" && !strings.ContainsRune(path, 0) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// readSome reads a plain file, or the beginning of it.
func readSome(path string, most int64) ([]byte, error) {
	if !isRegular(path) { // a pipe of that name must not hold us
		return nil, fs.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	_, err = data.ReadFrom(io.LimitReader(f, most))
	return data.Bytes(), err
}

// filesIn are the plain files below a directory, by their paths from it, sorted.
func filesIn(dir string) (files []string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what cannot be read is not watched
		if err != nil || e.Type().IsRegular() && len(files) == maxWatched {
			return fs.SkipDir
		}
		if rel, ok := below(dir, path); ok && e.Type().IsRegular() {
			files = append(files, rel)
		}
		return nil
	})
	return files
}

// names is a hash of which files lie in a directory: all of them, or those that
// cargo takes for a target of the crate there.
func names(dir string, kind Kept) string {
	var list []string
	if kind == Names {
		list = filesIn(dir)
	} else {
		for _, pattern := range []string{"src/*.rs", "src/bin/*.rs", "src/bin/*/main.rs", "tests/*.rs", "tests/*/main.rs",
			"benches/*.rs", "benches/*/main.rs", "examples/*.rs", "examples/*/main.rs"} {
			found, _ := filepath.Glob(filepath.Join(literal(dir), pattern))
			for _, path := range found {
				rel, _ := below(dir, path)
				if _, is := target(rel); is {
					list = append(list, rel)
				}
			}
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(list, "\x00")))
	return hex.EncodeToString(sum[:])
}
