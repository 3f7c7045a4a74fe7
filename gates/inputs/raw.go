package inputs

import (
	"context"
	"maps"
	"slices"
	"strings"

	"gpuci/worktrees"
)

// otherwise are the files that are other bytes, or of another mode, than they were
// then, whatever git makes of them: it converts line ends, a filter cleans, and
// executable bits can be nothing to it.
func (c *comparison) otherwise(ctx context.Context, s Snapshot) (paths []Path, err error) {
	now := make(map[Path]worktrees.Raw)
	for _, r := range c.raw {
		now[Path(r.Path)] = r
	}
	both := make(map[Path]bool)
	for p := range s.Raw {
		both[p] = true
	}
	for p := range now {
		both[p] = true
	}
	for _, p := range slices.Sorted(maps.Keys(both)) {
		was, known := s.Raw[p]
		if !known {
			was = s.Changed[p] // of a file that nothing converted, what git would have made of it
			known = strings.HasPrefix(was, "100")
		}
		other := !known && now[p].Odd // then it was as git checks it out
		if known {
			is, err := c.rawOf(ctx, p, now)
			if err != nil {
				return nil, err
			}
			other = is != was
		}
		if other {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// rawOf is a file as it is on disk now, in the form of Snapshot.Raw.
func (c *comparison) rawOf(ctx context.Context, p Path, now map[Path]worktrees.Raw) (string, error) {
	if r, ok := now[p]; ok {
		return content(r.Leaf), nil
	}
	leaf, err := worktrees.RawLeaf(ctx, c.lane, string(p), max(len(c.now.Commit), len(c.now.Tree)))
	return content(leaf), err
}
