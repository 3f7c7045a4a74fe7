package inputs

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// language is the compiled language of a source, "" if it is of none whose
// compilers write dependency files. CUDA and headers go with C: one preprocessor.
func language(path string) string {
	switch filepath.Ext(path) {
	case ".rs":
		return "rust"
	case ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".cu", ".cuh", ".inc":
		return "c"
	}
	return ""
}

// languageOf is the language of a rule of a compiler: that of its first input,
// which is the source that was compiled.
func languageOf(inputs []string) string {
	if len(inputs) == 0 {
		return ""
	}
	return language(inputs[0])
}

// ruleLanguage is the language that a rule tells of. Cargo's rules have whatever
// a build script asked to be watched, C too, but no word of what C included.
func ruleLanguage(cargo bool, r Rule) string {
	if cargo {
		return "rust"
	}
	return languageOf(r.Inputs)
}

// fixture says whether a source looks like one that a test reads while it runs,
// as tests of compilers and macros do (tests/ui/fails.rs): it is in a directory
// of that purpose, or further down in tests than cargo looks for tests. From the
// lane's root, with slashes.
func fixture(file string) bool {
	parts := strings.Split(path.Dir(file), "/")
	at := slices.Index(parts, "tests")
	return at >= 0 && at < len(parts)-1 || slices.ContainsFunc(parts, func(dir string) bool {
		return slices.Contains([]string{"testdata", "fixtures", "ui", "golden", "goldens", "expected", "snapshots"}, dir)
	})
}

// proseNames are the files that people write about a source tree, by convention in
// capitals: README, README.txt, LICENSE-MIT.
var proseNames = regexp.MustCompile(`^(README|LICEN[CS]E|COPYING|COPYRIGHT|CHANGES|CHANGELOG|NOTICE|NEWS|AUTHORS|CONTRIBUTORS|CONTRIBUTING|MAINTAINERS|CODE_OF_CONDUCT|SECURITY)(-[A-Z0-9.]+)?(\.txt)?$`)

// dataDirs begin the names of directories whose files a test reads whatever they are
// called: golden/report.md.
var dataDirs = []string{"test", "golden", "fixture", "expect", "snapshot", "data", "corpus", "oracle", "baseline"}

// testData says whether a file lies where tests have what they read. From the lane's
// root, with slashes.
func testData(file string) bool {
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(file)), "/") {
		if dir == "ui" || slices.ContainsFunc(dataDirs, func(begin string) bool { return strings.HasPrefix(dir, begin) }) {
			return true
		}
	}
	return false
}

// prose says whether a file is for people to read, so that nothing is built from it
// and no run reads it. A .txt is not: CMakeLists.txt, requirements.txt, and what tests
// hold numbers against.
func prose(file string) bool {
	return !testData(file) && (slices.Contains([]string{".md", ".rst", ".adoc"}, path.Ext(file)) || proseNames.MatchString(path.Base(file)))
}
