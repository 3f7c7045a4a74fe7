package inputs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"gpuci/worktrees"
)

// Since says what has changed in a lane since a snapshot, of what its gate can
// have read; see Compare.
func (s Snapshot) Since(ctx context.Context, lane worktrees.Lane, now worktrees.State, own ...string) (Change, error) {
	all, err := Compare(ctx, lane, now, own, []Snapshot{s})
	if err != nil {
		return Change{}, err
	}
	return all[0], nil
}

// Compare says for each snapshot what has changed in the lane, now in a state
// that worktrees.ReadState has just returned. It reads the lane once for all of
// them, and asks git once for each other commit among them.
//
// own are paths from the lane's root that gpuci itself writes there (an exported
// history): an outcome does not go stale by being recorded.
func Compare(ctx context.Context, lane worktrees.Lane, now worktrees.State, own []string, then []Snapshot) ([]Change, error) {
	if len(then) == 0 {
		return nil, nil
	}
	d, err := worktrees.ReadDraft(ctx, lane, now)
	if err != nil {
		return nil, fmt.Errorf("compare with what was judged: %w", err)
	}
	c := newComparison(lane, d, own)
	if c.raw, err = worktrees.ReadRaw(ctx, lane, d); err != nil {
		return nil, fmt.Errorf("compare with what was judged: %w", err)
	}
	changes := make([]Change, len(then))
	for i, s := range then {
		if changes[i], err = c.since(ctx, s); err != nil {
			return nil, fmt.Errorf("compare with what was judged: %w", err)
		}
	}
	return changes, nil
}

func newComparison(lane worktrees.Lane, d worktrees.Draft, own []string) comparison {
	c := comparison{lane: lane, now: d, changed: leaves(d), commits: make(map[string]between)}
	for _, path := range own {
		c.own = append(c.own, Path(filepath.ToSlash(filepath.Clean(path))))
	}
	return c
}

// Sources says which of the sources of a snapshot are otherwise in a lane, whose
// draft is d; those that something was built from, where they are known.
func (s Snapshot) Sources(ctx context.Context, lane worktrees.Lane, d worktrees.Draft, own ...string) (Change, error) {
	return s.of(ctx, lane, d, own, func(p Path) bool {
		_, read := slices.BinarySearch(s.Read, p)
		return read || !s.Known && !prose(string(p))
	})
}

// Gate says which of the files that make up a gate are otherwise: its sources, what is
// named beside them, sorted, and, of what no compiler tells, what lies where tests have
// their data: a reference or a tolerance that is another one makes another gate.
func (s Snapshot) Gate(ctx context.Context, lane worktrees.Lane, d worktrees.Draft, named []Path, own ...string) (Change, error) {
	return s.of(ctx, lane, d, own, func(p Path) bool {
		_, read := slices.BinarySearch(s.Read, p)
		_, also := slices.BinarySearch(named, p)
		return read || also || !prose(string(p)) && (!s.Known || s.reads(p) && testData(string(p)))
	})
}

// of says which paths that count are otherwise.
func (s Snapshot) of(ctx context.Context, lane worktrees.Lane, d worktrees.Draft, own []string, counts func(Path) bool) (Change, error) {
	c := newComparison(lane, d, own)
	if s.Tree != "" && s.Tree == d.Tree {
		return Change{}, nil
	}
	differing, unknown, err := c.differing(ctx, s)
	if err != nil || unknown != "" {
		return Change{Unknown: unknown}, err
	}
	var paths []Path
	for _, p := range differing {
		if counts(p) && !slices.Contains(c.own, p) {
			paths = append(paths, p)
		}
	}
	return changeOf(lane.Root, paths), nil
}

// comparison is one look at a lane, for any number of snapshots.
type comparison struct {
	lane    worktrees.Lane
	now     worktrees.Draft
	changed byPath[string] // now against its commit
	raw     []worktrees.Raw
	own     []Path
	commits map[string]between // by the other commit
}

