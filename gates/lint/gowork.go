package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// goDir is the directory of a package: by its path on disk, or in the module.
func goDir(dir, pattern string) (string, error) {
	if filepath.IsAbs(pattern) {
		return pattern, nil
	}
	if pattern == "" || pattern == "." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "..") || strings.HasSuffix(pattern, ".go") {
		return filepath.Join(dir, pattern), nil
	}
	if at, ok := inWorkspace(dir, pattern); ok {
		return at, nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		if data, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil {
			m := goModule.FindSubmatch(data)
			if m == nil {
				return "", fmt.Errorf("%s names no module", filepath.Join(at, "go.mod"))
			}
			rest, ok := strings.CutPrefix(pattern+"/", string(m[1])+"/")
			if !ok {
				return "", fmt.Errorf("the package %s is not of the module %s", pattern, m[1])
			}
			return filepath.Join(at, rest), nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("there is no go.mod above %s", dir)
		}
	}
}

// inWorkspace is the directory of a package in one of the modules that the go.work at or
// above a directory names.
func inWorkspace(dir, pattern string) (string, bool) {
	for at := dir; ; at = filepath.Dir(at) {
		data, err := os.ReadFile(filepath.Join(at, "go.work"))
		if err != nil {
			if at == filepath.Dir(at) {
				return "", false
			}
			continue
		}
		found, longest := "", -1
		for _, use := range goUses(string(data)) {
			if !filepath.IsAbs(use) {
				use = filepath.Join(at, use)
			}
			mod, err := os.ReadFile(filepath.Join(use, "go.mod"))
			m := goModule.FindSubmatch(mod)
			if err != nil || m == nil {
				continue
			}
			if rest, ok := strings.CutPrefix(pattern+"/", string(m[1])+"/"); ok && len(m[1]) > longest {
				found, longest = filepath.Join(use, rest), len(m[1])
			}
		}
		return found, longest >= 0
	}
}

// goUses are the directories of the use directives of a go.work.
func goUses(text string) (dirs []string) {
	for _, m := range goUse.FindAllStringSubmatch(goComment.ReplaceAllString(text, ""), -1) {
		for _, dir := range strings.Fields(strings.Trim(m[1], "()")) {
			dirs = append(dirs, strings.Trim(dir, `"`+"`"))
		}
	}
	return dirs
}

var (
	goUse     = regexp.MustCompile(`(?m)^use[ \t]*(\([^)]*\)|[^\s(]+)`)
	goComment = regexp.MustCompile(`//[^\n]*`)
)

var goModule = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)
