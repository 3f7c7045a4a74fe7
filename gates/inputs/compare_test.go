package inputs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The usual day of an outcome, with nothing known of its inputs: each step and
// the first path that differs from when it was made, "" for none.
func TestSince(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1\n", "b": "1\n", "dir/c": "1\n", "log.tsv": "run\n", ".gitignore": "*.o\n"})
	r.write("a", "edited\n")
	r.write("new", "untracked\n")
	s := r.take(Inputs{})
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, step := range []struct {
		name  string
		do    func()
		first string
		count int
	}{
		{"nothing", func() {}, "", 0},
		{"committed", func() { r.commit() }, "", 0},
		{"another commit of nothing", func() { r.commit() }, "", 0},
		{"ignored", func() { r.write("x.o", "") }, "", 0},
		{"edited on", func() { r.write("a", "edited more\n") }, "a", 1},
		{"that committed", func() { r.commit() }, "a", 1},
		{"another one", func() { r.write("dir/c", "2\n") }, "a", 2},
		{"put back", func() { r.write("a", "edited\n") }, "dir/c", 1},
		{"all put back", func() { r.write("dir/c", "1\n") }, "", 0},
		{"before the edit", func() { r.run("git", "reset", "-q", "--hard", "HEAD~3") }, "a", 2},
		{"the edit again", func() { r.write("a", "edited\n"); r.write("new", "untracked\n") }, "", 0},
		{"deleted", func() { r.run("git", "rm", "-q", "b") }, "b", 1},
		{"put back in another way", func() { r.write("b", "1\n") }, "", 0},
		{"executable", func() { r.check(os.Chmod(r.path("b"), 0o755)) }, "b", 1},
		{"and not", func() { r.check(os.Chmod(r.path("b"), 0o644)) }, "", 0},
		{"recorded", func() { r.write("log.tsv", "run\nrun\n") }, "", 0},
	} {
		step.do()
		c := r.since(s, "log.tsv")
		if c.First != step.first || c.Count != step.count || c.Unknown != "" || c.Stale() != (step.count > 0) || (c.String() == "") == c.Stale() {
			t.Fatalf("%s: %+v, want %q and %d", step.name, c, step.first, step.count)
		}
	}
	r.touch("log.tsv", old)
	if c := r.since(s); c.First != "log.tsv" || !c.Since.Equal(old) || !strings.Contains(c.String(), "log.tsv changed 2020-01-02 ") {
		t.Errorf("%+v: %s", c, c)
	}
	r.write("log.tsv", "run\n")
	r.check(os.Remove(r.path("a")))
	if c := r.since(s); c.String() != "stale: a deleted" {
		t.Errorf("%s", c)
	}
}