// between is what two commits differ in.
type between struct {
	paths []worktrees.Difference
	err   error
}

// since says what has changed since one snapshot.
func (c *comparison) since(ctx context.Context, s Snapshot) (Change, error) {
	var paths []Path
	if s.Tree == "" || s.Tree != c.now.Tree {
		differing, unknown, err := c.differing(ctx, s)
		if err != nil || unknown != "" {
			return Change{Unknown: unknown}, err
		}
		for _, p := range differing {
			read := s.reads(p)
			if !read && s.builds(c.lane.Root, p) {
				if read, err = c.isNew(ctx, s, p); err != nil {
					return Change{}, err
				}
			}
			if read && !slices.Contains(c.own, p) {
				paths = append(paths, p)
			}
		}
	}
	otherwise, err := c.otherwise(ctx, s)
	if err != nil {
		return Change{}, err
	}
	for _, p := range otherwise {
		if s.reads(p) && !slices.Contains(c.own, p) && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	meanwhile := make(map[string]bool)
	for root, files := range map[string]byPath[File]{c.lane.Root: s.Ignored, "": s.Outside} {
		for p, was := range files {
			same, err := was.is(ctx, filepath.Join(root, string(p)))
			if err != nil {
				return Change{}, err
			}
			if !same {
				paths = append(paths, p)
				meanwhile[string(p)] = was.Kind == Meanwhile
			}
		}
	}
	ch := changeOf(c.lane.Root, paths)
	ch.Meanwhile = meanwhile[ch.First]
	return ch, nil
}

// OutsideChanged are the inputs outside of the lane that are not as they were.
func (s Snapshot) OutsideChanged(ctx context.Context) (paths []Path, err error) {
	for p, was := range s.Outside {
		same, err := was.is(ctx, string(p))
		if err != nil {
			return nil, err
		}
		if !same {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// differing are the paths at which the lane is not as it was. unknown says why
// that cannot be told.
func (c *comparison) differing(ctx context.Context, s Snapshot) (paths []Path, unknown string, err error) {
	if s.Cut {
		return nil, fmt.Sprintf("more than %d files were uncommitted then: run it again", maxFiles), nil
	}
	b, ok := c.commits[s.Commit]
	if !ok {
		b.paths, b.err = worktrees.Between(ctx, c.lane, s.Commit, c.now.Commit)
		c.commits[s.Commit] = b
	}
	if errors.Is(b.err, worktrees.ErrGone) {
		return nil, fmt.Sprintf("its commit %.10s is not there any more: run it again", s.Commit), nil
	}
	if b.err != nil {
		return nil, "", b.err
	}
	then, now := maps.Clone(s.Changed), maps.Clone(c.changed)
	if then == nil {
		then = make(byPath[string])
	}
	for _, d := range b.paths {
		fill(then, d.From)
		fill(now, d.To)
	}
	// A path in one of them alone is in that one otherwise than in its commit,
	// and in both commits alike.
	for p, what := range then {
		if now[p] != what {
			paths = append(paths, p)
		}
	}
	for p := range now {
		if _, both := then[p]; !both {
			paths = append(paths, p)
		}
	}
	return paths, "", nil
}

// fill adds what a commit has at a path, unless the lane has something else.
func fill(m byPath[string], l worktrees.Leaf) {
	if _, ok := m[Path(l.Path)]; !ok {
		m[Path(l.Path)] = content(l)
	}
}

// reads says whether the gate can have read a path. Build scripts count whatever
// is told: what cargo runs, rustc does not see.
func (s Snapshot) reads(p Path) bool {
	lang := language(string(p))
	if !s.Known || lang == "" || !slices.Contains(s.Told, lang) || filepath.Base(string(p)) == "build.rs" || fixture(string(p)) {
		return true
	}
	_, found := slices.BinarySearch(s.Read, p)
	return found
}
