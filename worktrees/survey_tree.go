package worktrees

import "context"

// surveyKey is where the context of a survey has its commits.
type surveyKey struct{}

// withCommits has a lane's state read with commits at hand: HEAD's tree is then
// no question to a git of its own for every lane.
func withCommits(ctx context.Context, c *commits) context.Context {
	return context.WithValue(ctx, surveyKey{}, c)
}

// surveyedTree is headTree, out of the commits of a survey where there is one of
// this repository.
func surveyedTree(ctx context.Context, l Lane, id string) (string, error) {
	c, ok := ctx.Value(surveyKey{}).(*commits)
	if !ok || c.lane.CommonDir != l.CommonDir { // a submodule's is another one
		return headTree(ctx, l, id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	got, err := c.get(ctx, id)
	return got.tree, err
}
