package lint

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// maxTests bounds how many files of tests are read for one gate.
const maxTests = 20_000

// tests looks through the tests that a gate runs, as far as its own words say which.
func (l *look) tests() {
	for _, c := range l.gate.Run {
		words := unwrap(c.Argv)
		if len(words) == 0 {
			words = unwrap(strings.Fields(c.Shell)) // near enough: whether, not what
		}
		if len(words) == 0 {
			continue
		}
		switch name := base(words[0]); {
		case name == "cargo" && slices.Contains(words, "test"), name == "cargo" && slices.Contains(words, "nextest"):
			l.rustTests(words)
		case name == "go" && slices.Contains(words, "test"):
			l.goTests(words)
		case name == "pytest", strings.HasPrefix(name, "python") && slices.Contains(words, "pytest"):
			l.pythonTests(words)
		}
	}
}

// files lists those of a kind below a directory, without what is built there.
func (l *look) files(dir string, is func(name string) bool) (paths []string) {
	skip := []string{"target", "node_modules", "vendor", "testdata", "build", "venv"}
	_ = filepath.WalkDir(filepath.Join(l.root, dir), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(paths) > maxTests:
			return fs.SkipDir
		case d.IsDir() && path != filepath.Join(l.root, dir) && (strings.HasPrefix(d.Name(), ".") || slices.Contains(skip, d.Name())):
			return fs.SkipDir
		case !d.IsDir() && is(d.Name()):
			if rel, err := filepath.Rel(l.root, path); err == nil {
				paths = append(paths, rel)
			}
		}
		return nil
	})
	return paths
}

// read opens a file of tests, once.
func (l *look) readTests(path string) (*unit, bool) {
	rel, text, ok := l.open(path)
	if !ok || !l.reads(rel, "tests") {
		return nil, false
	}
	return &unit{look: l, path: rel, text: text, whole: text}, true
}

// early reports a test that passes without having asserted anything.
func (u *unit) early(at int, test, how string, certain bool) {
	f := u.finding(Early, at)
	f.Command, f.Why, f.Certain = "test "+test, "test "+test+" passes without having asserted anything"+how, certain
	_, f.Instead = advice(Early)
	u.report.add(f)
}

// ignored reports a test that is not run; reason is what the test says of that.
func (u *unit) ignored(at int, test, reason string) {
	f := u.finding(Ignored, at)
	f.Command, f.Why = "test "+test, "test "+test+" is not run"
	_, f.Instead = advice(Ignored)
	if f.Accepted == "" && reason != "" {
		f.Accepted = reason
	}
	u.report.add(f)
}
