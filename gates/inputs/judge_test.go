package inputs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/worktrees"
)

// trees lists a repository's lanes, as they are seen from one of them.
func (r repo) trees() (here worktrees.Tree, all []worktrees.Tree) {
	r.tb.Helper()
	all, err := worktrees.List(r.tb.Context(), r.lane())
	r.check(err)
	return worktrees.TreeOf(r.lane()), all
}

// judge judges a product of a lane.
func (r repo) judge(path string, in Inputs, adjust ...func(*Site)) []Complaint {
	r.tb.Helper()
	site := Site{Getenv: os.Getenv}
	site.Lane, site.Lanes = r.trees()
	for _, f := range adjust {
		f(&site)
	}
	p, err := Examine(r.tb.Context(), path)
	r.check(err)
	got, err := Judge(r.tb.Context(), []Product{p}, in, site)
	r.check(err)
	for _, c := range got {
		if c.Text == "" || c.Next == "" || c.Product != path {
			r.tb.Errorf("half a complaint: %+v", c)
		}
	}
	return got
}

// says holds complaints against the one that is wanted, nil for none.
func says(tb testing.TB, got []Complaint, kind Kind, parts ...string) {
	tb.Helper()
	if kind == "" {
		if len(got) > 0 {
			tb.Errorf("complains of nothing: %+v", got)
		}
		return
	}
	if len(got) != 1 || got[0].Kind != kind {
		tb.Errorf("complaints %+v, want one: %s", got, kind)
		return
	}
	for _, part := range parts {
		if !strings.Contains(got[0].Text+got[0].Next, part) {
			tb.Errorf("%q does not say %q", got[0], part)
		}
	}
}

// Field case 19: two lanes, one CARGO_TARGET_DIR. Cargo takes the other lane's
// binary for fresh, runs it, and the test is green for code that is not there.
func TestSharedTargetOfCargo(t *testing.T) {
	needs(t, "cargo")
	needs(t, "cc")
	one := newRepo(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"kernel\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", ".gitignore": "/target/\nCargo.lock\n",
		"src/lib.rs":  "pub fn answer() -> i32 { 1 }\n",
		"tests/it.rs": "#[test] fn it() { println!(\"answer {}\", kernel::answer()) }\n",
	})
	two := one.linked("two")
	old := time.Now().Add(-time.Hour)
	for _, file := range []string{"Cargo.toml", "src/lib.rs", "tests/it.rs"} {
		two.touch(file, old)
	}
	one.write("src/lib.rs", "pub fn answer() -> i32 { 2 }\n")
	shared := filepath.Join(filepath.Dir(one.dir), "shared")
	t.Setenv("CARGO_TARGET_DIR", shared)
	one.build("test", "--offline", "--no-run", "--test", "it")
	products := two.build("test", "--offline", "--no-run", "--test", "it")
	if len(products) != 1 {
		t.Fatalf("products %q", products)
	}
	if out := two.run(products[0], "--nocapture"); !strings.Contains(out, "answer 2") {
		t.Fatalf("cargo built it anew: what this test is about does not happen any more:\n%s", out)
	}
	here, all := two.trees()
	in := Of(products, two.dir, here.Target)
	says(t, two.judge(products[0], in), Foreign,
		"holds code that was built in lane main ("+one.dir+")", "judged for lane two", shared+" (CARGO_TARGET_DIR in the environment)", two.path("target"))
	says(t, one.judge(products[0], in), "")

	// Without debug information only the other lane's run can tell.
	one.build("test", "--offline", "--release", "--no-run", "--test", "it")
	released := two.build("test", "--offline", "--release", "--no-run", "--test", "it")
	p, err := Examine(t.Context(), released[0])
	two.check(err)
	earlier := func(s *Site) {
		s.Earlier = []Earlier{{Lane: "main", Path: p.Path, SHA256: p.SHA256}, {Lane: "gone", Path: p.Path, SHA256: p.SHA256}}
	}
	says(t, two.judge(released[0], in, earlier), Shared, "lanes two and main build in one directory", "CARGO_TARGET_DIR", "the very file that lane main's last run judged")

	// A lane of its own says nothing.
	os.Unsetenv("CARGO_TARGET_DIR")
	own := two.build("test", "--offline", "--no-run", "--test", "it")
	if out := two.run(own[0], "--nocapture"); !strings.Contains(out, "answer 1") {
		t.Errorf("%s", out)
	}
	says(t, two.judge(own[0], Of(own, two.dir, two.path("target"))), "")
	if len(all) != 2 {
		t.Errorf("lanes %+v", all)
	}
}

