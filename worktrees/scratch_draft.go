package worktrees

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// maxNamed is how many paths git is asked about by name, maxAsked at a time,
// before the whole tree is quicker. In a scratch lane it is slow: git reads every
// file again that was written in the second in which its index was.
const maxNamed = 4 * maxAsked

// draftNow is ReadDraft of the state that a lane is in, in one go: what the
// quick look cannot clear git is asked about once.
func draftNow(ctx context.Context, l Lane) (Draft, error) {
	st := State{Commit: readHead(ctx, l).commit}
	ask, _, err := candidates(ctx, l, st.Commit, nil)
	switch {
	case ctx.Err() != nil:
		return Draft{}, ctx.Err()
	case err != nil || len(ask) > maxNamed:
		st.Dirty = true // or not: without names git says it all
	case len(ask) > 0:
		records, same, err := askNamed(ctx, l, st.Commit, ask)
		var unseen []record
		if err == nil && same {
			unseen, err = hidden(ctx, l)
		}
		if err != nil {
			return Draft{}, err
		}
		if same {
			return draftOf(ctx, l, st.Commit, revealed(records, unseen))
		}
		st.Dirty = true // a commit came between
	}
	return ReadDraft(ctx, l, st)
}

// askNamed asks git about some paths, which are by name. It is not the same any
// more when the lane is at another commit.
func askNamed(ctx context.Context, l Lane, commit string, ask []string) (records []record, same bool, err error) {
	parts := slices.Collect(slices.Chunk(ask, maxAsked))
	heads, found := make([]head, len(parts)), make([][]record, len(parts))
	group, gctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() (err error) {
			heads[i], found[i], err = askRecords(gctx, l, part)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, false, err
	}
	for i, h := range heads {
		if h.commit != commit {
			return nil, false, nil
		}
		records = append(records, found[i]...)
	}
	// Two names may both have said a path: a directory, and what is in it.
	slices.SortStableFunc(records, func(a, b record) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(records, func(a, b record) bool { return a.path == b.path }), true, nil
}
