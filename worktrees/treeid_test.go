package worktrees

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// draft reads the lane's draft.
func (r repo) draft() Draft {
	r.tb.Helper()
	l := r.lane()
	st, err := ReadState(context.Background(), l)
	r.check(err)
	d, err := ReadDraft(context.Background(), l, st)
	r.check(err)
	return d
}

// wouldBe is what git itself makes of a copy of the repository: "" where it
// cannot add all of it.
func (r repo) wouldBe() string {
	r.tb.Helper()
	c := repo{r.tb, filepath.Join(r.tb.TempDir(), "copy")}
	if out, err := exec.Command("cp", "-a", r.dir, c.dir).CombinedOutput(); err != nil {
		r.tb.Fatalf("cp: %v\n%s", err, out)
	}
	add := exec.Command("git", "-c", "core.safecrlf=false", "add", "-A")
	add.Dir = c.dir
	if add.Run() != nil {
		return ""
	}
	return strings.TrimSpace(c.git("write-tree"))
}

// wantDraft holds the draft against git's own word and returns it.
func (r repo) wantDraft() Draft {
	r.tb.Helper()
	d, want := r.draft(), r.wouldBe()
	if d.Tree != want {
		r.tb.Errorf("tree %q, git makes %q of it; leaves %q\n%s", d.Tree, want, d.Leaves, r.git("--no-optional-locks", "status", "--porcelain=v2"))
	}
	return d
}

// The id of whatever a lane holds is the one git would give it, and committing
// the lane keeps it.
func TestDraftOfRandomLanes(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "*.o -text\nsrc/** text=auto\nREADME ident\n")
	rng := rand.New(rand.NewPCG(7, 19))
	rounds, dirty := 30, 0
	if os.Getenv("GPUCI_SOAK") == "1" {
		rounds = 600
	}
	for round := range rounds {
		what := r.edit(rng)
		if rng.IntN(4) == 0 {
			path := []string{"src/n", "src/a.go", "README"}[rng.IntN(3)]
			r.replace(path, []string{"a\r\nb\r\n", "a\nb\n", "$Id: 17 $\n"}[rng.IntN(3)])
			what += ", convert " + path
		}
		if d := r.wantDraft(); t.Failed() {
			t.Fatalf("round %d, %s: %+v", round, what, d)
		} else if len(d.Leaves) > 0 {
			dirty++
		}
	}
	if dirty < rounds/4 {
		t.Errorf("only %d of %d lanes differed from their commit: too few to say anything", dirty, rounds)
	}
	before := r.draft()
	r.git("add", "-A")
	r.git("commit", "-qm", "all", "--allow-empty")
	if after := r.draft(); after.Tree != before.Tree || len(after.Leaves) > 0 {
		t.Errorf("committed: %+v, before %+v", after, before)
	}
}

