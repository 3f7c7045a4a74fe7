package worktrees

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// maxGoGitIndex bounds the pack indexes, in bytes, that go-git is made to read:
// it reads all of all of them first, some 130 MB a second, where git maps what it
// needs. It is about a million objects.
const maxGoGitIndex = 32 << 20

// commits are those of a repository, as far as they were asked for.
type commits struct {
	mu      sync.Mutex // held by whoever asks; go-git serves one at a time
	ctx     context.Context
	lane    Lane
	repo    *git.Repository // nil: ask git alone
	objects *objects        // git, once it was needed
	known   map[string]commit
	cut     map[string]bool // commits whose parents a shallow clone has not
}

// openCommits makes ready to read the commits of a lane's repository, until close
// or the end of ctx: through go-git, and through one git for all where go-git
// refuses the repository, does not have a commit (it was packed anew meanwhile),
// would be slow, or would not see that commits are replaced (git-replace(1)).
func openCommits(ctx context.Context, l Lane) *commits {
	c := &commits{ctx: ctx, lane: l, known: make(map[string]commit), cut: readShallow(l.CommonDir)}
	if replaces(l.CommonDir) || indexSize(l.CommonDir) > maxGoGitIndex {
		return c
	}
	if repo, err := git.PlainOpenWithOptions(l.GitDir, &git.PlainOpenOptions{EnableDotGitCommonDir: true}); err == nil {
		c.repo = repo
	}
	return c
}

func (c *commits) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects != nil {
		c.objects.close()
		c.objects = nil
	}
}

// get returns a commit. mu must be held.
func (c *commits) get(ctx context.Context, id string) (commit, error) {
	if got, ok := c.known[id]; ok {
		return got, nil
	}
	if err := ctx.Err(); err != nil {
		return commit{}, err
	}
	data, err := c.read(id)
	if err != nil {
		return commit{}, fmt.Errorf("read commit %s: %w", id, err)
	}
	got, err := parseCommit(data)
	if err != nil {
		return commit{}, fmt.Errorf("read commit %s: %w", id, err)
	}
	if c.cut[id] {
		got.parents = nil
	}
	c.known[id] = got
	return got, nil
}

// read returns a commit object.
func (c *commits) read(id string) (data []byte, err error) {
	if c.repo != nil {
		if data, err = readObject(c.repo, id); err == nil {
			return data, nil
		}
	}
	if c.objects == nil {
		if c.objects, err = openObjects(c.ctx, c.lane); err != nil {
			return nil, err
		}
	}
	return c.objects.read(id, "commit")
}

// readObject reads a commit object through go-git.
func readObject(repo *git.Repository, id string) ([]byte, error) {
	o, err := repo.Storer.EncodedObject(plumbing.CommitObject, plumbing.NewHash(id))
	if err != nil {
		return nil, err
	}
	r, err := o.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// parseCommit takes parents and time out of a commit object. As with git a time
// that cannot be read is 0.
func parseCommit(data []byte) (c commit, err error) {
	header, _, _ := bytes.Cut(data, []byte("\n\n"))
	if !bytes.HasPrefix(header, []byte("tree ")) {
		return commit{}, errors.New("it does not begin with a tree; look with git fsck")
	}
	for line := range bytes.Lines(header) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		switch kind {
		case "tree":
			c.tree = rest
		case "parent":
			c.parents = append(c.parents, rest)
		case "committer": // NAME <MAIL> SECONDS ZONE, and a name may hold anything but ">"
			_, after, _ := strings.Cut(rest[strings.LastIndexByte(rest, '<')+1:], ">")
			seconds, _, _ := strings.Cut(strings.TrimLeft(after, " "), " ")
			c.when, _ = strconv.ParseInt(seconds, 10, 64)
		}
	}
	return c, nil
}

// readShallow reads which commits of a shallow clone have no parents here.
func readShallow(common string) map[string]bool {
	f, err := os.Open(filepath.Join(common, "shallow"))
	if err != nil {
		return nil
	}
	defer f.Close()
	cut := make(map[string]bool)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cut[lines.Text()] = true
	}
	return cut
}

// replaces says whether some objects stand for others.
func replaces(common string) bool {
	if loose, err := os.ReadDir(filepath.Join(common, "refs", "replace")); err == nil && len(loose) > 0 {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	return err != nil && !errors.Is(err, fs.ErrNotExist) || bytes.Contains(packed, []byte(" refs/replace/"))
}

// indexSize is how large the pack indexes are, in bytes.
func indexSize(common string) (sum int64) {
	files, _ := os.ReadDir(filepath.Join(common, "objects", "pack"))
	for _, file := range files {
		if info, err := file.Info(); err == nil && filepath.Ext(file.Name()) == ".idx" {
			sum += info.Size()
		}
	}
	return sum
}
