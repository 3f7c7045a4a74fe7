package propose

import (
	"context"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// pyTest is what pytest collects: a function, a method, or a unittest.
var pyTest = regexp.MustCompile(`(?m)^\s*(?:async\s+)?def\s+test|TestCase\b`)

// python makes one gate of each Python project that has tests for pytest.
func (s *survey) python(context.Context) {
	var tops []string
	files := make(map[string][]string) // test files by project
	for _, d := range s.tree.dirs {
		if len(d.pyTests) == 0 {
			continue
		}
		top := s.pyProject(d.path)
		if !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
		for _, f := range d.pyTests {
			files[top] = append(files[top], d.file(f))
		}
	}
	slices.Sort(tops)
	for _, top := range tops {
		s.kinds[top] = true
		if !s.hasPyTest(files[top]) {
			s.leave(files[top][0], "no test in it or in its like that pytest would collect")
			continue
		}
		s.add(s.pyGate(top, tops))
	}
}

// pyProject is the project that a directory of tests belongs to: the nearest
// directory upwards that has a configuration, else the one that has tests/.
func (s *survey) pyProject(at string) string {
	best := at
	for above := at; ; above = path.Dir(above) {
		if slices.ContainsFunc([]string{"pyproject.toml", "pytest.ini", "setup.cfg", "setup.py", "tox.ini"}, func(mark string) bool {
			return s.tree.has(above, mark)
		}) {
			return above
		}
		if above == "." {
			return best
		}
		if base := path.Base(above); base == "tests" || base == "test" {
			best = path.Dir(above)
		}
	}
}

func (s *survey) hasPyTest(files []string) bool {
	if len(files) > maxTestFiles {
		return true
	}
	return slices.ContainsFunc(files, func(f string) bool {
		text, err := s.readText(f)
		return err == nil && pyTest.MatchString(text)
	})
}

func (s *survey) pyGate(top string, tops []string) Gate {
	run, remark := s.interpreter(top)
	for _, other := range tops {
		if other != top && under(other, top) { // it has a gate of its own
			run = append(run, "--ignore="+strings.TrimPrefix(strings.TrimPrefix(other, top), "/"))
		}
	}
	return Gate{
		About: "the Python tests " + where(top), Dir: top, Reader: "pytest",
		Run: [][]string{run}, Remarks: []string{remark}, wish: near(top, "pytest"),
		makes: []string{path.Join(top, "__pycache__") + "/"}, // .pytest_cache ignores itself
	}
}

// interpreter is how pytest is started, and what that asks for.
func (s *survey) interpreter(top string) (run []string, remark string) {
	for _, at := range []string{top, "."} {
		python := path.Join(at, ".venv/bin/python")
		if _, err := os.Stat(s.path(python)); err == nil {
			rel := strings.Repeat("../", depth(top)-depth(at)) + ".venv/bin/python"
			return []string{rel, "-m", "pytest"}, "each lane needs a .venv of its own, with pytest in it"
		}
	}
	for _, tool := range []struct{ lock, name string }{{"uv.lock", "uv"}, {"poetry.lock", "poetry"}} {
		if s.isFile(path.Join(top, tool.lock)) && s.onPath(tool.name) {
			return []string{tool.name, "run", "pytest"}, "pytest must be among the project's dependencies"
		}
	}
	return []string{"python3", "-m", "pytest"}, "python3 on PATH must have pytest; write the path of another interpreter where it has not"
}

// depth is how many directories a path has.
func depth(at string) int {
	if at == "." {
		return 0
	}
	return strings.Count(at, "/") + 1
}
