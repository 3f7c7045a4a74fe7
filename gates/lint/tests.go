package lint

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates/lint/crates"
)

// maxTests bounds how many files of tests are read for one command.
const maxTests = 20_000

// tests looks through the tests that a command runs, as far as its words say which.
func (u *unit) tests(words []string) {
	name := base(words[0])
	switch rest, ok := cargoTest(words); {
	case ok:
		u.rustTests(words, rest)
		return
	case name == "go" && goTest(words) != nil:
		u.goTests(words, goTest(words))
		return
	case name == "pytest" || name == "py.test":
		u.pythonTests(words, words[1:])
		return
	case strings.HasPrefix(name, "python"):
		for i, w := range words {
			if w != "-m" || i+1 == len(words) {
				continue
			}
			switch words[i+1] {
			case "pytest":
				u.pythonTests(words, words[i+2:])
			case "unittest":
				u.unittests(words, words[i+2:])
			}
			return
		}
		return
	}
	if runner(words) && !launcher(words) && name != "make" && name != "gmake" && name != "go" {
		u.beyond("gate %s: the tests of `%s` are not read: those of cargo, go, pytest and unittest are", u.gate.Name, shown(words))
	}
}

// shown is a command in a sentence.
func shown(words []string) string {
	const most = 80
	text := slices.Clone(words)
	for i, w := range text {
		if text[i] = strings.ReplaceAll(w, crates.Hole, "…"); w == "" {
			text[i] = "…"
		}
	}
	if r := []rune(strings.Join(text, " ")); len(r) > most {
		return string(r[:most]) + "…"
	}
	return strings.Join(text, " ")
}

// where is the directory that a command runs in; ok is false, and it is said, where that
// is not known.
func (u *unit) where(words []string) (dir string, ok bool) {
	switch {
	case u.nowhere:
		u.cannot("which tests `%s` runs: it is not known in which directory", shown(words))
	case !u.inside(u.dir):
		u.beyond("gate %s: the tests of `%s` are outside of the directory of gpuci.toml, and are not read", u.gate.Name, shown(words))
	default:
		return u.dir, true
	}
	return "", false
}

// inside says whether a path is in the directory of gpuci.toml.
func (l *look) inside(path string) bool {
	rel, err := filepath.Rel(l.root, path)
	return err == nil && filepath.IsLocal(rel)
}

// none says that no test was found that a command runs.
func (u *unit) none(words []string, n int) {
	if n == 0 {
		u.cannot("the tests of `%s`: no file was found with one that it runs", shown(words))
	}
}

// below lists the files of a kind below a directory, absolute, without the directories
// that a test command passes over.
func below(dir string, is func(name string) bool, skip func(path, name string) bool) (paths []string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(paths) > maxTests:
			return fs.SkipDir
		case d.IsDir() && path != dir && skip(path, d.Name()):
			return fs.SkipDir
		case !d.IsDir() && is(d.Name()):
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// testFile opens a file of tests, once for each way in which it is read.
func (u *unit) testFile(path, how string) (*unit, bool) {
	rel, text, ok := u.open(path)
	if !ok {
		if exists(path) {
			u.beyond("%s is outside of the directory of gpuci.toml, and is not read", path)
		}
		return nil, false
	}
	if !u.reads(rel, "tests "+how) {
		return nil, false
	}
	return &unit{look: u.look, path: rel, text: text, whole: text}, true
}

// early reports a test that passes without having asserted anything.
func (u *unit) early(at int, test, how string, certain bool) {
	u.hollow(at, test, "passes without having asserted anything"+how, certain)
}

// hollow reports a test that passes whatever it is that it tests.
func (u *unit) hollow(at int, test, how string, certain bool) {
	f := u.finding(Early, at)
	f.Command, f.Why, f.Certain = "test "+test, "test "+test+" "+how, certain
	_, f.Instead = advice(Early)
	u.report.add(f)
}

// ignored reports a test that is not run; reason is what the test says of that.
func (u *unit) ignored(at int, test, instead, reason string) {
	f := u.finding(Ignored, at)
	f.Command, f.Why = "test "+test, "test "+test+" is not run"
	f.Instead = instead
	if f.Accepted == "" && reason != "" {
		f.Accepted = reason
	}
	u.report.add(f)
}
