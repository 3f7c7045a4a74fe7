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
// code; over another set's outputs; over what is no file.
func (s Set) placed(units []unit) error {
	others := s.others()
	top := real(s.absolute(s.Output))
	dirs := map[string]string{} // of outputs, to what is wrong with them
	for _, u := range units {
		dir := filepath.Dir(u.output)
		why, ok := dirs[dir]
		if !ok {
			why = outside(top, real(dir))
			dirs[dir] = why
		}
		if rel, err := filepath.Rel(s.absolute(s.Output), u.output); err != nil || rel == "." || !filepath.IsLocal(rel) {
			why = "is outside of its output directory: mend output-name"
		}
		switch {
		case why != "":
		case slices.Contains(strings.Split(filepath.ToSlash(u.output), "/"), ".git"):
			why = "is git's own: name another output"
		case s.kept(u.output) != "":
			why = fmt.Sprintf("is committed device code, as prebuilt %q says, and would be written over: name another output", s.kept(u.output))
		case others[u.output] != "":
			why = "is an output of the set " + others[u.output] + " as well: give each set an output of its own"
		default:
			why = occupied(u.output)
		}
		if why != "" {
			return fmt.Errorf("%s, the output of %s, %s", u.output, u, why)
		}
	}
	return nil
}

// real is the path with its links followed, as far as it is there.
func real(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if r, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(r, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// outside is what is wrong with a directory of outputs, links followed.
func outside(top, dir string) string {
	rel, err := filepath.Rel(top, dir)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return "is outside of its output directory, through a link: " + dir
	case slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), ".git"):
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

// kept is the pattern of committed files that means an output; "" for none.
func (s Set) kept(output string) string {
	name := filepath.ToSlash(within(s.Root, output))
	for _, p := range s.Keep {
		if matches(strings.Split(path.Clean(filepath.ToSlash(p)), "/"), strings.Split(name, "/")) {
			return p
		}
	}
	return ""
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

// others are the outputs of the sets beside this one, and whose each is. Of sets whose
// directories have nothing in common none are listed.
func (s Set) others() map[string]string {
	all := map[string]string{}
	for _, o := range s.Beside {
		o.Root, o.Beside, o.Keep = s.Root, nil, nil
		if o.Name == s.Name || !overlap(s.absolute(s.Output), o.absolute(o.Output)) {
			continue
		}
		units, _ := o.list() // what is wrong with that one, its own build says
		for _, u := range units {
			all[u.output] = o.Name
		}
	}
	return all
}

// overlap is whether one of two directories is in the other.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}