// Each way to be different, one by one, with the paths that differ.
func TestDraft(t *testing.T) {
	for name, c := range map[string]struct {
		do     func(r repo)
		leaves string
		none   bool // git could not commit it
	}{
		"clean":             {do: func(repo) {}},
		"modified":          {do: func(r repo) { r.write("src/a.go", "package z\n") }, leaves: "src/a.go"},
		"deleted":           {do: func(r repo) { r.remove("src/a.go") }, leaves: "-src/a.go"},
		"emptied":           {do: func(r repo) { r.remove("src/deep/er") }, leaves: "-src/deep/er/b.go"},
		"all gone":          {do: func(r repo) { r.git("rm", "-rqf", ".") }, leaves: strings.Repeat("*", 12)},
		"executable":        {do: func(r repo) { r.chmod("README", 0o755) }, leaves: "README"},
		"new executable":    {do: func(r repo) { r.write("n/x", ""); r.chmod("n/x", 0o755) }, leaves: "n/x"},
		"mode not kept":     {do: func(r repo) { r.git("config", "core.fileMode", "false"); r.chmod("README", 0o755) }},
		"mode not kept new": {do: func(r repo) { r.git("config", "core.fileMode", "false"); r.write("n", ""); r.chmod("n", 0o755) }, leaves: "n"},
		"linked":            {do: func(r repo) { r.symlink("../nowhere", "new/link") }, leaves: "new/link"},
		"file to directory": {do: func(r repo) { r.remove("README"); r.write("README/x/y", "") }, leaves: "-README README/x/y"},
		"directory to file": {do: func(r repo) { r.remove("src"); r.write("src", "") }, leaves: "src -src/a.go -src/deep/.gitignore -src/deep/er/b.go"},
		"directory to link": {do: func(r repo) { r.remove("src-x"); r.symlink("src", "src-x") }, leaves: "src-x -src-x/c.go"},
		"between in order":  {do: func(r repo) { r.write("src.x", ""); r.write("src0/x", ""); r.write("src-", "") }, leaves: "src- src.x src0/x"},
		"renamed":           {do: func(r repo) { r.git("mv", "src", "moved") }, leaves: strings.Repeat("*", 6)},
		"odd names":         {do: func(r repo) { r.write(":(top)\n\"x*", "a\r\n"); r.write("ü\t", "") }, leaves: "**"},
		"staged, undone":    {do: func(r repo) { r.write("README", "1\n"); r.git("add", "README"); r.write("README", "read me\n") }},
		"staged, ignored":   {do: func(r repo) { r.write("x.o", "1"); r.git("add", "-f", "x.o") }, leaves: "x.o"},
		"removed, kept":     {do: func(r repo) { r.git("rm", "-q", "--cached", "README") }},
		"intent to add":     {do: func(r repo) { r.write("n", ""); r.git("add", "-N", "n") }, leaves: "n"},
		"skipped":           {do: func(r repo) { r.git("update-index", "--skip-worktree", "README"); r.remove("README") }},
		"many":              {do: func(r repo) { many(r, 150) }, leaves: strings.Repeat("*", 150)},
		"conflict":          {do: conflict, leaves: "README"},
		"fifo":              {do: func(r repo) { r.remove("README"); r.check(syscall.Mkfifo(r.path("README"), 0o644)) }, leaves: "README", none: true},
		"empty repository":  {do: func(r repo) { r.mkdir("nest"); repo{r.tb, r.path("nest")}.git("init", "-q") }, leaves: "nest", none: true},
		"nested repository": {do: func(r repo) { nest(r) }, leaves: "nest"},
		"line ends kept":    {do: func(r repo) { r.write("a.txt", "1\r\n") }, leaves: "a.txt"},
		"line ends":         {do: func(r repo) { r.write(".gitattributes", "*.txt text\n"); r.write("a.txt", "1\r\n") }, leaves: "**"},
		"line ends by configuration": {do: func(r repo) {
			r.git("config", "core.autocrlf", "true")
			r.write("a.txt", "1\r\n")
		}, leaves: "a.txt"},
		"line ends there already": {do: func(r repo) {
			r.write("a.txt", "1\r\n")
			r.git("add", "-A")
			r.git("commit", "-qm", "crlf")
			r.write(".gitattributes", "* text=auto\n")
			r.write("a.txt", "2\r\n")
			r.write("b.txt", "2\r\n")
		}, leaves: ".gitattributes a.txt b.txt"},
		"encoding": {do: func(r repo) {
			r.write(".gitattributes", "*.u working-tree-encoding=UTF-16LE\n")
			r.write("a.u", "a\x00b\x00")
		}, leaves: ".gitattributes a.u"},
		"filter": {do: func(r repo) {
			r.git("config", "filter.upper.clean", "tr a-z A-Z")
			r.write(".gitattributes", "*.bin filter=upper\n")
			r.write("sub/x.bin", "content")
		}, leaves: ".gitattributes sub/x.bin"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			c.do(r)
			d := r.wantDraft()
			if c.none != (d.Tree == "") {
				t.Errorf("tree %q", d.Tree)
			}
			var got []string
			for _, leaf := range d.Leaves {
				if leaf.Gone() {
					leaf.Path = "-" + leaf.Path
				}
				got = append(got, leaf.Path)
			}
			said := strings.Join(got, " ")
			if strings.HasPrefix(c.leaves, "*") {
				said = strings.Repeat("*", len(got))
			}
			if diff := cmp.Diff(c.leaves, said); diff != "" {
				t.Errorf("leaves %s\n%q", diff, got)
			}
		})
	}
}

func many(r repo, n int) {
	for i := range n {
		r.write(fmt.Sprintf("many/%d/%d", i%7, i), fmt.Sprint(i))
	}
}

// conflict stops in a merge of two edits of one line.
func conflict(r repo) {
	r.git("checkout", "-qb", "other")
	r.write("README", "theirs\n")
	r.git("commit", "-qam", "theirs")
	r.git("checkout", "-q", "trunk")
	r.write("README", "ours\n")
	r.git("commit", "-qam", "ours")
	cmd := exec.Command("git", "merge", "-q", "other")
	cmd.Dir = r.dir
	if cmd.Run() == nil {
		r.tb.Fatal("the merge went through")
	}
}

// nest puts a repository with one commit into the lane.
func nest(r repo) repo {
	r.mkdir("nest")
	n := repo{r.tb, r.path("nest")}
	n.git("init", "-q")
	n.identify()
	n.write("x", "x")
	n.git("add", "-A")
	n.git("commit", "-qm", "x")
	return n
}
