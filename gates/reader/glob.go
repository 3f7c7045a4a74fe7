package reader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// globber finds files by a glob of path.Match's signs, in which ** stands for
// any number of directories. Symbolic links to directories are followed only where
// someone says into which, and .git is left out.
type globber struct {
	parts []string
	found []string
	left  int // directory entries that may still be looked at
	into  func(link string) error
	on    []os.FileInfo // the directories that the walk is in, where links are followed
}

// Bounds of a search. A build directory has some 100,000 files, and the reports
// of a large project some thousand.
const (
	maxEntries = 1 << 20
	maxFiles   = 1 << 14
)

var errBroad = fmt.Errorf("it looks at more than %d files, or fits more than %d: write a narrower one", maxEntries, maxFiles)

// parseGlob checks a glob and takes it apart.
func parseGlob(glob string) ([]string, error) {
	if !filepath.IsLocal(glob) || strings.HasSuffix(glob, "/") {
		return nil, fmt.Errorf("%q names no files below the directory of the gate: write something like build/**/*.xml", glob)
	}
	parts := strings.Split(path.Clean(glob), "/")
	for _, p := range parts {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("%q is no glob: mend %q in it", glob, p)
		}
	}
	return slices.CompactFunc(parts, func(a, b string) bool { return a == "**" && b == "**" }), nil
}

// Glob are the files below a directory that fit a glob, sorted, each with the
// directory in front: ** in it, between slashes, stands for any number of directories,
// none among them.
func Glob(dir, glob string) ([]string, error) {
	parts, err := parseGlob(glob)
	if err != nil {
		return nil, err
	}
	return globFiles(dir, parts)
}

// Linked is Glob that takes a link to a directory for a directory. into is asked about
// each before it is followed, and its error ends the search. A link to a directory that
// it lies in has no end, and is an error too.
func Linked(dir, glob string, into func(link string) error) ([]string, error) {
	parts, err := parseGlob(glob)
	if err != nil {
		return nil, err
	}
	g := globber{parts: parts, left: maxEntries, into: into}
	err = g.walk(dir, g.skip([]int{0}))
	slices.Sort(g.found)
	return g.found, err
}

// Reports are the files below the directory of a run that a reader of some name would
// count in; none of one that reads what is printed.
func Reports(name, dir string) ([]string, error) {
	glob, ok := strings.CutPrefix(name, junitPrefix)
	if !ok {
		return nil, nil
	}
	return Glob(dir, glob)
}

// globFiles gives the paths below dir that fit, sorted, each with dir in front.
func globFiles(dir string, parts []string) ([]string, error) {
	if dir == "" {
		dir = "."
	}
	g := globber{parts: parts, left: maxEntries}
	err := g.walk(dir, g.skip([]int{0}))
	slices.Sort(g.found)
	return g.found, err
}

// skip adds to the places in the glob those that ** lets be reached at once.
func (g *globber) skip(at []int) []int {
	for i := 0; i < len(at); i++ {
		if next := at[i] + 1; at[i] < len(g.parts) && g.parts[at[i]] == "**" && !slices.Contains(at, next) {
			at = append(at, next)
		}
	}
	return at
}

// step goes on from the places by one name.
func (g *globber) step(at []int, name string) []int {
	var next []int
	for _, i := range at {
		if i == len(g.parts) {
			continue
		}
		to := i + 1
		if g.parts[i] == "**" {
			to = i
		} else if ok, _ := path.Match(g.parts[i], name); !ok {
			continue
		}
		if !slices.Contains(next, to) {
			next = append(next, to)
		}
	}
	return g.skip(next)
}

func (g *globber) walk(dir string, at []int) error {
	if g.into != nil {
		info, err := os.Stat(dir)
		if err == nil {
			if slices.ContainsFunc(g.on, func(above os.FileInfo) bool { return os.SameFile(above, info) }) {
				return fmt.Errorf("%s is a link to a directory that it lies in", dir)
			}
			g.on = append(g.on, info)
			defer func() { g.on = g.on[:len(g.on)-1] }()
		}
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it has not been made, or is gone
	case err != nil:
		return err
	}
	if g.left -= len(entries); g.left < 0 {
		return errBroad
	}
	for _, e := range entries {
		next := g.step(at, e.Name())
		name := filepath.Join(dir, e.Name())
		switch {
		case len(next) == 0 || e.Name() == ".git":
		case g.into != nil && linked(name, e):
			if err := g.into(name); err != nil {
				return err
			}
			fallthrough
		case e.IsDir():
			if err := g.walk(name, next); err != nil {
				return err
			}
		case slices.Contains(next, len(g.parts)):
			if len(g.found) == maxFiles {
				return errBroad
			}
			g.found = append(g.found, name)
		}
	}
	return nil
}

// linked says whether an entry is a link to a directory.
func linked(name string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
