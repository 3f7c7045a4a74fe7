package propose

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// rustSources reads Rust sources for what tells their tests. Reading stops at a
// bound, behind which everything is taken to have tests: a gate too many shows
// itself when it is run, one too few does not.
type rustSources struct {
	root  string
	bytes int64
}

// maxSources is about two million lines, and a second of reading.
const maxSources = 64 << 20

// rustFound is what a text has.
type rustFound struct {
	tests   bool // a test that is not ignored
	ignored bool // one that is
	docs    bool // an example in the documentation that is compiled
}

var (
	// testAttr is #[test], #[tokio::test], #[rstest], #[test_case(…)] and such;
	// #[cfg(test)] has its word in brackets.
	testAttr = regexp.MustCompile(`(?m)(?:^|[{;}\]])\s*#\[\s*(?:\w+::)*\w*test\w*\s*[\](]|^\s*(?:\w+::)*(?:proptest|quickcheck)!`)
	ignore   = regexp.MustCompile(`(?m)(?:^|[{;}])\s*#\[[^\n]*\bignore\b[^\n]*`) // also by a condition; under miri nobody runs a gate
)

// look reads files, and the .rs files below directories, all relative to the
// root; docs says that the documentation matters too.
func (r *rustSources) look(places []string, docs bool) (out rustFound) {
	for _, p := range places {
		_ = filepath.WalkDir(filepath.Join(r.root, filepath.FromSlash(p)), func(at string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case e.IsDir() && (passOver(e.Name()) && at != r.root || r.ownPackage(at, p) || docs && r.besideSources(at)):
				return fs.SkipDir
			case !e.Type().IsRegular() || path.Ext(at) != ".rs":
				return nil
			}
			r.file(at, docs, &out)
			if out.tests && (out.docs || !docs) {
				return fs.SkipAll
			}
			return nil
		})
	}
	return out
}

// ownPackage says that a directory below the one looked at is another package.
func (r *rustSources) ownPackage(at, top string) bool {
	if at == filepath.Join(r.root, filepath.FromSlash(top)) {
		return false
	}
	_, err := os.Lstat(filepath.Join(at, "Cargo.toml"))
	return err == nil
}

// besideSources says that a directory has targets of their own, where a package
// keeps its sources right beside its manifest.
func (r *rustSources) besideSources(at string) bool {
	if !slices.Contains([]string{"tests", "benches", "examples"}, filepath.Base(at)) {
		return false
	}
	_, err := os.Lstat(filepath.Join(filepath.Dir(at), "Cargo.toml"))
	return err == nil
}

func (r *rustSources) file(at string, docs bool, out *rustFound) {
	if r.bytes >= maxSources {
		out.tests, out.docs = true, out.docs || docs
		return
	}
	data, err := readFile(at, maxText)
	if err != nil {
		return
	}
	r.bytes += int64(len(data))
	text := string(data)
	tests := len(testAttr.FindAllStringIndex(text, -1))
	ignored := 0
	for _, attr := range ignore.FindAllString(text, -1) {
		if !strings.Contains(attr, "miri") {
			ignored++
		}
	}
	out.ignored = out.ignored || ignored > 0
	out.tests = out.tests || tests > ignored
	out.docs = out.docs || docs && hasDocTest(text)
}

// hasDocTest says whether rustdoc would run or compile an example: a fence in a
// doc comment whose words do not say that it is something else.
func hasDocTest(text string) bool {
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		body, ok := strings.CutPrefix(line, "///")
		if !ok {
			body, ok = strings.CutPrefix(line, "//!")
		}
		if !ok {
			open = false // a comment ends, and what it opened with it
			continue
		}
		info, fence := strings.CutPrefix(strings.TrimSpace(body), "```")
		switch {
		case fence && open:
			open = false
		case fence && isExample(info):
			return true
		case fence:
			open = true
		}
	}
	return false
}

func isExample(info string) bool {
	for _, word := range strings.FieldsFunc(info, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch {
		case word == "rust" || word == "no_run" || word == "should_panic" || word == "compile_fail" || strings.HasPrefix(word, "edition"):
		default:
			return false
		}
	}
	return true
}
