package build

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// placed refuses outputs that would be written where the set does not own: outside of
// its directory, by their names or by links in it; in git's own; over committed device
// code; over another set's outputs; over what is no file. Two files are one if their
// directories are, by links or by mounts of one directory in two places.
func (s Set) placed(units []unit) error {
	at := newPlaces()
	others, kept := s.others(at), s.committed(at)
	top := real(s.absolute(s.Output))
	dirs := map[string]string{} // of outputs, to what is wrong with them
	for _, u := range units {
		dir := filepath.Dir(u.output)
		why, ok := dirs[dir]
		if !ok {
			why = outside(top, real(dir))
			dirs[dir] = why
		}
		rel, err := filepath.Rel(s.absolute(s.Output), u.output)
		place := at.of(u.output)
		if pattern := s.kept(u.output); pattern != "" {
			kept[place] = pattern
		}
		switch {
		case err != nil || rel == "." || !filepath.IsLocal(rel):
			why = "is outside of its output directory: mend output-name"
		case isGit(u.output):
			why = "is git's own: name another output"
		case why != "":
		case kept[place] != "":
			why = fmt.Sprintf("is committed device code, as prebuilt %q says, and would be written over: name another output", kept[place])
		case others[place] != "":
			why = "is an output of the set " + others[place] + " as well: give each set an output of its own"
		default:
			why = occupied(u.output)
		}
		if why != "" {
			return fmt.Errorf("%s, the output of %s, %s", u.output, u, why)
		}
	}
	return nil
}

// isGit is whether a path is in git's own directory.
func isGit(path string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), ".git")
}

// outside is what is wrong with a directory of outputs, links followed.
func outside(top, dir string) string {
	rel, err := filepath.Rel(top, dir)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return "is outside of its output directory, through a link: " + dir
	case isGit(dir):
		return "is git's own, through a link: " + dir
	}
	return ""
}

// occupied is what stands in an output's place and is no file; a link is written over,
// and what it leads to is left alone.
func occupied(path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil || info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0:
		return ""
	case info.IsDir():
		return "is a directory: remove it, or name another output"
	}
	return "is no regular file: remove it, or name another output"
}

// kept is the pattern of committed files that means an output, by its name or by where
// links lead it; "" for none.
func (s Set) kept(output string) string {
	names := []string{within(s.Root, output), within(real(s.Root), resolved(output))}
	for _, p := range s.Keep {
		pattern := strings.Split(path.Clean(filepath.ToSlash(p)), "/")
		for _, name := range names {
			if matches(pattern, strings.Split(filepath.ToSlash(name), "/")) {
				return p
			}
		}
	}
	return ""
}

// committed are the places of the committed files that are there, and whose pattern each
// is of.
func (s Set) committed(at *places) map[string]string {
	all := map[string]string{}
	for _, p := range s.Keep {
		found, _ := s.glob(path.Clean(filepath.ToSlash(p))) // what is wrong with it, who reads them says
		for _, f := range found {
			all[at.of(s.absolute(filepath.FromSlash(f)))] = p
		}
	}
	return all
}

// matches is whether a glob finds a name, both cut at their slashes, as [Set.glob] would.
func matches(pattern, name []string) bool {
	if len(pattern) == 0 || len(name) == 0 {
		return len(pattern) == len(name)
	}
	head, rest := pattern[0], pattern[1:]
	hidden := strings.HasPrefix(name[0], ".")
	switch {
	case head == "**" && len(rest) > 0:
		return matches(rest, name) || !hidden && matches(pattern, name[1:])
	case head == "**":
		return !slices.ContainsFunc(name, func(n string) bool { return strings.HasPrefix(n, ".") })
	case hidden && strings.ContainsAny(head, `*?[\`):
		return false
	}
	ok, err := path.Match(head, name[0])
	return ok && err == nil && matches(rest, name[1:])
}

// others are the places of the outputs of the sets beside this one, and whose each is. Of
// sets whose directories have nothing in common none are listed.
func (s Set) others(at *places) map[string]string {
	all := map[string]string{}
	for _, o := range s.Beside {
		o.Root, o.Beside, o.Keep = s.Root, nil, nil
		if o.Name == s.Name || !at.overlap(s.absolute(s.Output), o.absolute(o.Output)) {
			continue
		}
		units, _ := o.list() // what is wrong with that one, its own build says
		for _, u := range units {
			all[at.of(u.output)] = o.Name
		}
	}
	return all
}
