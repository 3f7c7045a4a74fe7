package worktrees

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Books are what the lanes of a repository share beside its objects: its references,
// by name, and its configuration. A lane's own HEAD is not among them.
type Books map[string]string

// configBook is the name of the configuration among them.
const configBook = "config"

// ReadBooks reads those of a lane's repository.
func ReadBooks(ctx context.Context, l Lane) (Books, error) {
	out, err := runGit(ctx, l, nil, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return nil, fmt.Errorf("read references of %s: %w", l.Name, err)
	}
	b := make(Books)
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		b[name] = id
	}
	data, err := os.ReadFile(filepath.Join(l.CommonDir, "config"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read configuration of %s: %w", l.Name, err)
	}
	sum := sha256.Sum256(data)
	b[configBook] = hex.EncodeToString(sum[:])
	return b, nil
}

// Since names what is otherwise than it was, sorted. A branch that only moved is left
// out: other lanes commit all day.
func (b Books) Since(was Books) (names []string) {
	for name, id := range b {
		before, known := was[name]
		branch := strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/remotes/")
		if before != id && !(known && branch) {
			names = append(names, name)
		}
	}
	for name := range was {
		if _, there := b[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
