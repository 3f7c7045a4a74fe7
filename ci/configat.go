package ci

import (
	"context"
	"fmt"
	"path/filepath"

	"gpuci/ci/executor/local"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// dirOf is the directory of gpuci.toml, from the root of its lane.
func dirOf(lane worktrees.Lane, cfg *config.Config) (string, error) {
	dir, err := filepath.Rel(lane.Root, cfg.Root)
	if err != nil || !filepath.IsLocal(dir) {
		return "", fmt.Errorf("find the workspace in its lane: %s is not in %s", cfg.Root, lane.Root)
	}
	return dir, nil
}

// rootFor is where the tools of a lane answer as they would in its scratch lane.
func (n *night) rootFor(h Head) string {
	if h.Root == "" || local.IsGone(filepath.Join(h.Root, n.plan.Dir)) {
		return filepath.Join(n.o.Here.Root, n.plan.Dir)
	}
	return filepath.Join(h.Root, n.plan.Dir)
}

// configAt reads the configuration of a commit. It is nil where the commit has
// none; Root is then to be set by who has the files.
func configAt(ctx context.Context, lane worktrees.Lane, commit, dir string) (*config.Config, error) {
	data, ok, err := worktrees.FileAt(ctx, lane, commit, filepath.ToSlash(filepath.Join(dir, config.FileName)))
	if err != nil || !ok {
		return nil, err
	}
	// Its directory gives the workspace its name where the file does not.
	src := config.DefaultSources(filepath.Join(lane.Root, dir, config.FileName))
	if dir == "." {
		src.Workspace = filepath.Join(string(filepath.Separator), repositoryName(lane), config.FileName)
	}
	src.Text = append([]byte{}, data...)
	return config.Load(src)
}