// What is compared comes back from the run's directory as it was, odd names
// included.
func TestSnapshotKept(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1\n"})
	odd := "\xff\"\n"
	r.write(odd, "1\n")
	r.write(`"quoted`, "1\n")
	r.write("dep.rs", "1\n")
	s := r.take(Inputs{Known: true, Told: []string{"rust"}, Files: []string{"dep.rs", "new\xff.rs"}})
	dir := t.TempDir()
	data, err := json.MarshalIndent(s, "", "  ")
	r.check(err)
	r.check(os.WriteFile(filepath.Join(dir, FileName), data, 0o644))
	back, err := Load(dir)
	r.check(err)
	if diff := cmp.Diff(s, back); diff != "" || len(s.Changed) != 3 {
		t.Fatalf("%s\n%s", data, diff)
	}
	if c := r.since(back); c.Stale() {
		t.Errorf("%s", c)
	}
	r.write(odd, "2\n")
	if c := r.since(back); c.First != odd || c.Count != 1 {
		t.Errorf("%+v", c)
	}

	_, err = Load(t.TempDir())
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	for text, says := range map[string]string{
		`{"schema": 9}`: "form 9", `{"schema": 1, "commit": "--output=x"}`: "no id of git's", `{`: "unexpected end",
	} {
		r.check(os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o644))
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Where the old commit was collected, or too much was changed to be kept, only
// an equal tree can say anything.
func TestSinceUnknown(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1\n"})
	r.write("a", "2\n")
	same := r.take(Inputs{})
	same.Commit = strings.Repeat("17", 20)
	if c := r.since(same); c.Stale() {
		t.Errorf("the same tree: %s", c)
	}
	r.write("a", "3\n")
	if c := r.since(same); !c.Stale() || !strings.Contains(c.String(), "its commit 1717171717 is not there any more") {
		t.Errorf("gone: %s", c)
	}
	cut := r.take(Inputs{})
	cut.Cut, cut.Changed = true, nil
	if c := r.since(cut); c.Stale() {
		t.Errorf("the same tree: %s", c)
	}
	r.write("a", "4\n")
	if c := r.since(cut); !c.Stale() || c.Unknown == "" {
		t.Errorf("cut: %s", c)
	}
}

// An unborn branch, and a submodule with changes of its own, which no tree has.
func TestSinceWithoutTree(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1\n"})
	r.run("git", "checkout", "-q", "--orphan", "fresh")
	unborn := r.take(Inputs{})
	if r.commit(); r.since(unborn).Stale() || unborn.Commit != "" {
		t.Errorf("%+v: %s", unborn, r.since(unborn))
	}
	r.write("a", "2\n")
	if c := r.since(unborn); c.First != "a" || c.Count != 1 {
		t.Errorf("%+v", c)
	}
	inner := newRepo(t, map[string]string{"x": "1\n"})
	r.run("git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
	r.write("sub/x", "2\n")
	s := r.take(Inputs{})
	if c := r.since(s); c.Stale() || s.Tree != "" {
		t.Errorf("tree %q: %s", s.Tree, c)
	}
	r.write("sub/x", "3\n")
	if c := r.since(s); c.First != "sub" || c.Count != 1 {
		t.Errorf("%+v", c)
	}
}

// The newest of many, and each of several snapshots by itself.
func TestCompareMany(t *testing.T) {
	r := newRepo(t, map[string]string{"a.rs": "1\n", "b.rs": "1\n", "c.md": "1\n"})
	all := []Snapshot{
		r.take(Inputs{Known: true, Told: []string{"rust"}, Files: []string{"a.rs"}}),
		r.take(Inputs{Known: true, Told: []string{"rust"}, Files: []string{"b.rs"}}),
		r.take(Inputs{}),
	}
	for _, path := range []string{"b.rs", "c.md"} {
		r.write(path, "2\n")
	}
	when := time.Date(2021, 5, 6, 7, 8, 9, 0, time.UTC)
	r.touch("b.rs", when)
	r.touch("c.md", when.Add(-time.Hour))
	got, err := Compare(t.Context(), r.lane(), r.state(), nil, all)
	r.check(err)
	want := []Change{
		{First: "c.md", Count: 1, Since: when.Add(-time.Hour)},
		{First: "b.rs", Count: 2, Since: when},
		{First: "b.rs", Count: 2, Since: when},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Change{})); diff != "" {
		t.Error(diff)
	}
	if got[1].String() != "stale: b.rs and 1 other file changed "+when.Local().Format("2006-01-02 15:04:05") {
		t.Errorf("%s", got[1])
	}
}

// Every byte of a path survives, and no two paths are the same afterwards.
func FuzzPath(f *testing.F) {
	f.Add("a/b")
	f.Add("\"")
	f.Add("\xff\"\\\n")
	f.Fuzz(func(t *testing.T, path string) {
		data, err := json.Marshal(byPath[Path]{Path(path): Path(path)})
		if err != nil {
			t.Fatal(err)
		}
		var back byPath[Path]
		if err := json.Unmarshal(data, &back); err != nil || len(back) != 1 || back[Path(path)] != Path(path) {
			t.Fatalf("%q as %s: %q, %v", path, data, back, err)
		}
	})
}

// BenchmarkCompare is what a page about one lane costs: ten outcomes of five
// commits, in a lane of 2000 files.
func BenchmarkCompare(b *testing.B) {
	files := map[string]string{}
	for i := range 2000 {
		files[filepath.Join("src", string(rune('a'+i%26)), time.Duration(i).String())] = strings.Repeat("x", i)
	}
	r := newRepo(b, files)
	var all []Snapshot
	for i := range 5 {
		r.write("counter", strings.Repeat("x", i))
		r.commit()
		all = append(all, r.take(Inputs{}), r.take(Inputs{}))
	}
	r.write("counter", "edited")
	st, lane := r.state(), r.lane()
	for b.Loop() {
		if _, err := Compare(b.Context(), lane, st, nil, all); err != nil {
			b.Fatal(err)
		}
	}
}
