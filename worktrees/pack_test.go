package worktrees

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// carried packs a lane as it is, and gives a scratch lane of what was unpacked of it.
func (r repo) carried(o PackOptions, chain ...Bundled) *Scratch {
	r.tb.Helper()
	before := r.untouched()
	b := r.pack(o)
	if diff := cmp.Diff(before, r.untouched()); diff != "" {
		r.tb.Errorf("the lane was touched: %s", diff)
	}
	return r.unpacked(append(chain, b))
}

func (r repo) pack(o PackOptions) Bundled {
	r.tb.Helper()
	o.File = filepath.Join(r.tb.TempDir(), "pack.bundle")
	if o.Commit == "" {
		o.Draft = r.draft()
		o.Commit = o.Draft.Commit
	}
	if len(o.Draft.Leaves) == 0 {
		o.Draft = Draft{}
	}
	p, err := Pack(context.Background(), r.lane(), o)
	r.check(err)
	return Bundled{p, o.File}
}

// unpacked is a scratch lane of what was packed, in a repository of its own.
func (r repo) unpacked(chain []Bundled) *Scratch {
	r.tb.Helper()
	ctx := context.Background()
	dir := filepath.Join(r.tb.TempDir(), "node's \"place\"\n$(false)")
	lane, err := Unpack(ctx, filepath.Join(dir, "repository"), chain)
	r.check(err)
	last := chain[len(chain)-1]
	s, err := NewScratch(ctx, lane, ScratchOptions{Dir: filepath.Join(dir, "lanes"), Commit: last.Commit})
	r.check(err)
	r.tb.Cleanup(func() { r.check(s.Remove(context.Background())) })
	if last.Draft != "" {
		r.check(s.TakeDraft(ctx, last.Draft))
	}
	return s
}

// wantSame says that a scratch lane has what a lane has, as git sees it.
func (r repo) wantSame(s *Scratch) {
	r.tb.Helper()
	want := r.draft()
	if got := r.in(s).draft(); want.Tree == "" || !cmp.Equal(got, want) {
		r.tb.Errorf("draft %+v, carried %+v", want, got)
	}
}

func TestCarriedLanes(t *testing.T) {
	for name, do := range map[string]func(r repo){
		"clean":             func(r repo) {},
		"directory to link": func(r repo) { r.remove("src-x"); r.symlink("src", "src-x") },
		"link to directory": func(r repo) { r.remove("link"); r.write("link/x", "x") },
		"file to directory": func(r repo) { r.remove("README"); r.write("README/x/y", "") },
		"all gone":          func(r repo) { r.git("rm", "-rqf", ".") },
		"odd names":         func(r repo) { r.write(":(top)\n\"x*", "a\r\n"); r.write("ü\t$(false)", ""); r.write("--x/ y'", "") },
		"binary":            func(r repo) { r.write("b", "\x00\xff\r\n\x00"); r.chmod("b", 0o755) },
		"intent to add":     func(r repo) { r.write("n", "1"); r.git("add", "-N", "n") },
		"conflict":          conflict,
		"assumed unchanged": func(r repo) { r.git("update-index", "--assume-unchanged", "README"); r.write("README", "changed\n") },
		"skipped, changed":  func(r repo) { r.git("update-index", "--skip-worktree", "README"); r.write("README", "changed\n") },
		"line ends":         func(r repo) { r.write(".gitattributes", "*.txt text eol=crlf\n"); r.write("a.txt", "1\r\n") },
		"own attributes":    func(r repo) { r.write(".git/info/attributes", "*.txt text eol=crlf\n"); r.write("a.txt", "1\r\n") },
		"own excludes":      func(r repo) { r.write(".git/info/exclude", "*.secret\n"); r.write("a.secret", "1"); r.write("b", "") },
		"filter": func(r repo) {
			r.git("config", "filter.upper.clean", "tr a-z A-Z")
			r.git("config", "filter.upper.smudge", "tr A-Z a-z")
			r.write(".gitattributes", "*.bin filter=upper\n")
			r.write("sub/x.bin", "content")
		},
		"detached": func(r repo) { r.git("checkout", "-q", "--detach"); r.write("README", "changed\n") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			do(r)
			s := r.carried(PackOptions{})
			r.wantSame(s)
			if there(filepath.Join(s.Root, "a.secret")) {
				t.Error("an ignored file went along")
			}
		})
	}
}

func TestCarriedRandomLanes(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "src/** text=auto\nREADME ident\n")
	rng, rounds := rand.New(rand.NewPCG(5, 8)), 5
	if os.Getenv("GPUCI_SOAK") == "1" {
		rounds = 100
	}
	for round := range rounds {
		what := ""
		for range 3 {
			what += r.edit(rng) + ", "
		}
		r.wantSame(r.carried(PackOptions{}))
		if t.Failed() {
			t.Fatalf("round %d, %s", round, what)
		}
	}
}

