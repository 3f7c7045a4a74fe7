package lint

import (
	"path/filepath"
	"slices"
	"strings"
)

// unittests looks through those of python -m unittest: modules by their names, or what
// discover finds.
func (u *unit) unittests(all, words []string) {
	dir, ok := u.where(all)
	if !ok {
		return
	}
	pattern, start, plain := "test*.py", ".", []string(nil)
	for i := 0; i < len(words); i++ {
		next := func() string {
			if i++; i < len(words) {
				return words[i]
			}
			return ""
		}
		switch w := words[i]; {
		case w == "":
			u.cannot("which tests `%s` runs: a word of it is put together from what is not known before it runs", shown(all))
			return
		case w == "-p" || w == "--pattern":
			pattern = next()
		case w == "-s" || w == "--start-directory":
			start = next()
		case w == "-t" || w == "--top-level-directory" || w == "-k":
			next()
		case strings.HasPrefix(w, "-") || w == "discover":
		default:
			plain = append(plain, w)
		}
	}
	if slices.Contains(words, "discover") && len(plain) > 0 {
		start, plain = plain[0], nil
	}
	var paths []string
	for _, w := range plain {
		paths = append(paths, moduleFile(dir, w))
	}
	if plain == nil && u.inside(filepath.Join(dir, start)) {
		paths = below(filepath.Join(dir, start), func(name string) bool {
			ok, _ := filepath.Match(pattern, name)
			return ok
		}, pySkips)
	}
	n := 0
	for _, p := range paths {
		if p == "" {
			continue
		}
		n++
		if in, ok := u.testFile(p, "unittest"); ok {
			in.pytest(func(pyCase) bool { return true })
		}
	}
	u.none(all, n)
}

// moduleFile is the file of a.b.TestCase.test, "" where there is none.
func moduleFile(dir, name string) string {
	if strings.HasSuffix(name, ".py") {
		return filepath.Join(dir, name)
	}
	for parts := strings.Split(name, "."); len(parts) > 0; parts = parts[:len(parts)-1] {
		if at := filepath.Join(dir, filepath.Join(parts...)) + ".py"; exists(at) {
			return at
		}
	}
	return ""
}
