package propose

import (
	"context"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// makeTarget is a rule for test or check, not a variable of that name.
var makeTarget = regexp.MustCompile(`(?m)^(test|check)[ \t]*:(?:[^=:]|:[^=]|$)`)

// makefiles makes gates of Makefiles where nothing else tells how the tests
// run: what make prints is counted by nobody.
func (s *survey) makefiles(context.Context) {
	tops := make(map[string]bool)
	for _, d := range s.tree.dirs {
		i := slices.IndexFunc([]string{"GNUmakefile", "makefile", "Makefile"}, d.has)
		if i < 0 || owner(d.path, tops) != "" {
			continue
		}
		file := d.file([]string{"GNUmakefile", "makefile", "Makefile"}[i])
		text, err := s.readText(file)
		targets := makeTargets(text)
		switch {
		case err != nil:
			s.leave(file, "cannot be read: %s", reason(err))
		case len(targets) == 0:
		case s.kinds[d.path]:
			s.leave(file, "make %s: the project beside it has gates that count its tests, which make does not", strings.Join(targets, ", make "))
		default:
			tops[d.path] = true
			for _, t := range targets {
				s.add(Gate{
					About: "make " + t + " " + where(d.path), Dir: d.path, Reader: "none", Run: [][]string{{"make", t}},
					Remarks: []string{"nothing is counted here: where make runs cargo test, go test, pytest or ctest, write that into run"},
					wish:    near(d.path, "make-"+t),
				})
			}
		}
	}
}

func makeTargets(text string) (out []string) {
	for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
		out = union(out, []string{m[1]})
	}
	return out
}

// node makes gates of packages for Node with a test script.
func (s *survey) node(context.Context) {
	tops := make(map[string]bool)
	for _, at := range s.dirsWith("package.json") {
		if owner(at, tops) != "" {
			continue
		}
		file := path.Join(at, "package.json")
		var p struct {
			Scripts                       map[string]string
			Dependencies, DevDependencies map[string]any
		}
		text, err := s.readText(file)
		if err == nil {
			err = json.Unmarshal([]byte(text), &p)
		}
		script := p.Scripts["test"]
		switch {
		case err != nil:
			s.leave(file, "cannot be read: %s", reason(err))
		case script == "" || strings.Contains(script, "no test specified"):
		case len(p.Dependencies)+len(p.DevDependencies) > 0 && !s.isDir(path.Join(at, "node_modules")):
			s.leave(file, "its packages are not installed: run npm ci, then gpuci init --print again")
		default:
			tops[at] = true
			s.kinds[at] = true
			s.add(Gate{
				About: "the test script of package.json " + where(at), Dir: at, Reader: "none",
				Run: [][]string{{s.nodeTool(at), "test"}}, wish: near(at, "npm-test"),
			})
		}
	}
}

func (s *survey) nodeTool(at string) string {
	switch {
	case s.isFile(path.Join(at, "pnpm-lock.yaml")):
		return "pnpm"
	case s.isFile(path.Join(at, "yarn.lock")):
		return "yarn"
	}
	return "npm"
}
