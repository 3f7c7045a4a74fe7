package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func find(t *testing.T, dir string) Lane {
	t.Helper()
	l, err := Find(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFindMainAndLinked(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", "../lanes/kda", "-b", "kda")
	linked := filepath.Join(filepath.Dir(r.dir), "lanes", "kda")
	git := r.path(".git")

	main := Lane{Name: "main", Root: r.dir, GitDir: git, CommonDir: git}
	kda := Lane{Name: "kda", Root: linked, GitDir: filepath.Join(git, "worktrees", "kda"), CommonDir: git}
	for dir, want := range map[string]Lane{
		r.dir:                          main,
		r.path("src/deep"):             main,
		r.path("README"):               main, // a file is in its directory's lane
		linked:                         kda,
		filepath.Join(linked, "src-x"): kda,
	} {
		if diff := cmp.Diff(want, find(t, dir)); diff != "" {
			t.Errorf("Find(%s): %s", dir, diff)
		}
	}
}

func TestFindResolvesLinks(t *testing.T) {
	r := newRepo(t)
	door := filepath.Join(filepath.Dir(r.dir), "door")
	if err := os.Symlink(r.path("src"), door); err != nil {
		t.Fatal(err)
	}
	if got := find(t, door).Root; got != r.dir {
		t.Errorf("Root = %s, want %s", got, r.dir)
	}
	t.Chdir(r.path("src"))
	if got := find(t, ".").Root; got != r.dir {
		t.Errorf("Root from a relative path = %s, want %s", got, r.dir)
	}
}

func TestFindIgnoresEnvironment(t *testing.T) {
	r := newRepo(t)
	r.git("update-index", "--split-index") // so that git is asked about everything
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
	l := find(t, r.dir)
	if l.Root != r.dir {
		t.Errorf("Root = %s, want %s", l.Root, r.dir)
	}
	r.write("README", "changed\n")
	st, err := ReadState(context.Background(), l)
	if err != nil || st.Count != 1 {
		t.Errorf("ReadState = %+v, %v; want one change", st, err)
	}
}

// A bare repository with linked worktrees is a common way to have lanes, often
// with one called main.
func TestFindBare(t *testing.T) {
	r := newRepo(t)
	bare := filepath.Join(filepath.Dir(r.dir), "bare")
	r.git("clone", "-q", "--bare", r.dir, bare)
	b := repo{t, bare}
	b.git("worktree", "add", "-q", "../main", "trunk")
	if got := find(t, filepath.Join(filepath.Dir(bare), "main")); got.Name != "main" || got.CommonDir != bare {
		t.Errorf("lane of a bare repository's worktree main: %+v", got)
	}
	if _, err := Find(context.Background(), bare); !errors.Is(err, ErrNoRepository) {
		t.Errorf("Find in a bare repository: %v, want ErrNoRepository", err)
	}
	lane := repo{t, filepath.Join(filepath.Dir(bare), "main")}
	if lane.state().Branch != "trunk" {
		t.Errorf("state: %+v", lane.state())
	}
	// A .git file beside the bare repository does not make its directory a worktree.
	hub := repo{t, t.TempDir()}
	hub.write(".git", "gitdir: "+bare+"\n")
	if _, err := Find(context.Background(), hub.dir); !errors.Is(err, ErrNoRepository) {
		t.Errorf("Find beside a bare repository: %v, want ErrNoRepository", err)
	}
}

func TestFindLinkedCalledMain(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", "--detach", "../elsewhere/main")
	if got := find(t, filepath.Join(filepath.Dir(r.dir), "elsewhere", "main")).Name; got != "main~linked" {
		t.Errorf("Name = %q, want main~linked", got)
	}
	if got := find(t, r.dir).Name; got != "main" {
		t.Errorf("Name = %q, want main", got)
	}
}

func TestFindSubmodule(t *testing.T) {
	r := superproject(t)
	sub := find(t, r.path("lib/sub"))
	want := Lane{
		Name: "main", Root: r.path("lib/sub"),
		GitDir: r.path(".git/modules/lib/sub"), CommonDir: r.path(".git/modules/lib/sub"),
	}
	if diff := cmp.Diff(want, sub); diff != "" {
		t.Error(diff)
	}
}

func TestFindNothing(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	// An empty .git is passed over, as git does.
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(context.Background(), dir); !errors.Is(err, ErrNoRepository) {
		t.Errorf("Find = %v, want ErrNoRepository", err)
	}
	if _, err := Find(context.Background(), filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Find = %v, want ErrNotExist", err)
	}
	r := newRepo(t)
	if _, err := Find(context.Background(), r.path(".git/refs")); !errors.Is(err, ErrNoRepository) {
		t.Errorf("Find inside .git = %v, want ErrNoRepository", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, r.dir); !errors.Is(err, context.Canceled) {
		t.Errorf("Find = %v, want Canceled", err)
	}
}

func TestFindBrokenPointer(t *testing.T) {
	alone(t)
	for _, text := range []string{"", "gitdir: ", "gitdir: /nowhere/at/all\n", "something else"} {
		r := repo{t, t.TempDir()}
		r.write(".git", text)
		_, err := Find(context.Background(), r.dir)
		if err == nil || errors.Is(err, ErrNoRepository) {
			t.Errorf("Find with .git file %q = %v, want an error about that file", text, err)
		}
	}
}

func FuzzParsePointer(f *testing.F) {
	for _, seed := range []string{"gitdir: ../.git/worktrees/x\n", "gitdir: /a\r\n", "gitdir: ", "gitdir:x", "", "gitdir: a\x00b", "gitdir: \n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path, err := parsePointer(data, "gitdir: ")
		if (err == nil) == (path == "") {
			t.Fatalf("parsePointer(%q) = %q, %v", data, path, err)
		}
	})
}
