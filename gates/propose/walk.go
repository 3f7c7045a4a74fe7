package propose

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a walk. The deepest crate of a large workspace stands four or five
// directories down; 50,000 directories are three each of 5,000 crates, with room,
// and take about a second from a warm cache. A directory of more files is a
// data set.
const (
	maxDepth = 8
	maxDirs  = 50_000
	maxFiles = 50_000
)

// marks are the files that say what a directory is.
var marks = []string{
	"gpuci.toml", "Cargo.toml", "go.mod", "go.work", "CMakeLists.txt", "CMakePresets.json",
	"pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "setup.py", "conftest.py", "uv.lock", "poetry.lock",
	"GNUmakefile", "makefile", "Makefile", "package.json", "pnpm-lock.yaml", "yarn.lock",
	"meson.build", "MODULE.bazel", "WORKSPACE", "pom.xml", "build.gradle", "build.gradle.kts", "build.zig", "Justfile", "justfile",
}

// others are directories that hold somebody else's sources, or what a tool made,
// beside those whose names begin with a dot or an underscore.
var others = []string{
	"target", "node_modules", "vendor", "third_party", "third-party", "thirdparty", "3rdparty", "external", "extern",
	"subprojects", "venv", "site-packages", "testdata",
}

// made are files that a tool leaves at the top of what it makes.
var made = []string{"CMakeCache.txt", "CACHEDIR.TAG", "pyvenv.cfg"}

// dir is one directory that was looked at.
type dir struct {
	path    string // relative to the root, with slashes; "." is the root
	marks   []string
	goTests []string // files *_test.go
	pyTests []string // files test_*.py and *_test.py
	cu      []string // files *.cu
	headers []string // that a *.cu can include
	device  []string // *.cubin, *.ptx, *.fatbin
	hosts   []string // sources that could look kernels up
}

func (d dir) has(mark string) bool    { return slices.Contains(d.marks, mark) }
func (d dir) file(name string) string { return path.Join(d.path, name) }

// tree is what a walk saw, every directory above those in it.
type tree struct {
	dirs    []dir
	at      map[string]int // index into dirs
	skipped []Left
	full    bool
}

// walk looks at the directories from below on. It follows no symbolic links,
// and leaves out what is hidden, vendored or made by a tool, and whatever is a
// repository of its own. Only a start that cannot be read is an error.
func walk(root, below string) (tree, error) {
	t := tree{at: make(map[string]int)}
	if _, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(below))); err != nil {
		return t, fmt.Errorf("look at the workspace: %w", err)
	}
	t.visit(root, below, 0)
	if t.full {
		t.skipped = append(t.skipped, Left{below, fmt.Sprintf("more than %d directories: the rest was not looked at; name one of them with --dir", maxDirs)})
	}
	return t, nil
}

// has says whether a directory that was looked at has a file.
func (t *tree) has(at, mark string) bool {
	i, ok := t.at[at]
	return ok && t.dirs[i].has(mark)
}

func (t *tree) visit(root, at string, depth int) {
	if len(t.dirs) >= maxDirs {
		t.full = true
		return
	}
	entries, err := list(filepath.Join(root, filepath.FromSlash(at)))
	if err != nil {
		t.skipped = append(t.skipped, Left{at, "cannot be read: " + reason(err)})
		return
	}
	if why := foreign(entries); why != "" && depth > 0 {
		if why != "made" {
			t.skipped = append(t.skipped, Left{at, why})
		}
		return
	}
	d := dir{path: at}
	var down []string
	for _, e := range entries {
		switch {
		case e.Type().IsRegular():
			d.take(e.Name())
		case e.IsDir() && !passOver(e.Name()):
			down = append(down, e.Name())
		}
	}
	t.at[at] = len(t.dirs)
	t.dirs = append(t.dirs, d)
	if depth == maxDepth {
		return
	}
	for _, name := range down {
		t.visit(root, path.Join(at, name), depth+1)
	}
}

func (d *dir) take(name string) {
	switch path.Ext(name) {
	case ".cu":
		d.cu = append(d.cu, name)
	case ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl":
		d.headers = append(d.headers, name)
	case ".cubin", ".ptx", ".fatbin":
		d.device = append(d.device, name)
	case ".rs", ".c", ".cc", ".cpp", ".cxx", ".py":
		d.hosts = append(d.hosts, name)
	}
	switch {
	case slices.Contains(marks, name):
		d.marks = append(d.marks, name)
	case strings.HasSuffix(name, "_test.go"):
		d.goTests = append(d.goTests, name)
	case strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py")):
		d.pyTests = append(d.pyTests, name)
	}
}

// list reads a directory, sorted by name, up to maxFiles of it.
func list(path string) ([]fs.DirEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxFiles)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// foreign says why a directory is none of the workspace's own: "made" is what
// nobody needs to be told.
func foreign(entries []fs.DirEntry) string {
	for _, e := range entries {
		switch {
		case e.Name() == ".git":
			return "a repository of its own (a submodule or another worktree): run gpuci init in it"
		case slices.Contains(made, e.Name()):
			return "made"
		}
	}
	return ""
}

func passOver(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains(others, name)
}

// reason is an error about a file without the file's name.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
