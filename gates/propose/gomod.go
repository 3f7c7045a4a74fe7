package propose

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
)

// golang makes one gate of each Go module with tests.
func (s *survey) golang(context.Context) {
	modules := s.dirsWith("go.mod")
	used, work := s.goWork()
	tops := make(map[string]bool)
	for _, m := range modules {
		tops[m] = true
	}
	tests := make(map[string][]string) // files by module
	for _, d := range s.tree.dirs {
		at := owner(d.path, tops)
		for _, name := range d.goTests {
			tests[at] = append(tests[at], d.file(name))
		}
	}
	for _, top := range modules {
		s.kinds[top] = true
		if !s.hasGoTest(tests[top]) {
			s.leave(path.Join(top, "go.mod"), "no func Test in the module, as far as its _test.go files without a build tag tell")
			continue
		}
		g := Gate{
			About: "the tests of the Go module " + where(top), Dir: top, Reader: "gotest",
			Build: [][]string{{"go", "build", "./..."}}, Run: [][]string{{"go", "test", "./..."}},
			wish: near(top, "go-tests"),
		}
		if work && !slices.Contains(used, top) { // the go tool refuses a module that the go.work above it does not name
			g.Env = map[string]string{"GOWORK": "off"}
			g.Remarks = append(g.Remarks, "go.work does not use this module")
		}
		s.add(g)
	}
}

var (
	goTest = regexp.MustCompile(`(?m)^func (?:Test|Fuzz|Example)`)
	goTag  = regexp.MustCompile(`(?m)^//go:build (.*)$`)
	// goHere are conditions that hold on Linux.
	goHere = regexp.MustCompile(`^(?:linux|unix|!windows|!darwin|!race|cgo)(?: *(?:\|\||&&) *(?:\w+|!windows|!darwin))*$`)
)

// maxTestFiles is how many files are opened in search of a first test.
const maxTestFiles = 200

// hasGoTest says whether one of some files has a test that go test would run
// without tags.
func (s *survey) hasGoTest(files []string) bool {
	if len(files) > maxTestFiles {
		return true
	}
	return slices.ContainsFunc(files, func(f string) bool {
		text, err := s.readText(f)
		tag := goTag.FindStringSubmatch(text)
		return err == nil && goTest.MatchString(text) && (tag == nil || goHere.MatchString(strings.TrimSpace(tag[1])))
	})
}

// dirsWith are the directories that have a file, parents first.
func (s *survey) dirsWith(mark string) (out []string) {
	for _, d := range s.tree.dirs {
		if d.has(mark) {
			out = append(out, d.path)
		}
	}
	return out
}

// owner is the nearest of some directories at or above another; "" without one.
func owner(dir string, tops map[string]bool) string {
	for at := dir; ; at = path.Dir(at) {
		if tops[at] {
			return at
		}
		if at == "." {
			return ""
		}
	}
}

// useLine is a directory in a go.work, alone or in a block
// (https://go.dev/ref/mod#go-work-file-use).
var useLine = regexp.MustCompile(`(?m)^\s*(?:use\s+)?"?(\.{1,2}(?:/[^\s"()]*)?)"?\s*(?://.*)?$`)

// goWork are the modules that the go.work at the root uses.
func (s *survey) goWork() (used []string, ok bool) {
	text, err := s.readText("go.work")
	if err != nil {
		return nil, false
	}
	for _, m := range useLine.FindAllStringSubmatch(text, -1) {
		used = append(used, path.Clean(strings.TrimSuffix(m[1], "/")))
	}
	return used, true
}
