package reader

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// put writes a file below a directory.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
}

const oneCase = `<testsuite name="s" tests="1"><testcase name="a" classname="c"/></testsuite>`

// junitCase is what lies there before a run, what the run does, and what is
// counted then.
type junitCase struct {
	glob   string
	before func(dir string)
	run    func(dir string)
	want
}

func TestJUnitFiles(t *testing.T) {
	one := Counts{Passed: 1, Suites: 1}
	writes := func(name, text string) func(string) { return func(dir string) { put(t, dir, name, text) } }
	nothing := func(string) {}
	old := func(name string) func(string) {
		return func(dir string) {
			hourAgo := time.Now().Add(-time.Hour)
			_ = os.Chtimes(put(t, dir, name, oneCase), hourAgo, hourAgo)
		}
	}
	for name, tt := range map[string]junitCase{
		"one":          {"o.xml", nothing, writes("o.xml", oneCase), want{Counts: one}},
		"none":         {"o.xml", nothing, nothing, want{says: []string{"no file is there by o.xml"}}},
		"elsewhere":    {"a/*.xml", nothing, writes("o.xml", oneCase), want{says: []string{"no file is there by a/*.xml"}}},
		"below":        {"a/**/*.xml", nothing, writes("a/b/c/o.xml", oneCase), want{Counts: one}},
		"stale":        {"o.xml", writes("o.xml", oneCase), nothing, want{says: []string{"o.xml: it is older than this run"}}},
		"written anew": {"o.xml", writes("o.xml", oneCase+" "), writes("o.xml", oneCase), want{Counts: one}},
		"put in its place": {"o.xml", writes("o.xml", oneCase), func(dir string) {
			_ = os.Rename(put(t, dir, "part", oneCase), filepath.Join(dir, "o.xml"))
		}, want{Counts: one}},
		"an old one moved there": {"o.xml", nothing, func(dir string) {
			old := time.Now().Add(-time.Minute)
			_ = os.Chtimes(put(t, dir, "o.xml", oneCase), old, old)
		}, want{says: []string{"o.xml: it is older than this run"}}},
		"a stale one beside": {"*.xml", writes("a.xml", oneCase), writes("b.xml", oneCase), want{Counts: one, says: []string{"a.xml: it is older"}}},
		"two": {"*.xml", nothing, func(dir string) {
			put(t, dir, "a.xml", `<testsuite><testcase name="x"><failure/></testcase><testcase name="x" classname="x"><error/></testcase></testsuite>`)
			put(t, dir, "b.xml", `<testsuite><testcase classname="c"/><testcase><skipped/></testcase><testcase><failure/></testcase></testsuite>`)
		}, want{Counts: Counts{Passed: 1, Failed: 3, Ignored: 1, Suites: 2, FailedNames: []string{"x", "x", "a case without a name"}}}},
		"flaky":       {"o.xml", nothing, writes("o.xml", `<testsuite><testcase name="a"><flakyFailure/></testcase></testsuite>`), want{Counts: one, remarks: []string{"flaky: 1 test ran again after a failure, such as a"}}},
		"empty":       {"o.xml", nothing, writes("o.xml", ""), want{says: []string{"o.xml: read JUnit XML: it is empty"}}},
		"cut off":     {"o.xml", nothing, writes("o.xml", oneCase[:len(oneCase)-4]), want{Counts: Counts{Passed: 1}, says: []string{"was whoever wrote it stopped?"}}},
		"wrong sums":  {"o.xml", nothing, writes("o.xml", strings.Replace(oneCase, `"1"`, `"2"`, 1)), want{Counts: one, says: []string{`o.xml: suite "s" says tests=2 and holds 1`}}},
		"no tests":    {"o.xml", nothing, writes("o.xml", "<testsuites/>"), want{}},
		"a FIFO":      {"o.xml", nothing, func(dir string) { _ = unix.Mkfifo(filepath.Join(dir, "o.xml"), 0o644) }, want{says: []string{"no regular file"}}},
		"a directory": {"*.xml", nothing, writes("d.xml/x", ""), want{says: []string{"no file is there"}}},
		"a link beside": {"*.xml", nothing, func(dir string) {
			put(t, dir, "b.xml", oneCase)
			_ = os.Symlink("b.xml", filepath.Join(dir, "a.xml"))
		}, want{Counts: one}},
		"a link": {"a.xml", nothing, func(dir string) {
			put(t, dir, "b", oneCase)
			_ = os.Symlink("b", filepath.Join(dir, "a.xml"))
		}, want{Counts: one}},
		"hard links": {"*.xml", nothing, func(dir string) {
			_ = os.Link(put(t, dir, "b.xml", oneCase), filepath.Join(dir, "a.xml"))
		}, want{Counts: one}},
		"touched": {"o.xml", old("o.xml"), func(dir string) { touch(t, filepath.Join(dir, "o.xml")) }, want{says: []string{"o.xml: it was there before this run and holds what it held"}}},
		"moved and touched": {"*.xml", old("o.xml"), func(dir string) {
			_ = os.Rename(filepath.Join(dir, "o.xml"), filepath.Join(dir, "n.xml"))
			touch(t, filepath.Join(dir, "n.xml"))
		}, want{says: []string{"n.xml: it was there before"}}},
		"written over with the same": {"o.xml", old("o.xml"), writes("o.xml", oneCase), want{says: []string{"let it remove the file first"}}},
		"removed and written the same": {"o.xml", old("o.xml"), func(dir string) {
			_ = os.Remove(filepath.Join(dir, "o.xml"))
			put(t, dir, "o.xml", oneCase)
		}, want{Counts: one}},
		"written over with another": {"o.xml", old("o.xml"), writes("o.xml", strings.Replace(oneCase, `"a"`, `"b"`, 1)), want{Counts: one}},
		"a suite fails": {"o.xml", nothing, writes("o.xml", `<testsuite name="s"><error/><testcase name="a" status="fail"/></testsuite>`), want{
			Counts: Counts{Failed: 2, Suites: 1, FailedNames: []string{"suite s as a whole", "a"}}}},
		"a dead link": {"a.xml", nothing, func(dir string) { _ = os.Symlink("b", filepath.Join(dir, "a.xml")) }, want{says: []string{"no such file"}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tt.before(dir)
			r, _, err := Prepare(junitPrefix+tt.glob, Command{Argv: []string{"true"}, Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			tt.run(dir)
			feed(r, Stdout, []byte("=== 9 passed in 0.01s ===\n"))
			holds(t, r, nil, nil, tt.want)
		})
	}
}

// Real tools: what they write is counted from the directory that they ran in.
func TestJUnitOfRealTools(t *testing.T) {
	need(t, "cmake")
	need(t, "ctest")
	dir := project(t, "testdata/ctest.txtar")
	outputOf(t, dir, nil, "cmake", "-S", ".", "-B", "build")
	r, c, err := Prepare("junit:build/**/*.xml", Command{Argv: strings.Fields("ctest --test-dir build -R opens|closes|off|skips --output-junit o.xml"), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := outputOf(t, dir, nil, c.Argv...)
	holds(t, r, stdout, stderr, want{Counts: Counts{Passed: 1, Failed: 1, Ignored: 2, Suites: 1, FailedNames: []string{"closes"}}})

	need(t, "pytest")
	dir = project(t, "testdata/pytest.txtar")
	if r, c, err = Prepare("junit:user.xml", Command{Argv: strings.Fields("pytest -p no:randomly mix"), Dir: dir}); err != nil {
		t.Fatal(err)
	}
	stdout, stderr = outputOf(t, dir, nil, c.Argv...)
	// The test that cannot clean up is one case here, and has an error.
	holds(t, r, stdout, stderr, want{Counts: Counts{Passed: 2, Failed: 4, Ignored: 2, Suites: 1,
		FailedNames: []string{"mix.test_mix.test_fail", "mix.test_mix.test_strict", "mix.test_mix.test_setup", "mix.test_mix.test_teardown"}}})
}

func TestGlobFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.xml", "x/a.xml", "x/y/a.xml", "x/y/b.txt", ".git/a.xml", "x/.hidden.xml", "x/z/y/a.xml"} {
		put(t, dir, name, "")
	}
	_ = os.Symlink("x", filepath.Join(dir, "link"))
	for glob, want := range map[string]string{
		"a.xml":           "a.xml",
		"./a.xml":         "a.xml",
		"*.xml":           "a.xml",
		"x/*":             "x/.hidden.xml x/a.xml",
		"**/a.xml":        "a.xml x/a.xml x/y/a.xml x/z/y/a.xml",
		"**/**/y/**":      "x/y/a.xml x/y/b.txt x/z/y/a.xml",
		"x/**/y/a.xml":    "x/y/a.xml x/z/y/a.xml",
		"**":              "a.xml x/.hidden.xml x/a.xml x/y/a.xml x/y/b.txt x/z/y/a.xml link",
		"?/[y-z]/*.{xml}": "",
		"x/[!q]/*.xml":    "",
		"x/[^q]/*.xml":    "x/y/a.xml",
		"gone/**/*.xml":   "",
		"**/*/*/**/b.txt": "x/y/b.txt",
	} {
		parts, err := parseGlob(glob)
		if err != nil {
			t.Fatal(err)
		}
		files, err := globFiles(dir, parts)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, f := range files {
			got[strings.TrimPrefix(f, dir+"/")] = true
		}
		wanted := map[string]bool{}
		for _, f := range strings.Fields(want) {
			wanted[f] = true
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", glob, diff)
		}
	}
}

func TestGlobIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		put(t, dir, fmt.Sprintf("%d.xml", i), "")
	}
	g := globber{parts: []string{"*.xml"}, left: 10}
	if err := g.walk(dir, []int{0}); err != errBroad {
		t.Errorf("a search past its bound: %v", err)
	}
	many := strings.Repeat("**/a/", 50) + "b" // exponential for who backtracks
	put(t, dir, strings.Repeat("a/", 60)+"c", "")
	parts, err := parseGlob(many)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := globFiles(dir, parts); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}

// FuzzGlob: a glob that is taken finds nothing outside, and does not panic.
func FuzzGlob(f *testing.F) {
	dir := f.TempDir()
	for _, name := range []string{"in/a.xml", "in/b/c.xml", "out.xml"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			f.Fatal(err)
		}
	}
	for _, s := range []string{"**/*.xml", "../*", "b/../a.xml", "[a-", "**", "*/**/?.xml", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, glob string) {
		parts, err := parseGlob(glob)
		if err != nil {
			return
		}
		files, err := globFiles(filepath.Join(dir, "in"), parts)
		if err != nil || len(files) > 2 {
			t.Fatalf("%q found %q, %v", glob, files, err)
		}
		for _, name := range files {
			rel, err := filepath.Rel(filepath.Join(dir, "in"), name)
			if err != nil || !filepath.IsLocal(rel) {
				t.Fatalf("%q found %s", glob, name)
			}
			if ok, _ := filepath.Match(glob, rel); !ok && !strings.ContainsAny(glob, "*./") {
				t.Fatalf("%q found %s, which it does not fit", glob, name)
			}
		}
	})
}
