package build

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

// Expand gives the files of patterns below a directory, as a set's sources are
// found: each once, with slashes, sorted within its pattern. The errors are those of
// each pattern that is wrong or finds nothing, joined; the files of the others are
// given all the same.
func Expand(root string, patterns []string) ([]string, error) {
	return Set{Root: filepath.Clean(root), Sources: patterns}.expand()
}

// expand gives the sources, each once and sorted within its glob. A glob that
// finds nothing is an error: a set that silently lost its sources would be green.
// Wildcards do not find names that begin with a dot, and ** follows no links.
func (s Set) expand() ([]string, error) {
	var all []string
	var errs []error
	for _, pattern := range s.Sources {
		found, err := s.glob(filepath.ToSlash(filepath.Clean(pattern)))
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("finds no file in %s", s.Root)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("source %q: %w", pattern, err))
		}
		slices.Sort(found)
		for _, f := range found {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all, errors.Join(errs...)
}

func (s Set) glob(pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	start := ""
	if strings.HasPrefix(pattern, "/") {
		start = "/"
	}
	seen := map[string]bool{}
	var found []string
	err := s.walk(start, strings.Split(strings.TrimPrefix(pattern, "/"), "/"), func(file string) {
		if !seen[file] {
			seen[file] = true
			found = append(found, file)
		}
	})
	return found, err
}

// walk calls found for each file below dir that the segments match.
func (s Set) walk(dir string, segments []string, found func(string)) error {
	head, rest := segments[0], segments[1:]
	if !strings.ContainsAny(head, `*?[\`) {
		return s.step(path.Join(dir, head), rest, found)
	}
	entries, err := os.ReadDir(s.absolute(filepath.FromSlash(dir)))
	if err != nil {
		return err
	}
	if head == "**" && len(rest) > 0 {
		if err := s.walk(dir, rest, found); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if head == "**" && e.IsDir() {
			err = errors.Join(err, s.walk(path.Join(dir, e.Name()), segments, found))
		}
		// A last ** is every file.
		if head == "**" && len(rest) > 0 {
			continue
		}
		if ok, _ := path.Match(head, e.Name()); ok { // the pattern was tried before
			err = errors.Join(err, s.step(path.Join(dir, e.Name()), rest, found))
		}
	}
	return err
}

// step goes on behind a name, or ends there.
func (s Set) step(name string, rest []string, found func(string)) error {
	info, err := os.Stat(s.absolute(filepath.FromSlash(name)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(rest) == 0 && !info.IsDir():
		found(name)
	case len(rest) > 0 && info.IsDir():
		return s.walk(name, rest, found)
	}
	return nil
}
