package notes

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// repo is a real repository.
type repo struct {
	testing.TB
	dir string
}

func newRepo(tb testing.TB) repo {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			tb.Fatal("needs git")
		}
		tb.Skip("needs git")
	}
	for _, kv := range []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t"} {
		k, v, _ := strings.Cut(kv, "=")
		tb.Setenv(k, v)
	}
	r := repo{tb, tb.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r repo) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repo) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r repo) commit() string {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-qm", "x")
	return r.git("rev-parse", "HEAD")
}

func (r repo) place(dir, cache string) Place {
	r.Helper()
	ctx := context.Background()
	lane, err := worktrees.Find(ctx, r.dir)
	if err != nil {
		r.Fatal(err)
	}
	state, err := worktrees.ReadState(ctx, lane)
	if err != nil {
		r.Fatal(err)
	}
	d, err := worktrees.ReadDraft(ctx, lane, state)
	if err != nil {
		r.Fatal(err)
	}
	return Place{lane, dir, d, cache}
}

func (r repo) found(dir, cache string) string {
	r.Helper()
	f, err := Find(context.Background(), r.place(dir, cache))
	if err != nil {
		r.Fatal(err)
	}
	var at []string
	for _, n := range f.Notes {
		at = append(at, n.At())
	}
	for _, b := range f.Bad {
		at = append(at, "bad "+b.At())
	}
	return strings.Join(at, " ")
}

