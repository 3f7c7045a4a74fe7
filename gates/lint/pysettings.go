package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pySkips are the directories that pytest does not go into (norecursedirs).
func pySkips(path, name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".egg") || slices.Contains([]string{"_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}"}, name) || exists(filepath.Join(path, "pyvenv.cfg"))
}

// pySettings are what pytest's configuration says of where tests are.
type pySettings struct{ paths, patterns, options []string }

func (p pySettings) isTest(name string) bool {
	return slices.ContainsFunc(p.patterns, func(glob string) bool {
		ok, _ := filepath.Match(glob, name)
		return ok
	})
}

var pySetting = regexp.MustCompile(`(?m)^(testpaths|python_files|addopts)[ \t]*=[ \t]*(\[[^\]]*\]|[^\n]*(?:\n[ \t]+[^\n]*)*)`)

// pyConfig reads the first configuration of pytest at or above a directory, or the file
// that is named.
func pyConfig(dir, named string) (p pySettings) {
	p.patterns = []string{"test_*.py", "*_test.py"}
	for at := dir; ; at = filepath.Dir(at) {
		names := []string{"pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"}
		if named != "" {
			names = []string{named}
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(at, name))
			if err != nil || len(data) > maxFile || !strings.Contains(string(data), "pytest") {
				continue
			}
			for _, m := range pySetting.FindAllStringSubmatch(string(data), -1) {
				words := strings.FieldsFunc(m[2], func(r rune) bool { return strings.ContainsRune("[]\"', \t\n", r) })
				switch {
				case m[1] == "python_files" && len(words) > 0:
					p.patterns = words
				case m[1] == "addopts":
					p.options = optionWords(m[2])
				case m[1] == "testpaths":
					for _, w := range words {
						if rel, err := filepath.Rel(dir, filepath.Join(at, w)); err == nil && at == dir { // only where it is called there
							p.paths = append(p.paths, rel)
						}
					}
				}
			}
			return p
		}
		if at == filepath.Dir(at) || exists(filepath.Join(at, ".git")) {
			return p
		}
	}
}
