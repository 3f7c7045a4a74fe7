package ci

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

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

// configAt reads the configuration of a commit. It is nil where the commit has
// none; Root is then to be set by who has the files.
func configAt(ctx context.Context, lane worktrees.Lane, commit, dir string) (*config.Config, error) {
	data, ok, err := worktrees.FileAt(ctx, lane, commit, filepath.ToSlash(filepath.Join(dir, config.FileName)))
	if err != nil || !ok {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "gpuci-config-")
	if err != nil {
		return nil, fmt.Errorf("read %s of commit %.10s: %w", config.FileName, commit, err)
	}
	defer os.RemoveAll(temp)
	// Its directory gives the workspace its name where the file does not.
	file := filepath.Join(temp, repositoryName(lane), dir, config.FileName)
	err = os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s of commit %.10s: %w", config.FileName, commit, err)
	}
	return config.Load(config.DefaultSources(file))
}

func isGone(dir string) bool {
	_, err := os.Stat(dir)
	return os.IsNotExist(err)
}