// TestFind: notes of the commit from a cache or not, of files that are changed, new
// or gone since, below the directory of gpuci.toml alone.
func TestFind(t *testing.T) {
	r := newRepo(t)
	cache := filepath.Join(t.TempDir(), "notes")
	look := func(step, dir, want string) {
		t.Helper()
		for _, c := range []string{cache, cache, ""} {
			if got := r.found(dir, c); got != want {
				t.Errorf("%s: found %q, want %q", step, got, want)
			}
		}
	}
	r.write("new.rs", "// "+on)
	look("on a branch without a commit", "", "new.rs:1")
	r.write("sub/a b.rs", "x\n// "+on+"\n// "+Marker+" text=a\n")
	r.write("sub2/c.py", "# "+on+"\n")
	r.write("sub2/odd.py", "# gpuci: NOTE"+on[len(Marker):])
	r.write(".gitignore", "out/\n")
	r.write("out/d.rs", "// "+on)
	r.commit()
	look("committed", "", "new.rs:1 sub/a b.rs:2 sub2/c.py:1 bad sub/a b.rs:3 bad sub2/odd.py:1")
	look("below a directory", "sub", "sub/a b.rs:2 bad sub/a b.rs:3")
	r.write("sub/a b.rs", "x\n\n// "+on+"\n")
	r.write("sub/new.rs", "// "+on)
	r.write("sub2/odd.py", "")
	if err := os.Remove(filepath.Join(r.dir, "sub2/c.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("new.rs", filepath.Join(r.dir, "link.rs")); err != nil {
		t.Fatal(err)
	}
	look("changed", "", "new.rs:1 sub/a b.rs:3 sub/new.rs:1")
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d files in the cache, %v", len(entries), err)
	}
	for _, e := range entries { // it is torn, or of another form
		if err := os.WriteFile(filepath.Join(cache, e.Name()), []byte(`{"form":1,"notes":[{`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	look("with a torn cache", "", "new.rs:1 sub/a b.rs:3 sub/new.rs:1")
	r.write("out/d.rs", strings.Repeat("x", 10))
	r.write("long.rs", "// "+on+strings.Repeat("x", worktrees.MaxText))
	r.commit()
	f, err := Find(context.Background(), r.place("", ""))
	if err != nil || !strings.Contains(f.Cut, "long.rs") {
		t.Errorf("a file that is too long: %q, %v", f.Cut, err)
	}
}

// TestCacheIsCleared: old commits do not stay for ever.
func TestCacheIsCleared(t *testing.T) {
	p := Place{Cache: t.TempDir()}
	for i := range maxKept + 7 {
		p.Draft.Commit = fmt.Sprint(i)
		p.keep(Found{Cut: p.Draft.Commit})
	}
	entries, err := os.ReadDir(p.Cache)
	if err != nil || len(entries) != maxKept {
		t.Fatalf("%d kept, %v", len(entries), err)
	}
	if f, ok := p.cached(); !ok || f.Cut != p.Draft.Commit {
		t.Errorf("the newest is gone: %+v", f)
	}
}

// TestShallow: in a shallow clone the commit is not there, and that counts as fallen;
// field case: an excuse that nobody could look at any more.
func TestShallow(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "1\n")
	first := r.commit()
	r.write("b.rs", "1\n")
	r.commit()
	shallow := repo{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "-q", "--depth", "1", "file://"+r.dir, shallow.dir)
	for _, c := range []struct {
		r       repo
		unknown bool
	}{{r, false}, {shallow, true}} {
		p := c.r.place("", "")
		j := Judge{Lane: p.Lane, Draft: p.Draft, Now: time.Now()}
		n := Note{Path: "gpuci.toml", Line: 1}
		n.WhileUnchanged, n.Since = []string{"a.rs"}, first[:10]
		s := j.Of(context.Background(), n)
		if s.Stale() != c.unknown || c.unknown && !s.Fell[0].Unknown {
			t.Errorf("shallow %v: %+v", c.unknown, s.Fell)
		}
	}
}

// TestWhileUnchanged: what is changed on disk, renamed, put back, and by which
// commit; seen from a workspace that is not at the root.
func TestWhileUnchanged(t *testing.T) {
	r := newRepo(t)
	r.write("ws/src/a.rs", "1\n")
	r.write("ws/srcs/b.rs", "1\n")
	since := r.commit()
	cache := t.TempDir()
	judge := func() Standing {
		t.Helper()
		p := r.place("ws", "")
		j := Judge{Lane: p.Lane, Dir: "ws", Draft: p.Draft, Now: time.Now(), Cache: cache}
		n := Note{Note: config.Note{WhileUnchanged: []string{"src"}, Since: since[:12]}}
		return j.Of(context.Background(), n)
	}
	stands := func(step string) {
		t.Helper()
		for range 2 { // the second time from the cache
			if s := judge(); s.Stale() {
				t.Errorf("%s: %+v", step, s.Fell)
			}
		}
	}
	falls := func(step, commit string) {
		t.Helper()
		_ = judge()
		if s := judge(); len(s.Fell) != 1 || s.Fell[0].Commit != commit || s.Fell[0].Unknown || s.Fell[0].When.IsZero() != (commit == "") {
			t.Errorf("%s: %+v", step, s.Fell)
		}
	}
	r.write("ws/srcs/b.rs", "2\n")
	stands("a neighbour with a longer name changed")
	r.write("ws/src/new.rs", "1\n")
	falls("a new file that git does not know yet", "")
	by := r.commit()
	falls("a new file", by)
	r.write("ws/src/new.rs", "2\n")
	r.commit()
	falls("changed again: the first one counts", by)
	r.git("rm", "-q", "ws/src/new.rs")
	stands("gone again, not committed")
	r.commit()
	stands("gone again")
	r.git("mv", "ws/src/a.rs", "ws/src/z.rs")
	falls("renamed, not committed", "")
}

// BenchmarkFind is the look at the sources of a workspace of 5,000 files, clean, and
// with three of them changed: what a gate pays for, beside its own work.
func BenchmarkFind(b *testing.B) {
	r := newRepo(b)
	for i := range 5000 {
		r.write(fmt.Sprintf("src/d%d/f%d.rs", i%50, i), strings.Repeat(fmt.Sprintf("fn f%d() {}\n", i), 100))
	}
	r.write("src/a.rs", "// "+on)
	r.commit()
	cache := b.TempDir()
	run := func(name string, p Place) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f, err := Find(context.Background(), p)
				if err != nil || len(f.Notes) != 1 {
					b.Fatal(len(f.Notes), err)
				}
			}
		})
	}
	run("first-of-a-commit", r.place("", ""))
	run("clean", r.place("", cache))
	for i := range 3 {
		r.write(fmt.Sprintf("src/d%d/f%d.rs", i, i), "changed\n")
	}
	run("three-changed", r.place("", cache))
}