// A content that builds on one that is there already brings what is new alone, and the
// base branch with it.
func TestCarriedUpon(t *testing.T) {
	r := newRepo(t)
	whole := r.pack(PackOptions{})
	first := whole.Commit
	r.git("checkout", "-q", "-b", "side")
	r.write("new", "1")
	r.git("add", "-A")
	r.git("commit", "-qm", "second")
	r.write("new", "2")
	base, err := BaseOf(context.Background(), r.lane(), "trunk")
	r.check(err)
	s := r.carried(PackOptions{On: first, Base: base}, whole)
	r.wantSame(s)
	if got, err := BaseOf(context.Background(), s.Lane, ""); err != nil || got != base {
		t.Errorf("base %+v, %v; want %+v", got, err, base)
	}
	if n, err := Beyond(context.Background(), r.lane(), r.draft().Commit, first); err != nil || n != 1 {
		t.Errorf("%d commits beyond, %v", n, err)
	}
	if _, err := Beyond(context.Background(), r.lane(), first, "0123456789012345678901234567890123456789"); !errors.Is(err, ErrGone) {
		t.Errorf("a commit that nobody has: %v", err)
	}
	again := r.pack(PackOptions{Commit: first, On: first})
	if !again.Empty || there(again.File) {
		t.Errorf("nothing is new, and %+v", again)
	}
	if s = r.unpacked([]Bundled{whole, again}); r.in(s).head() != first {
		t.Errorf("it is at %s", r.in(s).head())
	}
}

func TestCarriedFromShallow(t *testing.T) {
	r := newRepo(t)
	for range 3 {
		r.git("commit", "-q", "--allow-empty", "-m", "more")
	}
	shallow := repo{t, filepath.Join(t.TempDir(), "shallow")}
	r.git("clone", "-q", "--depth=2", "file://"+r.dir, shallow.dir)
	shallow.write("README", "changed\n")
	shallow.wantSame(shallow.carried(PackOptions{}))
}

// What changes while it is packed is not packed as something else.
func TestPackOfMoved(t *testing.T) {
	r := newRepo(t)
	r.write("README", "one\n")
	d := r.draft()
	r.write("README", "two\n")
	_, err := Pack(context.Background(), r.lane(), PackOptions{Commit: d.Commit, Draft: d, File: filepath.Join(t.TempDir(), "b")})
	if !errors.Is(err, ErrAltered) {
		t.Errorf("packed a lane that changed: %v", err)
	}
	_, err = Pack(context.Background(), r.lane(), PackOptions{Commit: "0123456789012345678901234567890123456789", File: filepath.Join(t.TempDir(), "b")})
	if !errors.Is(err, ErrGone) {
		t.Errorf("packed a commit that is not there: %v", err)
	}
}

// Submodules come along from where they are here, and those in them.
func TestCarriedSubmodules(t *testing.T) {
	r := newRepo(t)
	inner, sub := repo{t, filepath.Join(t.TempDir(), "inner")}, repo{t, filepath.Join(t.TempDir(), "sub")}
	for _, m := range []repo{inner, sub} {
		m.mkdir("")
		m.git("init", "-q", "-b", "trunk")
		m.identify()
		m.write("file", m.dir)
		m.git("add", "-A")
		m.git("commit", "-qm", "first")
	}
	sub.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "in side")
	sub.git("commit", "-qam", "with inner")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.dir, "lib/sub")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
	r.git("commit", "-qam", "with sub")

	ctx := context.Background()
	b := r.pack(PackOptions{})
	lane, err := Unpack(ctx, filepath.Join(t.TempDir(), "repository"), []Bundled{b})
	r.check(err)
	list, err := Modules(ctx, r.lane(), b.Commit)
	r.check(err)
	names, found := []string(nil), 0
	for len(list) > 0 {
		m := list[0]
		names = append(names, m.Name)
		file := filepath.Join(t.TempDir(), "m")
		p, err := PackModule(ctx, m, file)
		r.check(err)
		r.check(UnpackModule(ctx, lane, UnpackedModule{Names: names, URL: m.URL, Chain: []Bundled{{p, file}}}))
		found++
		list, err = ModulesIn(ctx, m)
		r.check(err)
	}
	r.check(os.RemoveAll(sub.dir))
	r.check(os.RemoveAll(inner.dir))
	s, err := NewScratch(ctx, lane, ScratchOptions{Dir: filepath.Join(t.TempDir(), "lanes"), Commit: b.Commit})
	r.check(err)
	defer s.Remove(ctx)
	if found != 2 || !there(filepath.Join(s.Root, "lib/sub/in side/file")) {
		t.Errorf("%d submodules, notes %q", found, s.Notes)
	}
	r.wantSame(s)
}
