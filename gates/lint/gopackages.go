package lint

import (
	"errors"
	"fmt"
	"go/build"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuci/gates/lint/crates"
)

// goChoice is what the words of go test choose.
type goChoice struct {
	dir       string // of -C
	tags      []string
	run, skip []*regexp.Regexp  // of the tests themselves, without those in them
	env       map[string]string // of the gate
	packages  []string
}

// goTest gives the words after `go test`, nil where it is no such command.
func goTest(words []string) []string {
	var dir []string
	for i, w := range words[1:] {
		switch {
		case w == "test":
			return append(append([]string{}, dir...), words[i+2:]...)
		case w == "-C" && i+2 < len(words):
			dir = []string{w, words[i+2]}
		case strings.HasPrefix(w, "-C="):
			dir = []string{w}
		case strings.HasPrefix(w, "-C"):
		case i > 0 && words[i] == "-C":
		default:
			return nil
		}
	}
	return nil
}

// goValued are the options of go test that take a word (go help test, go help build).
const goValued = ` asmflags bench benchtime blockprofile blockprofilerate buildmode buildvcs compiler count covermode coverpkg coverprofile cpu
 cpuprofile exec fuzz fuzzminimizetime fuzztime gccgoflags gcflags installsuffix ldflags list memprofile memprofilerate mod modfile mutexprofile
 mutexprofilefraction o outputdir overlay p parallel pgo pkgdir shuffle timeout toolexec trace vet `

// readGoTest reads the words after `go test`.
func readGoTest(words []string) (c goChoice, compiles bool, err error) {
	if slices.Contains(words, "-c") {
		return c, true, nil
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "" {
			return c, false, errors.New("a word of it is put together from what is not known before it runs")
		}
		if !strings.HasPrefix(w, "-") {
			c.packages = append(c.packages, w)
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimLeft(w, "-"), "test."), "=")
		if name == "args" {
			return c, false, nil
		}
		if takes := slices.Contains([]string{"run", "skip", "tags", "C"}, name) || slices.Contains(strings.Fields(goValued), name); takes && !given {
			if i++; i == len(words) {
				return c, false, fmt.Errorf("nothing stands after %s", w)
			}
			value = words[i]
		}
		if slices.Contains([]string{"run", "skip", "tags", "C"}, name) && (value == "" && !given || strings.Contains(value, crates.Hole)) {
			return c, false, fmt.Errorf("it is not known what stands after -%s", name)
		}
		switch name {
		case "C":
			c.dir = value
		case "tags":
			c.tags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		case "run":
			c.run, err = topNames(value)
		case "skip":
			if !strings.Contains(value, "/") { // a/b leaves out b of a
				c.skip, err = topNames(value)
			}
		}
		if err != nil {
			return c, false, err
		}
	}
	return c, false, nil
}

// topNames reads -run: expressions of the tests themselves, which a slash parts from
// those of the tests in them. A bar outside of brackets parts alternatives.
func topNames(pattern string) (out []*regexp.Regexp, err error) {
	for _, alternative := range splitOutside(pattern, '|') {
		r, err := regexp.Compile(splitOutside(alternative, '/')[0])
		if err != nil {
			return nil, fmt.Errorf("read -run %s: %w", pattern, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func splitOutside(text string, by byte) (out []string) {
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case by:
			if depth == 0 {
				out, from = append(out, text[from:i]), i+1
			}
		}
	}
	return append(out, text[from:])
}

// runs says whether a test is run.
func (c goChoice) runs(test string) bool {
	matches := func(r *regexp.Regexp) bool { return r.MatchString(test) }
	return (c.run == nil || slices.ContainsFunc(c.run, matches)) && !slices.ContainsFunc(c.skip, matches)
}

// context is what decides which files are built: the tags that are given, those of
// GOFLAGS where none are, GOOS and GOARCH.
func (c goChoice) context() build.Context {
	b := build.Default
	b.BuildTags = c.tags
	for _, flag := range strings.Fields(c.env["GOFLAGS"]) {
		if _, value, ok := strings.Cut(strings.TrimLeft(flag, "-"), "tags="); ok && c.tags == nil {
			b.BuildTags = strings.Split(value, ",")
		}
	}
	b.GOOS, b.GOARCH = or(c.env["GOOS"], b.GOOS), or(c.env["GOARCH"], b.GOARCH)
	return b
}

// files are the test files of the packages that are meant, of a command in a directory.
func (c goChoice) files(dir string, inside func(string) bool) (paths []string, err error) {
	if c.dir != "" {
		dir = filepath.Join(dir, c.dir)
	}
	list := c.packages
	if len(list) == 0 {
		list = []string{"."}
	}
	tags := c.context()
	isTest := func(name string) bool { return strings.HasSuffix(name, "_test.go") }
	for _, p := range list {
		var found []string
		at, all := strings.CutSuffix(p, "...")
		at, err = goDir(dir, strings.TrimSuffix(at, "/"))
		switch {
		case err != nil:
			return nil, err
		case !inside(at):
			return nil, fmt.Errorf("%s is outside of the directory of gpuci.toml", p)
		case strings.HasSuffix(p, ".go"):
			named, _ := filepath.Glob(at)
			found = slices.DeleteFunc(named, func(f string) bool { return !isTest(f) })
		case all:
			found = below(at, isTest, func(path, name string) bool {
				return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" || exists(filepath.Join(path, "go.mod"))
			})
		default:
			found, _ = filepath.Glob(filepath.Join(at, "*_test.go"))
		}
		for _, f := range found {
			if ok, err := tags.MatchFile(filepath.Dir(f), filepath.Base(f)); err == nil && ok || strings.HasSuffix(p, ".go") {
				paths = append(paths, f)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