// Paths alone, and what set them.
func TestJudgePaths(t *testing.T) {
	one := newRepo(t, map[string]string{".gitignore": "target\n", "a": "a\n"})
	two := one.linked("two")
	one.write("target/debug/tool", "tool\n")
	two.write("target/debug/tool", "tool\n")
	one.write("tool", "tool\n")
	says(t, one.judge(one.path("target/debug/tool"), Inputs{}), "")
	says(t, two.judge(one.path("target/debug/tool"), Inputs{}), Foreign, "lane main's build product, not lane two's", one.path("target"))
	says(t, two.judge(one.path("tool"), Inputs{}), Foreign, "it is in "+one.dir)
	one.check(os.Symlink(one.path("tool"), two.path("link")))
	says(t, two.judge(two.path("link"), Inputs{}), Foreign, "link is lane main's")
	says(t, one.judge("/bin/sh", Inputs{}), "")

	one.check(os.RemoveAll(two.path("target")))
	one.check(os.Symlink(one.path("target"), two.path("target")))
	says(t, two.judge(two.path("target/debug/tool"), Inputs{}), Shared, "lanes two and main build in one directory", "the link "+two.path("target"))
	one.check(os.Remove(two.path("target")))

	shared := filepath.Join(filepath.Dir(one.dir), "shared")
	for _, r := range []repo{one, two} {
		r.write(".cargo/config.toml", "[build]\ntarget-dir = \"../shared\"\n")
	}
	one.write("../shared/debug/tool", "tool\n")
	says(t, two.judge(filepath.Join(shared, "debug/tool"), Inputs{}), Shared, "one directory, "+shared, "target-dir in "+two.path(".cargo/config.toml"))
	says(t, two.judge(two.path("a"), Inputs{}), "") // not from there
}

// A product against the times of its sources, which all lie in the past so that
// nothing here depends on how quick the test is.
func TestJudgeAge(t *testing.T) {
	needs(t, "gcc")
	r := newRepo(t, map[string]string{".gitignore": "*.o\n*.d\n", "a.c": "#include \"a.h\"\n", "a.h": "int a;\n", "other.c": ""})
	r.run("gcc", "-MMD", "-c", "a.c")
	in := Of([]string{r.path("a.o")}, r.dir, "")
	built := time.Now().Add(-time.Hour).Truncate(time.Second).Add(500 * time.Millisecond)
	for name, c := range map[string]struct {
		path  string
		after time.Duration // the product
		kind  Kind
		parts []string
	}{
		"older":            {"a.h", -time.Minute, "", nil},
		"newer":            {"a.h", 3 * time.Second, Older, []string{"a.o was built", "its source a.h was changed", "build it again"}},
		"a little newer":   {"a.c", 20 * time.Millisecond, Older, []string{"a.c"}},
		"within a tick":    {"a.h", 5 * time.Millisecond, "", nil},
		"in whole seconds": {"a.h", 500 * time.Millisecond, "", nil},
		"after it began":   {"a.h", 11 * time.Minute, "", nil},
		"not of it":        {"other.c", time.Minute, "", nil},
		"from the future":  {"a.c", 3 * time.Hour, Clock, []string{"a.c was modified", "still to come", "touch a.c"}},
		"itself from it":   {"a.o", 3 * time.Hour, Clock, []string{"a.o was modified"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"a.c", "a.h", "other.c"} {
				r.touch(path, built.Add(-time.Minute))
			}
			r.touch("a.o", built)
			r.touch(c.path, built.Add(c.after))
			got := r.judge(r.path("a.o"), in, func(s *Site) { s.Begun = built.Add(10 * time.Minute) })
			says(t, got, c.kind, c.parts...)
		})
	}
}

func TestJudgeStops(t *testing.T) {
	needs(t, "gcc")
	r := repo{t, t.TempDir()}
	r.write("a.c", "int main(void) { return 0; }\n")
	r.run("gcc", "-g", "-o", "a", "a.c")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// Outside the lane, so that it is read.
	site := Site{Lane: worktrees.Tree{Lane: worktrees.Lane{Root: "/nowhere"}}}
	if _, err := Judge(ctx, []Product{{Path: r.path("a")}}, Inputs{}, site); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
