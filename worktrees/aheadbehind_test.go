package worktrees

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// counts asks git and both of our ways how far a is from b.
func (r repo) counts(a, b string) {
	r.tb.Helper()
	var want [2]int
	out := r.git("rev-list", "--left-right", "--count", a+"..."+b)
	if _, err := fmt.Sscan(out, &want[0], &want[1]); err != nil {
		r.tb.Fatal(out, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, way := range []string{"go-git", "git"} {
		c := openCommits(ctx, r.lane())
		if way == "git" {
			c.repo = nil
		}
		ahead, behind, err := c.aheadBehind(ctx, r.id(a), r.id(b))
		if got := [2]int{ahead, behind}; err != nil || got != want {
			r.tb.Errorf("%s of %s against %s: got %v, %v, git says %v", way, a, b, got, err, want)
		}
		c.close()
	}
}

// history writes a random history of n commits, each with up to three parents
// among those before it, and times that a clock which is sometimes wrong by hours
// gives; several have the same.
func (r repo) history(rng *rand.Rand, n int) {
	r.tb.Helper()
	var in strings.Builder
	now := 1_700_000_000
	for i := range n {
		now += rng.IntN(3) * 600
		fmt.Fprintf(&in, "commit refs/heads/c%d\nmark :%d\ncommitter T > x <t@t> %d +0000\ndata 1\nx\n", i, i+1, now-rng.IntN(2)*rng.IntN(10)*3600)
		var parents []int
		for range rng.IntN(4) {
			if i > 0 {
				parents = append(parents, 1+max(0, i-1-rng.IntN(8)))
			}
		}
		slices.Sort(parents)
		for j, p := range slices.Compact(parents) {
			word := "merge"
			if j == 0 {
				word = "from"
			}
			fmt.Fprintf(&in, "%s :%d\n", word, p)
		}
		in.WriteString("\n")
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(strings.ReplaceAll(in.String(), "T > x", "T x"))
	if out, err := cmd.CombinedOutput(); err != nil {
		r.tb.Fatalf("%v: %s", err, out)
	}
}

// Random histories, roots and merges among them, with clocks that go wrong.
func TestAheadBehind(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		r := newRepo(t)
		const n = 60
		r.history(rng, n)
		for range 12 {
			r.counts(fmt.Sprintf("c%d", rng.IntN(n)), fmt.Sprintf("c%d", rng.IntN(n)))
		}
		r.counts("trunk", "c5") // nothing in common
	}
}

// Commits that are packed, borrowed, replaced, or cut off.
func TestAheadBehindPlaces(t *testing.T) {
	r := newRepo(t)
	for i := range 5 {
		r.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
	}
	r.git("branch", "side", "HEAD~2")
	r.counts("side", "trunk")
	clone := func(name string, args ...string) repo {
		c := repo{t, filepath.Join(filepath.Dir(r.dir), name)}
		r.git(append(append([]string{"clone", "-q"}, args...), "file://"+r.dir, c.dir)...)
		c.identify()
		c.git("checkout", "-q", "-b", "more", "HEAD~1")
		c.git("commit", "-q", "--allow-empty", "-m", "more")
		return c
	}
	clone("shallow", "--depth=3").counts("more", "trunk")
	borrowed := repo{t, filepath.Join(filepath.Dir(r.dir), "borrowed")}
	r.git("clone", "-q", "--shared", r.dir, borrowed.dir)
	borrowed.counts("trunk~3", "trunk")
	r.git("gc", "-q")
	r.counts("side", "trunk")
	r.git("replace", "--graft", "trunk", "trunk~4") // which skips three
	if openCommits(context.Background(), r.lane()).repo != nil {
		t.Error("go-git is asked, which knows no replaced commits")
	}
	var ahead, behind int
	c := openCommits(context.Background(), r.lane())
	defer c.close()
	ahead, behind, err := c.aheadBehind(context.Background(), r.id("trunk"), r.id("trunk~1"))
	if err != nil || ahead != 1 || behind != 0 {
		t.Errorf("replaced: %d, %d, %v", ahead, behind, err)
	}
	r.git("pack-refs", "--all")
	if !replaces(r.lane().CommonDir) {
		t.Error("packed references to replaced commits are not seen")
	}
}

// A commit that was packed anew behind go-git's back, or is missing.
func TestAheadBehindMeanwhile(t *testing.T) {
	r := newRepo(t)
	r.git("commit", "-q", "--allow-empty", "-m", "second")
	first, second := r.id("HEAD~1"), r.id("HEAD")
	r.git("gc", "-q")
	c := openCommits(context.Background(), r.lane())
	defer c.close()
	if _, err := c.when(context.Background(), first); err != nil || c.objects != nil {
		t.Fatalf("%v, git was asked: %v", err, c.objects != nil)
	}
	r.git("commit", "-q", "--allow-empty", "-m", "third")
	r.git("repack", "-q", "-a", "-d")
	if ahead, behind, err := c.aheadBehind(context.Background(), r.id("HEAD"), second); err != nil || ahead != 1 || behind != 0 {
		t.Errorf("%d, %d, %v", ahead, behind, err)
	}
	if _, err := c.when(context.Background(), strings.Repeat("1", 40)); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a commit that is not there: %v", err)
	}
	if _, err := c.when(context.Background(), r.id("HEAD^{tree}")); err == nil || !strings.Contains(err.Error(), "tree") {
		t.Errorf("a tree: %v", err)
	}
	if _, err := c.when(context.Background(), second); err != nil {
		t.Errorf("after these: %v", err)
	}
}

func FuzzParseCommit(f *testing.F) {
	const id = "0123456789012345678901234567890123456789"
	for _, seed := range []string{
		"tree " + id + "\nparent " + id + "\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 1700000000 +0200\n\ntext\nparent x\n",
		"tree x\ncommitter A < <b> > 5 +0000\ngpgsig -----\n parent y\n \n\n", "tree x\n\n", "", "committer\n", "tree x\ncommitter <",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseCommit(data)
		if (err == nil) != strings.HasPrefix(string(data), "tree ") {
			t.Fatalf("parseCommit(%q) = %+v, %v", data, c, err)
		}
		header, _, _ := strings.Cut("\n"+string(data), "\n\n")
		if n := strings.Count(header+"\n", "\nparent"); len(c.parents) > n {
			t.Fatalf("parseCommit(%q) has %d parents of %d", data, len(c.parents), n)
		}
		for _, p := range append(c.parents, c.tree) {
			if strings.Contains(p, "\n") || !strings.Contains(string(data), p) {
				t.Fatalf("parseCommit(%q) has %q", data, p)
			}
		}
	})
}
