package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scratchHome is a directory of scratch lanes beside a repository's.
func (r repo) scratchHome() string { return filepath.Join(filepath.Dir(r.dir), "scratch lanes") }

// scratch makes a scratch lane; it must work, and is removed with the test.
func (r repo) scratch(o ScratchOptions) *Scratch {
	r.tb.Helper()
	s, err := r.tryScratch(o)
	r.check(err)
	r.tb.Cleanup(func() { r.check(s.Remove(context.Background())) })
	return s
}

func (r repo) tryScratch(o ScratchOptions) (*Scratch, error) {
	r.tb.Helper()
	r.tb.Setenv("CARGO_TARGET_DIR", "")
	r.tb.Setenv("CARGO_BUILD_TARGET_DIR", "")
	if o.Dir == "" {
		o.Dir = r.scratchHome()
	}
	return NewScratch(context.Background(), r.lane(), o)
}

// in is a scratch lane as a repository to work in.
func (r repo) in(s *Scratch) repo { return repo{r.tb, s.Root} }

func (r repo) head() string {
	r.tb.Helper()
	return strings.TrimSpace(r.git("rev-parse", "HEAD"))
}

// disk is every path of a checkout less .git and what git ignores, with kind,
// permissions and content.
func (r repo) disk() map[string]string {
	r.tb.Helper()
	found := map[string]string{}
	for _, path := range splitNUL([]byte(r.git("ls-files", "-z", "--cached", "--others", "--exclude-standard"))) {
		info, err := os.Lstat(r.path(path))
		if err != nil || info.IsDir() {
			continue
		}
		text, _ := os.Readlink(r.path(path))
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(r.path(path))
			r.check(err)
			text = string(data)
		}
		found[path] = fmt.Sprintf("%v %q", info.Mode(), text)
	}
	return found
}

// untouched is what must be the same of a lane before and after: its files with
// their times, its index, its references and configuration.
func (r repo) untouched() map[string]string {
	r.tb.Helper()
	found := map[string]string{}
	r.check(filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == r.path(".git") || path == r.path(".git/worktrees") { // which come and go
			return err
		}
		info, err := d.Info()
		if strings.HasPrefix(path, r.path(".git/objects")) {
			found[path] = "an object" // which git marks as young again
		} else if err == nil {
			found[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	}))
	return found
}

// wantNothingLeft fails where a scratch lane left something on disk or in git's
// books.
func (r repo) wantNothingLeft() {
	r.tb.Helper()
	r.wantEmpty(r.scratchHome())
	r.wantEmpty(r.path(".git/worktrees"))
	if n := strings.Count(r.git("worktree", "list", "--porcelain"), "worktree "); n != 1 {
		r.tb.Errorf("git lists %d worktrees", n)
	}
}

func (r repo) wantEmpty(dir string) {
	r.tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.tb.Error(err)
	}
	if len(entries) > 0 {
		out, _ := exec.Command("find", dir).CombinedOutput()
		r.tb.Errorf("left in %s:\n%.1000s", dir, out)
	}
}

// A scratch lane at a commit holds that commit and nothing of the lane's
// changes, and its making and removing leaves the lane as it was.
func TestScratchOfCommit(t *testing.T) {
	r := newRepo(t)
	r.write("--x", "an option\n")
	r.write("Case", "1")
	r.write("case", "2")
	r.symlink("src", "dirlink")
	r.git("add", "-A")
	r.git("commit", "-qm", "names")
	want, commit := r.disk(), r.head()
	r.settle()
	r.write("src/a.go", "package z\n")
	r.git("add", "-A")
	r.write("new", "new\n")
	before := r.untouched()
	s := r.scratch(ScratchOptions{Commit: commit, For: "a test"})
	if diff := cmp.Diff(want, r.in(s).disk()); diff != "" {
		t.Errorf("files: %s", diff)
	}
	id, ok := ScratchID(s.Tree)
	if !ok || s.Name != "scratch/"+id || s.From != "main" || len(s.Notes) > 0 || s.Env != nil || s.Target != filepath.Join(s.Root, "target") {
		t.Errorf("scratch lane %+v, id %q, %v", s, id, ok)
	}
	if st, err := ReadState(context.Background(), s.Lane); err != nil || st.Dirty || st.Commit != commit || st.Branch != "" {
		t.Errorf("state %+v, %v", st, err)
	}
	r.wantListed(s)
	for range 2 {
		r.check(s.Remove(context.Background()))
	}
	if diff := cmp.Diff(before, r.untouched()); diff != "" {
		t.Errorf("the lane was touched: %s", diff)
	}
	r.wantNothingLeft()
}

// wantListed holds what a listing says of a scratch lane against what it is.
func (r repo) wantListed(s *Scratch) {
	r.tb.Helper()
	trees, err := List(context.Background(), r.lane())
	r.check(err)
	seen := 0
	for _, tree := range trees {
		if _, ok := ScratchID(tree); !ok {
			continue
		}
		seen++
		h, ok := HolderOf(tree)
		if tree.Root != s.Root || tree.Target != s.Target || !ok || h.Pid != os.Getpid() || !h.alive() || h.For != "a test" || h.Of != "main" {
			r.tb.Errorf("listed %+v, held by %+v, %v", tree, h, ok)
		}
	}
	if seen != 1 {
		r.tb.Errorf("%d of %d lanes are scratch lanes", seen, len(trees))
	}
}

