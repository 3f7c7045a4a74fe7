package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Repositories of every kind, a lane of each copied and taken at its commit.
func TestScratchOfOtherKinds(t *testing.T) {
	for name, create := range map[string]func(t *testing.T) repo{
		"sha256": func(t *testing.T) repo {
			r := emptyRepo(t, "--object-format=sha256")
			r.write("a/b", "b\n")
			return r
		},
		"linked": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("worktree", "add", "-q", "../w")
			return repo{t, filepath.Join(filepath.Dir(r.dir), "w")}
		},
		"bare": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("clone", "-q", "--bare", r.dir, "../bare")
			repo{t, filepath.Join(filepath.Dir(r.dir), "bare")}.git("worktree", "add", "-q", "../w", "trunk")
			w := repo{t, filepath.Join(filepath.Dir(r.dir), "w")}
			w.identify()
			return w
		},
		"worktreeConfig": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("config", "--worktree", "core.worktree", r.dir)
			return r
		},
		"core.worktree for all": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("config", "core.worktree", r.dir)
			return r
		},
		"cone": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("sparse-checkout", "set", "--cone", "--sparse-index", "src/deep")
			return r
		},
		"patterns": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/")
			return r
		},
		"sparse by hand": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("config", "core.sparseCheckout", "true")
			r.write(".git/info/sparse-checkout", "/README\n/bin/\n")
			r.git("read-tree", "-mu", "HEAD")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t)
			r.git("add", "-A")
			r.git("commit", "-qm", "first", "--allow-empty")
			clean, commit := r.disk(), r.head()
			for i, o := range []ScratchOptions{{Commit: commit}, {}} {
				want := clean
				if i == 1 {
					r.write("new", "a\r\n")
					want = r.disk()
				}
				before := r.untouched()
				s := r.scratch(o)
				if diff := cmp.Diff(want, r.in(s).disk()); diff != "" {
					t.Errorf("files: %s", diff)
				}
				if top := strings.TrimSpace(r.in(s).git("rev-parse", "--show-toplevel")); top != s.Root {
					t.Errorf("git there is about %s", top)
				}
				r.check(s.Remove(context.Background()))
				if diff := cmp.Diff(before, r.untouched()); diff != "" {
					t.Errorf("the lane was touched: %s", diff)
				}
				r.wantEmpty(r.scratchHome())
			}
		})
	}
}

// At another commit than the sparse lane's own there is every file, and a
// scratch lane that moves goes from one to the other.
func TestScratchOfSparseLane(t *testing.T) {
	for name, sparse := range map[string][]string{"cone": {"--cone", "bin"}, "patterns": {"--no-cone", "/*", "!/src/"}} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			first, full := r.head(), r.disk()
			r.git("commit", "-qm", "second", "--allow-empty")
			r.git(append([]string{"sparse-checkout", "set"}, sparse...)...)
			second, few := r.head(), r.disk()
			if len(few) >= len(full) {
				t.Fatal("the lane is not sparse")
			}
			s := r.scratch(ScratchOptions{Commit: first})
			for _, step := range []struct {
				commit string
				want   map[string]string
			}{{first, full}, {second, few}, {first, full}, {second, few}} {
				r.check(s.Move(context.Background(), step.commit))
				if diff := cmp.Diff(step.want, r.in(s).disk()); diff != "" {
					t.Errorf("at %.7s: %s", step.commit, diff)
				}
				if st, err := ReadState(context.Background(), s.Lane); err != nil || st.Dirty {
					t.Errorf("at %.7s: %+v, %v", step.commit, st, err)
				}
			}
		})
	}
}

// Hooks of every kind, aliases of hooks and helpers of the repository do not
// run, neither in making nor in moving nor in removing.
func TestScratchRunsNoHook(t *testing.T) {
	r := superproject(t)
	first := r.head()
	r.write("more", "")
	r.git("add", "-A")
	r.git("commit", "-qm", "second")
	trace := filepath.Join(t.TempDir(), "trace")
	hook := "#!/bin/sh\necho \"$0\" >> '" + trace + "'\nexit 1\n"
	for _, dir := range []string{".git/hooks", ".git/modules/lib/sub/hooks", "own hooks", "template/hooks"} {
		for _, name := range []string{"post-checkout", "reference-transaction", "pre-auto-gc", "post-index-change", "fsmonitor-watchman", "post-merge"} {
			r.write(dir+"/"+name, hook)
			r.chmod(dir+"/"+name, 0o755)
		}
	}
	for key, value := range map[string]string{
		"core.hooksPath": r.path("own hooks"), "core.fsmonitor": r.path("own hooks/fsmonitor-watchman"), "gc.auto": "1", "init.templateDir": r.path("template"),
		"submodule.recurse": "true", "worktree.guessRemote": "true", "fetch.recurseSubmodules": "true", "core.pager": r.path("own hooks/post-merge"),
	} {
		r.git("config", key, value)
	}
	r.git("status")
	if !there(trace) {
		t.Fatal("the hooks of the test do not run at all")
	}
	r.check(os.Remove(trace))
	s := r.scratch(ScratchOptions{})
	r.check(s.Move(context.Background(), first))
	r.check(s.Remove(context.Background()))
	if data, err := os.ReadFile(trace); err == nil {
		t.Errorf("there ran %s", data)
	}
	r.wantNothingLeft()
}

// What cannot be made is an error that says why, and nothing is left.
func TestScratchRefused(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r repo)
		o    func(r repo) ScratchOptions
		want string
		is   error
	}{
		"no such commit": {want: "it is not there any more", is: ErrGone, o: func(repo) ScratchOptions { return ScratchOptions{Commit: strings.Repeat("ab", 20)} }},
		"an option":      {want: "commit --all", is: ErrGone, o: func(repo) ScratchOptions { return ScratchOptions{Commit: "--all"} }},
		"relative":       {want: "not an absolute path", o: func(repo) ScratchOptions { return ScratchOptions{Dir: "x"} }},
		"in the lane":    {want: "is in the worktree", o: func(r repo) ScratchOptions { return ScratchOptions{Dir: r.path("a/b")} }},
		"link into it":   {want: "is in the worktree", do: func(r repo) { r.symlink(r.dir, "../in") }, o: func(r repo) ScratchOptions { return ScratchOptions{Dir: r.path("../in/x")} }},
		"unborn":         {want: "no commit yet", do: func(r repo) { r.git("checkout", "-q", "--orphan", "new") }},
		"pipe":           {want: "no file, link or directory", do: func(r repo) { r.remove("README"); r.check(syscall.Mkfifo(r.path("README"), 0o644)) }},
		"empty nested":   {want: "without a commit", do: func(r repo) { r.mkdir("nest"); repo{r.tb, r.path("nest")}.git("init", "-q") }},
		"filter that fails": {want: "smudge", do: func(r repo) {
			r.write(".gitattributes", "*.bin filter=f\n")
			r.write("x.bin", "x")
			r.git("add", "-A")
			r.git("commit", "-qm", "filtered")
			r.git("config", "filter.f.smudge", "exit 3")
			r.git("config", "filter.f.required", "true")
			r.git("config", "filter.f.clean", "cat")
		}},
		"what git does not check out": {want: "invalid path", do: func(r repo) {
			// Two trees, of which the inner is called .git.
			blob := strings.TrimSpace(r.git("hash-object", "-w", "README"))
			tree := r.pipe("100644 blob "+blob+"\tconfig\n", "mktree")
			top := r.pipe("040000 tree "+tree+"\t.git\n", "mktree")
			r.git("update-ref", "HEAD", strings.TrimSpace(r.git("commit-tree", "-m", "evil", top)))
		}, o: func(r repo) ScratchOptions { return ScratchOptions{Commit: r.head()} }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			if c.do != nil {
				c.do(r)
			}
			var o ScratchOptions
			if c.o != nil {
				o = c.o(r)
			}
			s, err := r.tryScratch(o)
			if s != nil || err == nil || !strings.Contains(err.Error(), c.want) || (c.is != nil && !errors.Is(err, c.is)) {
				t.Errorf("%v, error %v", s, err)
			}
			r.wantNothingLeft()
		})
	}
}

// pipe runs git with an input.
func (r repo) pipe(input string, args ...string) string {
	r.tb.Helper()
	out, err := runGit(context.Background(), r.lane(), []byte(input), args...)
	r.check(err)
	return strings.TrimSpace(string(out))
}

// LFS pointers are counted and the first ones named; a repository without the
// filter has none, whatever its files say.
func TestScratchSaysLFSPointers(t *testing.T) {
	r := newRepo(t)
	pointer := lfsPointer + "oid sha256:" + strings.Repeat("0", 64) + "\nsize 12\n"
	for _, path := range []string{"w/1.bin", "w/2.bin", "w/3.bin", "w/4 \n.bin"} {
		r.write(path, pointer)
	}
	r.write("w/real.bin", "content")
	r.git("add", "-A")
	r.git("commit", "-qm", "without")
	if s := r.scratch(ScratchOptions{}); len(s.Notes) > 0 {
		t.Errorf("without the filter: %q", s.Notes)
	}
	r.write("w/.gitattributes", "*.bin filter=lfs diff=lfs -text\n")
	s := r.scratch(ScratchOptions{})
	want := `4 files are LFS pointers, not their content: "w/1.bin", "w/2.bin", "w/3.bin", …`
	if len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], want) {
		t.Errorf("notes %q", s.Notes)
	}
}