// Whatever is in a lane, a copy of it is the same to git and to whoever reads
// the files, and the lane is as it was.
func TestScratchOfRandomLanes(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "src/** text=auto\nREADME ident\n")
	rng := rand.New(rand.NewPCG(11, 3))
	rounds, dirty := 10, 0
	if os.Getenv("GPUCI_SOAK") == "1" {
		rounds = 200
	}
	for round := range rounds {
		what := ""
		for range 3 {
			what += r.edit(rng) + ", "
		}
		if round%2 == 0 {
			r.replace("src/n", what)
		}
		want, draft, before := r.disk(), r.draft(), r.untouched()
		s := r.scratch(ScratchOptions{})
		if diff := cmp.Diff(want, r.in(s).disk()); diff != "" {
			t.Errorf("files: %s", diff)
		}
		if got := r.in(s).draft(); draft.Tree == "" || !cmp.Equal(got, draft) {
			t.Errorf("draft %+v, copy %+v", draft, got)
		}
		r.check(s.Remove(context.Background()))
		if diff := cmp.Diff(before, r.untouched()); diff != "" {
			t.Errorf("the lane was touched: %s", diff)
		}
		r.wantNothingLeft()
		if t.Failed() {
			t.Fatalf("round %d, %s", round, what)
		}
		if len(draft.Leaves) > 0 {
			dirty++
		}
	}
	if dirty < rounds/4 {
		t.Errorf("only %d of %d lanes had changes", dirty, rounds)
	}
}

// Each way that one lane is otherwise than its commit.
func TestScratchOfLane(t *testing.T) {
	for name, do := range map[string]func(r repo){
		"directory to link": func(r repo) { r.remove("src-x"); r.symlink("src", "src-x") },
		"link to directory": func(r repo) { r.remove("link"); r.write("link/x", "x") },
		"file to directory": func(r repo) { r.remove("README"); r.write("README/x/y", "") },
		"all gone":          func(r repo) { r.git("rm", "-rqf", ".") },
		"odd names":         func(r repo) { r.write(":(top)\n\"x*", "a\r\n"); r.write("ü\t", ""); r.write("--x/ y", "") },
		"staged, ignored":   func(r repo) { r.write("x.o", "1"); r.git("add", "-f", "x.o") },
		"untracked, kept":   func(r repo) { r.git("rm", "-q", "--cached", "README") },
		"intent to add":     func(r repo) { r.write("n", "1"); r.git("add", "-N", "n") },
		"many":              func(r repo) { many(r, 150) },
		"conflict":          conflict,
		"assumed unchanged": func(r repo) { r.git("update-index", "--assume-unchanged", "README"); r.write("README", "changed\n") },
		"skipped, changed":  func(r repo) { r.git("update-index", "--skip-worktree", "README"); r.write("README", "changed\n") },
		"line ends":         func(r repo) { r.write(".gitattributes", "*.txt text\n"); r.write("a.txt", "1\r\n") },
		"mode not kept":     func(r repo) { r.git("config", "core.fileMode", "false"); r.write("n", ""); r.chmod("n", 0o755) },
		"nested repository": func(r repo) { nest(r) },
		"nested, changed":   func(r repo) { nest(r).write("x", "y"); r.write("nest/new", "z") },
		"filter": func(r repo) {
			r.git("config", "filter.upper.clean", "tr a-z A-Z")
			r.write(".gitattributes", "*.bin filter=upper\n")
			r.write("sub/x.bin", "content")
		},
		"a lane inside": func(r repo) { r.git("worktree", "add", "-q", "--detach", "in/side"); r.write("in/x", "") },
		"unwritable directory": func(r repo) {
			r.write("ro/x", "x")
			r.chmod("ro", 0o555)
			r.tb.Cleanup(func() { r.chmod("ro", 0o755) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			do(r)
			want, draft, before := r.disk(), r.draft(), r.untouched()
			s := r.scratch(ScratchOptions{})
			if diff := cmp.Diff(want, r.in(s).disk()); diff != "" {
				t.Errorf("files: %s", diff)
			}
			if got := r.in(s).draft(); name != "a lane inside" && !cmp.Equal(got, draft) {
				t.Errorf("draft %+v, copy %+v", draft, got)
			}
			if name == "a lane inside" && (len(s.Notes) != 1 || there(filepath.Join(s.Root, "in", "side"))) {
				t.Errorf("notes %q", s.Notes)
			}
			r.check(s.Remove(context.Background()))
			if diff := cmp.Diff(before, r.untouched()); diff != "" {
				t.Errorf("the lane was touched: %s", diff)
			}
			r.wantEmpty(r.scratchHome())
		})
	}
}
